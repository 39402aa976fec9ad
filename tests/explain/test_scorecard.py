"""Several rules that decide together: points add up, and every rule is as the table says."""

import json
import math
import pickle
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picrules import FPICClassifier, Scorecard, ScorecardLine
from picrules.engines.training import Training
from picrules.explain.changes.what_if import tell_briefly
from picrules.explain.scorecard import round_points, tell_no_rule
from tests.explain import together
from tests.explain.together import MODELS, ask_new

SCORECARDS = [each for each in MODELS if each is not together.by_look_alikes]
SCHEMA = Path(__file__).parents[2] / "docs" / "explanation.schema.json"


def sums_of(clf, X):
    """For each row what all members say for each class, added up from their own searches."""
    model = clf._model
    codes = model.encode(clf._read_rows(X))
    total, is_known = np.tile(model.offset, (len(X), 1)), np.zeros(len(X), bool)
    for member in model.members:
        if member.pairs is not None:
            add_between(member, model, codes, total, is_known)
            continue
        found = [each.scores for _, each in member.source.parts(codes, member.search, 1, None)]
        scores = np.concatenate(found)
        total += member.weight * np.maximum(scores, member.floor)
        is_known |= np.isfinite(scores).any(axis=1)
    total[~is_known] = -np.inf
    return total


def add_between(member, model, codes, total, is_known):
    """Of the two leading classes of each row, the one that has the weaker case falls behind.

    Asked is a searcher that was trained on the rows of these two classes alone.
    """
    for row in np.flatnonzero(is_known):
        pair = tuple(sorted(np.argsort(-total[row], kind="stable")[:2].tolist()))
        if pair not in member.pairs:
            continue
        training = model.training
        own = np.isin(training.row_labels, pair)
        labels = np.searchsorted(pair, training.row_labels[own])
        among = Training.of_single_rows(
            np.ascontiguousarray(training.row_codes[:, own]), labels, np.bincount(labels)
        )
        source, asked = member.source.trained_on(among), np.ascontiguousarray(codes[:, [row]])
        weights = source.searcher.class_weights[list(pair)]
        source = replace(source, searcher=replace(source.searcher, class_weights=weights))
        ((_, found),) = source.parts(asked, member.search, 1, None)
        first, second = np.maximum(found.scores[0], member.floor)
        total[row, pair[int(first > second)]] -= member.weight * abs(first - second)


def with_scorecard(clf, new):
    """The rows of which at least one member knows something, and their explanations."""
    found = [each for each in enumerate(clf.explain(new)) if each[1].scorecard is not None]
    assert len(found) > 50
    return found


@st.composite
def rows_of(draw, make):
    """Rows put together from cells of the training table, some missing or never seen."""
    clf, X, _ = make()
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    mixed = X.apply(lambda cells: rng.permutation(cells.to_numpy()))[:8].copy()
    mixed[rng.random(mixed.shape) < draw(st.sampled_from([0, 0.3, 0.9]))] = None
    mixed.iloc[0, -1] = "never seen"
    return clf, mixed


@pytest.mark.parametrize("make", SCORECARDS)
@settings(max_examples=25)
@given(data=st.data())
def test_points_add_up_to_the_lead_over_the_rival(make, data):
    clf, X = data.draw(rows_of(make))
    classes = clf.classes_.tolist()
    for sums, explanation in zip(sums_of(clf, X), clf.explain(X), strict=True):
        card = explanation.scorecard
        if card is None:
            assert np.isneginf(sums).all()
            continue
        own, rival = classes.index(explanation.prediction), classes.index(card.rival)
        assert own != rival
        assert sums[own] == sums.max()
        assert sums[rival] == np.sort(sums)[-2]
        lead = (sums[own] - sums[rival]) * 10 / math.log(2)
        added = sum(line.points for line in card.lines) + card.offset_points
        assert added == pytest.approx(lead, abs=1e-9)
        assert card.total == added
        offset = clf.class_offset_
        assert card.offset_points == pytest.approx(
            (offset[own] - offset[rival]) * 10 / math.log(2), abs=1e-9
        )


@pytest.mark.parametrize("make", SCORECARDS)
def test_rules_of_lines_are_as_the_training_table_says(make):
    clf, new, X, y = ask_new(make)
    n_against = n_without = n_between = n_behind = 0
    for _, explanation in with_scorecard(clf, new):
        card = explanation.scorecard
        assert len(card.lines) == explanation.n_rules == len(clf._model.members)
        for line in card.lines:
            assert line.is_against == (line.points < 0)
            n_against += line.is_against
            n_without += line.rule is None
            between = "between {} and {}, ".format(*line.between) if line.between else ""
            if line.rule is None:
                assert line.points == 0
                nothing = "is known for" if between else "covers"
                assert str(line) == f"{between}no rule of it {nothing} this row"
                continue
            assert line.rule.rule.label == (
                card.rival if line.is_against else explanation.prediction
            )
            assert str(line).startswith(f"{between}{line.rule.rule.reason}: ")
            assert line.rule.class_counts == count(clf, X, y, line)
            assert np.isfinite(line.rule.score)
            assert line.behind is None or line.points == 0
            if line.between:
                n_between += 1
                n_behind += line.behind is not None
                if line.behind is not None:
                    assert {line.behind, line.rule.rule.label} == {*line.between}
                    assert line.behind != card.rival
                    assert str(line).endswith(f" (puts {line.behind} behind)")
                assert explanation.prediction in line.between
                sizes = {name: int((y == name).sum()) for name in line.between}
                assert line.rule.class_sizes == sizes
        first = card.lines[0]
        if explanation.rule.length and not first.is_against:
            assert first.rule.rule == explanation.rule
            assert first.rule.score == explanation.score
    assert n_against > 0
    assert n_without > 0
    assert (n_between > 0) == (clf._model.members[-1].pairs is not None)
    assert (n_behind > 0) == (n_between > 0)


@pytest.mark.parametrize("make", [together.between_leading, together.between_some])
def test_costs_may_decide_for_a_class_that_is_not_among_the_leading_two(make):
    """Then the line that tells these apart shows the rule of the stronger one.

    Where it had none, it named the classes that costs led to.
    """
    clf, new, _, _ = ask_new(make)
    led = {row: one.scorecard.lines[-1].between for row, one in with_scorecard(clf, new)}
    costs = np.array([[0, 9, 9], [1, 0, 1], [1, 1, 0]])
    clf.set_params(cost_matrix=costs)
    n_outside = 0
    try:
        for row, explanation in with_scorecard(clf, new):
            line = explanation.scorecard.lines[-1]
            assert line.between == led[row]
            n_outside += explanation.prediction not in line.between
            if line.rule is None:
                assert line.points == 0
                continue
            assert clf.cover(line.rule.rule, new)[row]
            assert line.rule.rule.label in line.between
    finally:
        clf.set_params(cost_matrix=None)
    assert n_outside > 0


@pytest.mark.parametrize("make", SCORECARDS)
def test_a_rule_that_a_stronger_one_stands_against_says_so(make):
    """It was the reason that was told, and the scorecard said the opposite."""
    clf, new, _, _ = ask_new(make)
    for _, explanation in with_scorecard(clf, new):
        card = explanation.scorecard
        about = f"The best rule for {card.rival} is stronger than this one, but"
        if card.lines[0].is_alike:
            about = f"The training rows most like this one speak more for {card.rival}, but"
        is_told = about in str(explanation)
        assert is_told == (card.lines[0].points < 0 and explanation.rule.length > 0)
        assert is_told == (about in explanation._repr_html_())
        if is_told:
            who = "the other rules speak more for" in str(explanation)
            assert who != ("the class offset decided for" in str(explanation))
            # Without the offset the rules together would have decided in the same way, or not.
            assert who == (card.total - card.offset_points > 0)


def count(clf, X, y, line, left_out=None):
    """Recount the cover of a line's rule in the table, of the two classes that it tells apart."""
    is_covered = clf.cover(line.rule.rule, X)
    if left_out is not None:
        is_covered[left_out] = False
    return {name: int((y[is_covered] == name).sum()) for name in line.between or clf.classes_}


@pytest.mark.parametrize("make", SCORECARDS)
def test_rules_cover_their_row(make):
    clf, new, _, _ = ask_new(make)
    for row, explanation in with_scorecard(clf, new):
        for line in explanation.scorecard.lines:
            if line.rule is not None:
                assert clf.cover(line.rule.rule, new)[row]


@pytest.mark.parametrize("make", SCORECARDS)
def test_a_row_that_is_left_out_does_not_count_itself(make):
    clf, X, y = make()
    for row, explanation in list(enumerate(clf.leave_one_out()))[:40]:
        for line in explanation.scorecard.lines:
            if line.rule is not None:
                assert line.rule.class_counts == count(clf, X, y, line, row)
        assert explanation.scorecard.total > -1e-9


@pytest.mark.parametrize("make", MODELS)
def test_the_explained_class_is_the_predicted_one(make):
    clf, new, X, y = ask_new(make)
    explanations = clf.explain(new)
    assert [each.prediction for each in explanations] == clf.predict(new).tolist()
    for explanation in explanations:
        if explanation.rule.length:
            covered = y[clf.cover(explanation.rule, X)]
            assert explanation.cover_size == len(covered)
            assert explanation.hits == (covered == explanation.prediction).sum()
            assert (explanation.evidence.agrees).sum() == explanation.hits


@pytest.mark.parametrize("make", MODELS)
def test_a_pickled_explanation_says_the_same(make):
    clf, new, _, _ = ask_new(make)
    for explanation in clf.explain(new, top=2, trace=True)[:6]:
        copy = pickle.loads(pickle.dumps(explanation))
        assert copy.to_dict() == explanation.to_dict()
        assert str(copy) == str(explanation)
        assert copy.to_row() == explanation.to_row()
        assert copy._repr_html_() == explanation._repr_html_()


@pytest.mark.parametrize("make", MODELS)
def test_json_is_as_the_schema_says(make):
    clf, new, _, _ = ask_new(make)
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for explanation in [*clf.explain(new, top=2, trace=True), *clf.leave_one_out()[:20]]:
        content = json.loads(explanation.to_json())
        validator.validate(content)
        assert content == explanation.to_dict()
        assert (content["scorecard"] is None) == (explanation.n_rules == 1)


def test_the_table_has_the_number_of_rules():
    clf, new, _, _ = ask_new(together.by_scorecard)
    n_rules = len(clf._model.members)
    explanations = clf.explain(new)
    # Nothing is known about the first row, so no rule decides about it.
    assert (explanations[0].scorecard, explanations[0].rule.length) == (None, 0)
    assert explanations.to_frame()["n_rules"].tolist()[10:] == [n_rules] * (len(new) - 10)
    assert explanations.to_frame()["n_rules"][0] == 1
    one = FPICClassifier().fit([["a"], ["b"]], [0, 1]).explain([["a"], ["c"]])
    assert one.to_frame()["n_rules"].tolist() == [1, 1]
    assert one[0].scorecard is None


def test_a_scorecard_reads_line_by_line():
    clf, new, _, _ = ask_new(together.by_scorecard)
    for explanation in clf.explain(new)[10:]:
        card, text = explanation.scorecard, str(explanation)
        assert text.startswith(f"{explanation.prediction}, because {explanation.rule.reason}.")
        opening = f"{len(card.lines)} rules decide together; 10 points double the odds:"
        lines = text[text.index(opening) :].splitlines()
        *told, total = [int(line.split()[0]) for line in lines[1:]]
        assert total == sum(told) == round(card.total)
        points = [*(line.points for line in card.lines), card.offset_points]
        assert all(abs(one - other) < 1 for one, other in zip(told, points, strict=True))
        for told, line in zip(lines[1:-2], card.lines, strict=True):
            assert ("but: " in told) == line.is_against
            if line.rule is not None:
                rule = line.rule
                counts = f"{rule.hits} of {rule.cover_size} are {rule.rule.label}"
                assert f"{rule.rule.reason}: {counts}" in told
        assert lines[-2].endswith("class offset")
        assert lines[-1].endswith(f"for {explanation.prediction} against {card.rival}")


@given(points=st.lists(st.floats(-200, 200), min_size=1, max_size=12))
def test_points_that_are_shown_add_up(points):
    """Each was rounded on its own: +2, -1 and +2 made +2 together."""
    *rounded, total = round_points(points)
    assert sum(rounded) == total
    assert abs(total - sum(points)) <= 0.5
    assert all(abs(one - other) < 1 for one, other in zip(rounded, points, strict=True))


def test_lines_are_named_by_what_they_say():
    lines = (ScorecardLine(None, 0.0), ScorecardLine(None, 12.4), ScorecardLine(None, -0.7))
    card = Scorecard(lines, -3.2, "yes", "no")
    assert card.total == pytest.approx(8.5)
    assert str(card).splitlines() == [
        "3 rules decide together; 10 points double the odds:",
        "     +0  rule: no rule of it covers this row",
        "    +12  also: no rule of it covers this row",
        "     -1  but: no rule of it covers this row",
        "     -3  class offset",
        "     +8  together, for yes against no",
    ]


@pytest.mark.parametrize("make", MODELS)
def test_the_most_frequent_class_is_named_only_where_it_is_the_reason(make):
    clf, new, _, y = ask_new(make)
    bare = [each for each in clf.explain(new) if each.rule.length == 0]
    assert bare
    for explanation in bare:
        told = [str(explanation), explanation._repr_html_(), tell_briefly(explanation)]
        is_said = ["most frequent class" in text for text in told]
        is_reason = explanation.scorecard is None and explanation.alike is None
        assert is_said == [is_reason] * 3
        if is_reason:
            assert explanation.prediction == max(clf.classes_, key=y.tolist().count)


def test_a_row_without_a_rule_of_its_own_says_what_decides():
    told = {"scorecard": None, "alike": None, "is_learned": True}
    assert tell_no_rule(told) == "no rule covers this row, so it gets the most frequent class"
    assert "of this class" in tell_no_rule({**told, "alike": {"hits": 0}})
    assert "apart from the others" in tell_no_rule({**told, "alike": {"hits": 2}})
    one, none = ({"lines": [{"rule": None}, {"rule": rule}]} for rule in ({"class": "a"}, None))
    assert "class offset decides" in tell_no_rule({**told, "scorecard": none})
    assert "other rules of its scorecard decide" in tell_no_rule({**told, "scorecard": one})


def test_offsets_overrule_in_plain_models_only():
    for make in MODELS:
        clf, X, _ = make()
        assert not clf.explain(X).is_overruled.any()
        assert all(each.overruled is None for each in clf.explain(X[:50]))
