import re

import numpy as np
import pandas as pd
import pytest

from picrules import Category, Explanation, FPICClassifier, PersonalRuleClassifier, Rule
from picrules.explain.explanation import Overruled
from picrules.reports.card import draw_card
from picrules.rules.text import format_share
from tests.reports.parsing import HOSTILE, parse

OURS = {"style", "div", "p", "b", "span", "ul", "li", "code", "h4", "svg", "rect", "line", "title"}
PLACES = {"x", "width", "height", "x1", "x2", "y1", "y2"}


def hostile_table():
    """Columns, categories and classes that would be elements if anyone forgot to escape."""
    values = [HOSTILE[number % len(HOSTILE)] for number in range(96)]
    classes = np.array([HOSTILE[number % 3] for number in range(96)], object)
    columns = {HOSTILE[0]: values, HOSTILE[1]: values[::-1], HOSTILE[3]: np.arange(96.0) % 7}
    return pd.DataFrame(columns, dtype=object), classes


@pytest.mark.parametrize(
    "estimator", [FPICClassifier(), PersonalRuleClassifier(max_length=2, cuts=8)], ids=str
)
def test_what_comes_from_the_data_is_text(estimator):
    X, y = hostile_table()
    for explanation in estimator.fit(X, y).explain(X)[:8]:
        parsed = parse(explanation._repr_html_())
        assert parsed.names <= OURS
        assert parsed.attributes <= {"class", *PLACES}
        assert HOSTILE[3] not in parsed.styles
        shown = parsed.text.encode("utf-8", "replace").decode()
        for condition in explanation.rule.conditions:
            assert str(condition).encode("utf-8", "replace").decode() in shown


def test_a_card_says_what_the_explanation_says(rng):
    X = rng.integers(0, 3, (60, 3)).astype(float)
    y = np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]
    explanation = PersonalRuleClassifier(max_length=2).fit(X, y).explain(X)[0]
    text = parse(explanation._repr_html_()).text
    assert f"{explanation.cover_size} training rows like this" in text
    assert text.partition(": ")[2].startswith(
        f"Predictions like this one are right {format_share(explanation.confidence)} of the time."
    )
    assert f"Precision {format_share(explanation.precision)}, " in text
    assert f"recall {format_share(explanation.recall)}" in text
    assert "interval" not in text
    assert f"{explanation.lift:.2f} times the share" in text
    assert str(explanation.contrast[0].rule) in text
    nearest = explanation.evidence.rows[:5].tolist()
    assert re.findall(r"(\d+) \((?:no|yes)\)", text.partition("Nearest")[2]) == [
        str(row) for row in nearest
    ]


def test_bars_are_as_long_as_the_counts():
    fitted = FPICClassifier(max_length=1).fit([["a"]] * 4 + [["b"]] * 4, [0, 0, 0, 1, 1, 1, 1, 1])
    parsed = parse(fitted.explain([["a"]])[0]._repr_html_())
    bars = [attributes for name, attributes in parsed.elements if name == "rect"]
    assert [(bar["x"], bar["width"]) for bar in bars[:2]] == [("0%", "75%"), ("0%", "25%")]
    assert bars[0]["class"] == "pr-own"


def test_a_row_without_rule_and_one_that_the_offset_decided_say_so():
    fitted = FPICClassifier().fit([["a"], ["b"]], [0, 1])
    assert "No rule covers this row" in fitted.explain([["c"]])[0]._repr_html_()
    content = fitted.explain([["a"]])[0].to_dict()
    other = Overruled(Rule((Category("x<", ("v",)),), 1), 0.9, 0.25)
    text = parse(draw_card({**content, "overruled": other.to_dict()})).text
    assert 'scores higher (0.900): if "x<" = v then 1; the offset of +0.250 put 0 ahead.' in text


@pytest.mark.parametrize("n_classes", [2, 30])
@pytest.mark.parametrize("name", ["short", "&" * 500, "長" * 500])
def test_a_card_is_small(n_classes, name, rng):
    X = pd.DataFrame(rng.integers(0, 4, (300, 6)), columns=[f"{name}{i}" for i in range(6)])
    X = X.map(lambda cell: f"{name}{cell}")
    y = np.array([f"{number % n_classes}{name}" for number in range(300)], object)
    explanations = FPICClassifier().fit(X, y).explain(X)
    for explanation in explanations[:5]:
        assert len(explanation._repr_html_().encode()) < 10_000
    html = explanations._repr_html_()
    assert "... and 297 more" in html
    assert html.count('class="picrules-card"') == 3


def test_many_conditions_and_classes_are_counted_not_listed(rng):
    X = rng.integers(0, 2, (40, 16)).astype(str).astype(object)
    fitted = FPICClassifier(max_length=1).fit(X, np.arange(40) % 20)
    content = fitted.explain(X)[0].to_dict()
    content["conditions"] = [{"feature": "x", "text": f"x{number} = 1"} for number in range(16)]
    content["contributions"] *= 16
    text = parse(draw_card(content)).text
    assert "and 4 more conditions" in text
    assert "12 other classes" in text
    assert "more classes" in text


def test_style_stays_in_the_card_and_asks_for_nothing():
    fitted = FPICClassifier().fit([["a"], ["b"]], [0, 1])
    css = parse(fitted.explain([["a"]])[0]._repr_html_()).styles
    selectors = [part for rule in re.findall(r"([^{}]+)\{", css) for part in rule.split(",")]
    assert all(selector.strip().startswith(".picrules-card") for selector in selectors)
    assert not re.search(r"url|import|@", css)


def test_an_explanation_made_by_hand_shows_its_text():
    by_hand = Explanation(Rule((), 1), 0.5, {0: 1, 1: 2}, {0: 1, 1: 2})
    assert parse(by_hand._repr_html_()).text.endswith(str(by_hand))
