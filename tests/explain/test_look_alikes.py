"""The training rows most like a row, against plain loops over all training rows."""

import numpy as np
import pytest

from picrules.explain.cases import MOST_LISTED
from picrules.explain.look_alikes import tell_alike
from picrules.kernels.alike import APART, MOST_STEPS
from picrules.model.ranked import limit_depth
from tests.explain import together
from tests.explain.together import ask_new

ALIKE = [together.by_look_alikes, together.by_mixed_scorecard]


def most_alike(clf, row, left_out=None):
    """Which training rows lie in the smallest box around a row (its codes) that holds enough."""
    model = clf._model
    alike, codes = model.search.alike, model.training.row_codes
    n_codes = model.conditions.sets.n_codes
    steps = np.zeros(codes.shape[1])
    for feature, width in enumerate(alike.widths):
        own, others = row[feature], codes[feature]
        if width == 0 or own < 0:
            continue
        if alike.is_ordered[feature]:
            scale = 32 / max(n_codes[feature] - 1, 1)
            apart = np.abs(np.round(others * scale) - np.round(own * scale)) / np.float32(width)
        else:
            apart = np.where(others == own, 0, APART / np.float32(width))
        steps = np.maximum(steps, np.where(others < 0, np.inf, apart))
    is_counted = np.arange(len(steps)) != left_out
    for reach in range(MOST_STEPS + 1):
        is_in = (steps <= reach) & is_counted
        if is_in.sum() >= alike.least:
            break
    return is_in


def check(clf, y, explanation, row, left_out=None):
    is_in = most_alike(clf, row, left_out)
    assert explanation.alike.class_counts == {
        name: int((y[is_in] == name).sum()) for name in clf.classes_
    }
    assert explanation.alike.cover_size == is_in.sum()
    assert explanation.alike.hits == (y[is_in] == explanation.prediction).sum()
    assert explanation.rule.length <= explanation.alike.n_sides <= len(row)
    return is_in


@pytest.mark.parametrize("make", ALIKE)
def test_look_alikes_are_the_rows_in_the_smallest_box(make):
    clf, new, X, y = ask_new(make)
    codes = clf._model.encode(clf._read_rows(new))
    n_found = 0
    for row, explanation in enumerate(clf.explain(new)):
        if explanation.alike is None:
            assert explanation.rule.length == 0
            continue
        n_found += 1
        is_in = check(clf, y, explanation, codes[:, row])
        if explanation.rule.length:
            assert clf.cover(explanation.rule, X)[is_in].all()
            assert clf.cover(explanation.rule, new)[row]
    assert n_found > 50


@pytest.mark.parametrize("make", ALIKE)
def test_a_row_that_is_left_out_is_not_its_own_look_alike(make):
    clf, _, y = make()
    codes = clf._model.training.row_codes
    for row, explanation in list(enumerate(clf.leave_one_out()))[:50]:
        if explanation.alike is not None:
            check(clf, y, explanation, codes[:, row], row)


@pytest.mark.parametrize("make", ALIKE)
def test_the_text_says_no_more_than_is_true(make):
    clf, new, _, _ = ask_new(make)
    for explanation in clf.explain(new):
        told, alike = explanation.tell_alike(), explanation.alike
        if alike is None:
            assert told == ""
            continue
        assert told in str(explanation)
        assert told in explanation._repr_html_()
        assert ("Decided by" in told) == (explanation.scorecard is None)
        share = alike.hits / alike.cover_size
        is_claimed = "no less precise" in told
        is_shorter = 0 < explanation.rule.length < alike.n_sides
        assert is_claimed == (is_shorter and explanation.precision >= share)
        if explanation.rule.length == alike.n_sides:
            assert "grown from these: it has all of them." in told


def test_how_many_look_alikes_there_are_is_said_in_words():
    alike = {"cover_size": 9, "hits": 8, "n_sides": 6}
    content = {"alike": alike, "scorecard": None, "length": 2, "precision": 0.9}
    assert tell_alike(content, "A") == (
        "Decided by the 9 training rows most like this one (8 are A); a box of 6 conditions around "
        "it holds them. The rule was grown from these: it has 2 of them, and is no less precise."
    )
    assert tell_alike({**content, "scorecard": {}, "length": 6, "precision": 0.8}, "A") == (
        "Of the 9 training rows most like this one, 8 are A; a box of 6 conditions around it holds "
        "them. The rule was grown from these: it has all of them."
    )
    alone = {**content, "alike": {**alike, "cover_size": 1, "hits": 1}, "length": 0}
    assert tell_alike(alone, "A") == "Decided by the 1 training row most like this one (1 is A)."
    assert tell_alike({**content, "alike": None}, "A") == ""


@pytest.mark.parametrize("make", ALIKE)
def test_a_rule_from_look_alikes_has_no_trace_and_short_rules_beside_it(make):
    clf, new, X, _ = ask_new(make)
    explanations = clf.explain(new, top=3, trace=True)
    for row, explanation in enumerate(explanations):
        assert explanation.trace is None
        assert explanation.proven_length is None
        assert all(one.rule.length <= 2 for one in explanation.top)
        assert all(clf.cover(one.rule, new)[row] for one in explanation.top)
        for one in explanation.top:
            assert one.cover_size == clf.cover(one.rule, X).sum()
    assert len(explanations[20].top) == 3


def test_rules_are_listed_up_to_a_length_that_can_be_looked_at():
    clf, X, _ = together.by_look_alikes()
    sets, codes = clf._model.source.searcher.sets, clf._model.encode(clf._read_rows(X))
    conditions = clf.conditions_
    for row in codes.T[:5]:
        held = [
            sum(
                bool(clf._model.features[at].holds(conditions.condition(at, position))[code])
                for position in range(conditions.n_conditions[at])
            )
            for at, code in enumerate(row.tolist())
            if code >= 0
        ]
        one, two = sum(held), (sum(held) ** 2 - sum(n * n for n in held)) // 2
        assert limit_depth(sets, row, 2, one + two) == 2
        assert limit_depth(sets, row, 2, one + two - 1) == 1
        assert limit_depth(sets, row, 2, 0) == 1
        assert one + two < MOST_LISTED


def test_a_plain_model_has_no_look_alikes():
    clf, new, _, _ = ask_new(together.by_short_scorecard)
    assert all(each.alike is None for each in clf.explain(new))
    trace = clf.explain(new, trace=True)[20].trace
    assert trace.n_possible > 0
    assert all(clf.cover(level.best.rule, new)[20] for level in trace.levels)
