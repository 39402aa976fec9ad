"""Rows added to a tuned estimator and taken away: its settings stay, all else follows anew."""

import os
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import picrules
from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.errors import BadParameter, BadTable
from tests.examples import at_most
from tests.explain.together import between_leading

# More than there are rows: else the cuts of one fit on what remains would depend on which values
# most rows have, and the models would not have the same schema.
MANY_CUTS = 64
FIXED = {
    "cuts": MANY_CUTS, "max_length": 2, "alpha": 1, "smoothing": 1, "subsets": True,
    "intervals": False, "look_alikes": False, "min_cover": 1,
}  # fmt: skip
PLAIN = [
    PersonalRuleClassifier(**FIXED, class_offset=True, engine="table"),
    PersonalRuleClassifier(**FIXED, class_offset=False, engine="bitmap"),
    PersonalRuleClassifier(**FIXED, class_offset=True, class_weight="balanced"),
]
COUNTED = [clone(PLAIN[at]).set_params(keep_rows=False) for at in (0, 2)]
TUNED = [
    PersonalRuleClassifier(max_length=2),
    PersonalRuleClassifier(max_length=2, keep_rows=False),
    PersonalRuleClassifier(look_alikes=True, max_length=1, cuts=4),
    PersonalRuleClassifier(n_rules=3, look_alikes=False, max_length=1, cuts=4),
    PersonalRuleClassifier(n_rules=2, look_alikes=True, max_length=1, cuts=4, subsets=False),
]
CELLS = {"size": [0.0, 1.0, 3.0, 5.0, 10.0], "kind": ["a", "b", "c"], "ward": ["x", "y"]}
CLASSES = ["no", "yes", "maybe"]
# These rows stay, so that one fit on what remains has the same cuts and categories.
PINNED = [
    (0.0, "a", "x", "no"), (1.0, "b", "y", "yes"), (3.0, "c", "x", "no"), (5.0, "a", "y", "no"),
    (10.0, "b", "x", "yes"), (10.0, "c", "y", "yes"),
]  # fmt: skip

bounded = at_most(12)

cells = (st.sampled_from([*values, None]) for values in CELLS.values())
one_row = st.tuples(*cells, st.sampled_from(CLASSES))
batches = st.lists(one_row, min_size=1, max_size=8)


def to_table(rows):
    X = pd.DataFrame([row[:-1] for row in rows], columns=list(CELLS))
    X = X.astype({"size": float, "kind": object, "ward": object})
    return X, np.array([row[-1] for row in rows], object)


ASKED = to_table(
    [(size, kind, ward, "no") for size in (0.0, 4.0, 99.0, None) for kind in ("a", "c", None)
     for ward in ("x", "y")]
)[0]  # fmt: skip


def say(clf):
    """What a model says about new rows, and about its own, in whatever order they stand.

    One that keeps counts in place of rows has none of its own.
    """
    told = [
        (each.prediction, str(each.rule), each.score, each.class_counts, each.confidence)
        for each in clf.explain(ASKED)
    ]  # fmt: skip
    own = [] if clf._model.training.counts is not None else tell_own(clf)
    return (
        told, clf.predict_proba(ASKED).tolist(), own,
        clf.class_offset_.tolist(), clf.class_sizes_.tolist(), clf.classes_.tolist(),
    )  # fmt: skip


def tell_own(clf):
    training, left_out = clf._model.training, clf.leave_one_out()
    rows = zip(*training.row_codes.tolist(), training.row_labels.tolist(), strict=True)
    own = [(each.prediction, str(each.rule), each.score, each.confidence) for each in left_out]
    return sorted(zip(rows, own, strict=True))


def draw_way(data, clf, rows, n_steps=3):
    """Add and forget rows at random; return those that are left."""
    for _ in range(data.draw(st.integers(1, n_steps))):
        if data.draw(st.booleans()) and len(rows) > len(PINNED):
            gone = data.draw(st.sets(st.sampled_from(range(len(PINNED), len(rows))), min_size=1))
            clf.forget(*to_table([rows[at] for at in sorted(gone)]))
            rows = [row for at, row in enumerate(rows) if at not in gone]
        else:
            more = data.draw(batches)
            clf.partial_fit(*to_table(more))
            rows = rows + more
    return rows


@pytest.mark.parametrize("estimator", PLAIN + COUNTED, ids=str)
@bounded
@given(data=st.data())
def test_any_way_to_the_same_rows_gives_the_model_of_one_fit(estimator, data):
    """With all settings given, and the same schema."""
    rows = PINNED + data.draw(batches)
    clf = clone(estimator).fit(*to_table(rows))
    rows = draw_way(data, clf, rows)
    one = clone(estimator).fit(*to_table(rows))
    assert clf.schema_ == one.schema_
    assert say(clf) == say(one)


@pytest.fixture(scope="module", params=TUNED, ids=str)
def tuned(request):
    rng = np.random.default_rng(5)
    rows = [
        (*(values[at] for values, at in zip(CELLS.values(), chosen, strict=True)), "no")
        for chosen in zip(*(rng.integers(0, len(each), 60) for each in CELLS.values()), strict=True)
    ]
    rows = [(*row[:3], CLASSES[int((row[0] > 2) ^ (rng.random() < 0.2))]) for row in rows]
    rows = PINNED + rows
    clf = clone(request.param).fit(*to_table(rows))
    return pickle.dumps(clf), rows, say(clf)


@bounded
@given(data=st.data())
def test_any_way_to_the_same_rows_gives_the_same_tuned_model(tuned, data):
    content, rows, before = tuned
    first, second = pickle.loads(content), pickle.loads(content)
    left = draw_way(data, first, rows)
    # The other way: all that is gone at once, and all that came, in another order.
    gone, came = list(rows), []
    for row in left:
        gone.remove(row) if row in gone else came.append(row)
    if came:
        second.partial_fit(*to_table(data.draw(st.permutations(came))))
    if gone:
        second = pickle.loads(pickle.dumps(second)).forget(*to_table(gone))
    assert say(first) == say(second)
    assert second.drift_.n_added == len(came)
    assert second.drift_.n_forgotten == len(gone)
    assert first.setting_ == second.setting_
    if came:
        second.forget(*to_table(came))
    if gone:
        second.partial_fit(*to_table(gone))
    assert say(second) == before
    assert second.drift_.share == 0


@bounded
@given(data=st.data())
@pytest.mark.parametrize("estimator", PLAIN[:2], ids=str)
def test_new_categories_give_the_model_of_one_fit(estimator, data):
    """Also of a column that had two values, or one: then sets of values begin to differ."""
    known = data.draw(st.sampled_from([["a"], ["a", "b"]]))
    rows = [(*row[:1], known[at % len(known)], *row[2:]) for at, row in enumerate(PINNED)]
    clf, more = clone(estimator).fit(*to_table(rows)), data.draw(batches)
    more += [(0.0, kind, "x", "no") for kind in CELLS["kind"]]
    clf.partial_fit(*to_table(more))
    one = clone(estimator).fit(*to_table(rows + more))
    assert clf.schema_ == one.schema_
    assert say(clf) == say(one)


def test_settings_stay_until_they_are_tuned_again():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (200, 2)).astype(float)
    y = (X[:, 0] > 2).astype(int)
    clf = PersonalRuleClassifier(max_length=[1, 2], smoothing=[0.5, 50]).fit(X, y)
    chosen, schema = clf.tuning_.chosen, clf.schema_
    clf.partial_fit(X, (X[:, 1] > 2).astype(int)).forget(X, y)
    assert clf.tuning_.chosen == chosen
    assert (clf.drift_.n_added, clf.drift_.n_forgotten, clf.drift_.share) == (200, 200, 2.0)
    assert "200 rows added and 200 forgotten since" in str(clf.drift_)
    clf.retune()
    again = clone(clf).fit(X, (X[:, 1] > 2).astype(int))
    assert clf.drift_.is_back
    assert clf.schema_ == again.schema_ == schema
    assert clf.predict_proba(X).tolist() == again.predict_proba(X).tolist()


def test_retune_chooses_among_the_cuts_that_are_held():
    moments = pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(120), "h")
    X = pd.DataFrame({
        "age": np.arange(120) / 7, "when": moments,
        "grade": pd.Categorical(list("abc") * 40, list("cba"), ordered=True),
    })  # fmt: skip
    y = (np.arange(120) > 50).astype(int)
    clf = PersonalRuleClassifier(max_length=1).fit(X, y)
    before = clf.schema_
    clf.forget(X[40:], y[40:]).retune()
    for own, held in zip(clf.schema_.features, before.features, strict=True):
        assert (own.name, own.kind) == (held.name, held.kind)
        if hasattr(own, "cuts"):
            assert 0 < len(own.cuts) < len(held.cuts)
            assert set(own.cuts) <= set(held.cuts)
    assert clf.class_sizes_.tolist() == [40]
    assert "when" in str(clf.explain(X.iloc[[3]])[0].to_dict()) or clf.predict(X)[3] == 0


def test_confidence_stays_as_doubtful_as_tuning_was():
    """Tuning knows by how much it flatters itself; rows that come do not make it forget."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (150, 8)).astype(float)
    y = rng.integers(0, 2, 150)
    clf = PersonalRuleClassifier(look_alikes=False).fit(X, y)
    before = clf.leave_one_out().confidences.mean()
    clf.partial_fit(X[:1], y[:1])
    line = clf._fitted.growth.line
    assert line != (0.0, 1.0)
    plain = clf._fitted.growth
    assert abs(clf.leave_one_out().confidences.mean() - before) < 0.05
    assert plain.n_added == 1


def test_a_class_that_is_weighed_must_not_vanish():
    X, y = to_table([*PINNED, (0.0, "a", "x", "maybe")])
    clf = PersonalRuleClassifier(**FIXED, class_weight={"maybe": 3}).fit(X, y)
    before = say(clf)
    with pytest.raises(BadParameter, match="class_weight names the class 'maybe'"):
        clf.forget(X[-1:], y[-1:])
    assert say(clf) == before


def test_look_alikes_and_scorecards_go_on_with_one_class(tuned):
    content, rows, _ = tuned
    clf = pickle.loads(content)
    gone = [row for row in rows if row[-1] != "no"]
    clf.forget(*to_table(gone))
    assert clf.classes_.tolist() == ["no"]
    assert set(clf.predict(ASKED)) == {"no"}
    assert clf.predict_proba(ASKED).tolist() == [[1.0]] * len(ASKED)
    clf.partial_fit(*to_table(gone))
    assert clf.drift_.is_back
    assert say(clf) == tuned[2]


@pytest.mark.parametrize("method", ["partial_fit", "forget"])
@pytest.mark.parametrize(
    "estimator", [FPICClassifier(max_length=2), PLAIN[0], TUNED[4]], ids=["fpic", "one", "several"]
)
def test_ctrl_c_anywhere_changes_nothing(estimator, method):
    """An interrupt after each of some lines of the library leaves the model as it was."""
    rows = PINNED * 4
    more = [(0.0, "new" if method == "partial_fit" else "a", "x", "no")]
    fitted = clone(estimator).fit(*to_table(rows))
    state = lambda: (  # noqa: E731
        fitted.classes_, fitted.schema_, fitted._learned, fitted.class_sizes_.tolist(),
        fitted.predict_proba(ASKED).tolist(),
    )  # fmt: skip
    before = state()
    other = pickle.loads(pickle.dumps(fitted))
    n_lines = count_lines(lambda: getattr(other, method)(*to_table(more)))
    assert n_lines > 50
    for stop in [1, 2, *np.linspace(3, n_lines // 2, 12).astype(int).tolist()]:
        with pytest.raises(KeyboardInterrupt):
            count_lines(lambda: getattr(fitted, method)(*to_table(more)), stop)
        assert [a is b or a == b for a, b in zip(before, state(), strict=True)] == [True] * 5
    getattr(fitted, method)(*to_table(more))
    assert fitted.class_sizes_.sum() == len(rows) + (1 if method == "partial_fit" else -1)


def count_lines(call, stop=-1):
    """Call, and count the lines of the library that are run; interrupt after so many."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if "picrules/estimators" not in frame.f_code.co_filename.replace(os.sep, "/"):
            return None
        count += event == "line"
        if count == stop:
            raise KeyboardInterrupt
        return trace

    usual = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(usual)
    return count


def test_growing_goes_on_after_a_file(tuned, tmp_path):
    content, _, before = tuned
    more = [(99.0, "d", "x", "maybe"), (0.0, None, "y", "no")]
    straight = pickle.loads(content).partial_fit(*to_table(more))
    clf = pickle.loads(content)
    clf.save(tmp_path / "model.pic")
    for mmap in (False, True):
        clf = picrules.load(tmp_path / "model.pic", mmap=mmap)
        assert say(clf.partial_fit(*to_table(more))) == say(straight)
    clf.save(tmp_path / "grown.pic")
    clf = picrules.load(tmp_path / "grown.pic", mmap=True)
    assert str(clf.drift_) == str(straight.drift_)
    assert say(clf) == say(straight)
    clf.save(tmp_path / "again.pic")
    assert (tmp_path / "again.pic").read_bytes() == (tmp_path / "grown.pic").read_bytes()
    clf.forget(*to_table(more))
    assert clf.drift_.is_back
    assert clf.class_offset_.tolist() == before[3]
    with pytest.raises(BadTable, match="not among the training rows"):
        clf.forget(*to_table(more))


@pytest.fixture(scope="module")
def between():
    """A model in which rules tell the two leading classes apart, its table and what it says."""
    clf, X, y = between_leading()
    return pickle.dumps(clf), X, y


def tell(clf, X):
    return clf.predict_proba(X).tolist(), [str(each) for each in clf.explain(X)]


def test_pairs_of_classes_come_back_with_their_rows(between):
    """Pairs are kept by the classes that settings were chosen on, also where one has no row."""
    content, X, y = between
    clf, before = pickle.loads(content), pickle.loads(content)
    is_gone = y == "ash"
    clf.forget(X[is_gone], y[is_gone])
    assert clf.classes_.tolist() == ["beech", "cedar"]
    assert clf._model.members[-1].pairs == ((0, 1),)
    assert {*clf.predict(X)} == {"beech", "cedar"}
    clf = pickle.loads(pickle.dumps(clf))
    new = np.full(5, "aspen", object)  # first of all classes: the numbers of the others change
    clf.partial_fit(X[:5], new)
    assert clf._model.members[-1].pairs == ((1, 2),)
    clf.forget(X[:5], new).partial_fit(X[is_gone], y[is_gone])
    assert clf._model.members[-1].pairs == ((0, 1), (0, 2), (1, 2))
    assert clf.drift_.is_back
    assert tell(clf, X) == tell(before, X)


def test_any_way_to_the_same_rows_gives_the_same_rules_between_classes(between):
    content, X, y = between
    first, second = pickle.loads(content), pickle.loads(content)
    more, own = X.iloc[:40].copy(), np.roll(y[:40], 1)
    first.partial_fit(more, own).forget(X[200:], y[200:])
    second.forget(X[220:], y[220:]).partial_fit(more[20:], own[20:])
    second.forget(X[200:220], y[200:220]).partial_fit(more[:20], own[:20])
    assert tell(first, X) == tell(second, X)
    left = [str(each) for each in first.leave_one_out()]
    assert sorted(left) == sorted(str(each) for each in second.leave_one_out())
