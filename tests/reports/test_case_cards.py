"""The cards of a report are those of notebooks."""

import re

import pandas as pd
import pytest

from picrules import PersonalRuleClassifier
from picrules.explain.distribution import to_card
from picrules.reports.asked import ask
from picrules.reports.card import draw_bare_card
from picrules.reports.case_cards import PACK, pack_cards
from picrules.reports.content import collect
from tests.explain.together import by_mixed_scorecard
from tests.reports.parsing import parse, unpack
from tests.reports.tables import doubtful, people


def by_rule():
    X, y = people()
    return PersonalRuleClassifier(cuts=4, max_length=2).fit(X, y), doubtful(X[:90]), y


@pytest.mark.parametrize("make", [by_rule, by_mixed_scorecard])
def test_a_card_says_what_the_one_in_a_notebook_says(make):
    clf, X, _ = make()
    asked = ask(clf, X)
    content = collect(asked, 1000, 0)
    packs = unpack(pack_cards(asked, content))
    assert all(len(cards) == PACK for cards in packs[:-1])
    cards = [card for cards in packs for card in cards]
    assert len(cards) == len(X)
    for (card, _), explanation, others, nearest in zip(
        cards,
        clf.explain(X),
        content["cases"]["contrast"],
        content["cases"]["nearest"],
        strict=True,
    ):
        told = to_card(explanation)
        # A report lists at most three other rules, and a training row is not near to itself.
        told["contrast"] = told["contrast"][: len(others)]
        of_row = {entry["row"]: entry for entry in explanation.evidence.to_dicts(len(X) + 9)}
        told["nearest"] = [of_row[row] for row, _, _ in nearest]
        # A report writes a cell as the table has it, and a notebook as it stands in a sentence.
        assert without_cells(card) == without_cells(draw_bare_card(told))


def without_cells(card):
    return re.sub(r"here [^;]*; |this row \([^)]*\)", "", parse(card).text)


def test_cells_are_packed_with_their_card():
    clf, X, _ = by_rule()
    asked = ask(clf, X)
    (first, *_), *_ = unpack(pack_cards(asked, collect(asked, 1000, 0)))
    cells = ["missing" if pd.isna(cell) else cell for cell in X.iloc[0]]
    assert first[1] == [f"{cells[0]:g}", cells[1], str(cells[2].date()), f"{cells[3]:g}"]
