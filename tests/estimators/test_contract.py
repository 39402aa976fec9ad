"""The contract of every estimator, on real kinds of tables."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier, parse_rule
from tests import reference

PAPER = [PICClassifier(), FPICClassifier()]
# With one setting for everything that tables of a few rows cannot tell.
PERSONAL = PersonalRuleClassifier(alpha=0.9, smoothing=1, cuts=5, min_cover=1)
each_of_the_paper = pytest.mark.parametrize("estimator", PAPER, ids=str)
each_estimator = pytest.mark.parametrize("estimator", [*PAPER, PERSONAL], ids=str)
CLASSES = ["ham", "jam", "spam"]


def mixed_frame(rng, n_rows):
    """Numbers, texts, booleans, dates and categoricals, with missing cells."""
    frame = pd.DataFrame(
        {
            "mean size": rng.normal(size=n_rows).round(2),
            "colour": rng.choice(["red", "blue", "<0", "if"], n_rows),
            "is_new": rng.random(n_rows) < 0.5,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, n_rows), "D"),
            "grade": pd.Categorical(rng.choice(list("ABC"), n_rows), list("CBA"), ordered=True),
        }
    )
    for name in ("mean size", "colour", "day"):
        frame.loc[rng.random(n_rows) < 0.1, name] = None
    y = np.where(frame["mean size"] > 0.5, "ham", np.where(frame["is_new"], "jam", "spam"))
    y[rng.random(n_rows) < 0.2] = "spam"
    return frame, y


@each_estimator
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(3, 80))
def test_printed_rule_selects_the_rows_that_were_counted(estimator, seed, n_rows):
    X, y = mixed_frame(np.random.default_rng(seed), n_rows)
    fitted = clone(estimator).set_params(max_length=2).fit(X, y)
    rows = X.iloc[:3]
    for position, explanation in enumerate(fitted.explain(rows)):
        rule = parse_rule(str(explanation.rule))
        assert rule == explanation.rule
        if rule.length:
            assert fitted.cover(rule, rows)[position]
        covered = y[fitted.cover(rule, X)]
        counts = {name: int((covered == name).sum()) for name in fitted.classes_}
        assert counts == explanation.class_counts
        assert len(covered) == explanation.cover_size
        hits, size = counts[explanation.prediction], int((y == explanation.prediction).sum())
        assert explanation.precision == hits / len(covered)
        assert explanation.recall == hits / size
        if not isinstance(estimator, PersonalRuleClassifier):
            assert explanation.score == reference.score(hits, len(covered), size, fitted.alpha)


@each_estimator
def test_predict_explain_and_predict_proba_agree(estimator, rng):
    X, y = mixed_frame(rng, 300)
    fitted = clone(estimator).set_params(alpha=0.4).fit(X, y)
    X_new = mixed_frame(rng, 100)[0]
    predicted = fitted.predict(X_new)
    explanations = fitted.explain(X_new)
    probabilities = fitted.predict_proba(X_new)
    assert len(explanations) == 100
    assert [explanation.prediction for explanation in explanations] == predicted.tolist()
    assert [explanation.rule.label for explanation in explanations] == predicted.tolist()
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert fitted.classes_[probabilities.argmax(axis=1)].tolist() == predicted.tolist()


@each_estimator
def test_every_kind_of_frame_gives_the_same_explanations(estimator, rng):
    X, y = mixed_frame(rng, 200)
    arrow = pa.Table.from_pandas(X, preserve_index=False)
    polars = pl.from_arrow(arrow.cast(_plain_dictionaries(arrow.schema)))
    tables = [X, arrow, polars.with_columns(pl.col("grade").cast(pl.Enum(list("CBA"))))]
    texts = [
        [str(explanation) for explanation in clone(estimator).fit(table, y).explain(table)]
        for table in tables
    ]
    assert texts[0] == texts[1] == texts[2]


def _plain_dictionaries(schema):
    return pa.schema(
        [
            field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field
            for field in schema
        ]
    )


@each_estimator
@pytest.mark.parametrize("engine", ["table", "bitmap"])
def test_threads_engines_and_row_order_change_nothing(estimator, engine, rng):
    X, y = mixed_frame(rng, 300)
    order = rng.permutation(300)
    plain = clone(estimator).fit(X, y)
    other = clone(estimator).set_params(engine=engine, n_jobs=2).fit(X.iloc[order], y[order])
    assert other.engine_ == engine
    assert list(other.explain(X)) == list(plain.explain(X))


@each_estimator
def test_predictions_do_not_depend_on_the_rows_beside_them(estimator, rng):
    X, y = mixed_frame(rng, 200)
    fitted = clone(estimator).fit(X, y)
    together = list(fitted.explain(X[:20]))
    assert [fitted.explain(X[row : row + 1])[0] for row in range(20)] == together


@each_estimator
def test_one_class(estimator):
    fitted = clone(estimator).fit([[1.0], [2.0]], ["only", "only"])
    (explanation,) = fitted.explain([[1.5]])
    assert explanation.prediction == "only"
    assert explanation.precision == 1
    assert fitted.predict_proba([[1.5]]).tolist() == [[1.0]]


@each_of_the_paper
def test_one_row(estimator):
    fitted = clone(estimator).fit([["a", 3.0]], [True])
    (explanation,) = fitted.explain([["a", 9.0]])
    assert str(explanation.rule) == "if x0 = a then True"
    assert explanation.score == 1


@each_of_the_paper
def test_all_missing_columns_never_appear_in_a_rule(estimator):
    X = np.array([[np.nan, 1.0], [np.nan, 2.0]])
    fitted = clone(estimator).fit(X, [0, 1])
    explanation = fitted.explain([[5.0, 2.0]])[0]
    assert str(explanation.rule) == "if x1 > 1.8 then 1"


@each_estimator
@pytest.mark.parametrize("cell", [None, "unseen"])
def test_a_row_that_no_rule_covers_gets_the_empty_rule(estimator, cell):
    fitted = clone(estimator).fit([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
    (explanation,) = fitted.explain(np.array([[cell]], object))
    assert explanation.rule.length == 0
    assert explanation.prediction == "yes"
    assert explanation.class_counts == {"no": 1, "yes": 2}
    assert (explanation.precision, explanation.recall) == (2 / 3, 1)
    assert "no rule covers this row" in str(explanation)
    assert fitted.predict(np.array([[cell]], object)).tolist() == ["yes"]


def test_ties_go_to_fewer_conditions_then_earlier_columns():
    X = [["a", "c", "e"], ["a", "c", "e"], ["b", "d", "f"], ["b", "d", "f"]]
    fitted = FPICClassifier().fit(X, [0, 0, 1, 1])
    assert str(fitted.explain([["z", "c", "e"]])[0].rule) == "if x1 = c then 0"


def test_tied_classes_go_to_the_more_frequent_then_the_first():
    X = [["a"], ["a"], ["b"], ["b"], ["c"]]
    assert PICClassifier(alpha=1.0).fit(X, [0, 1, 1, 0, 1]).predict([["a"]]).tolist() == [1]
    assert PICClassifier(alpha=1.0).fit(X[:4], [0, 1, 1, 0]).predict([["a"]]).tolist() == [0]


def test_pic_stops_where_fpic_goes_on():
    """An exclusive or: no single condition helps, and no pair with alpha that low on recall."""
    X = [[a, b, c] for a in "uv" for b in "uv" for c in "uv"]
    y = [(a == "u") ^ (b == "u") ^ (c == "u") for a, b, c in X]
    assert PICClassifier(alpha=0.9).fit(X, y).explain([X[0]])[0].rule.length == 1
    assert FPICClassifier(alpha=0.9).fit(X, y).explain([X[0]])[0].rule.length == 3


def test_bins_and_categories_by_column():
    X = pd.DataFrame({"a": [0.0, 6, 12, 1], "b": [1, 2, 3, 4], "c": [0.0, 4, 8, 12]})
    fitted = PICClassifier(bins={"a": 3, 2: 2}, categorical_features=["b"]).fit(X, [0, 1, 0, 1])
    a, b, c = fitted.schema_.features
    assert (a.cuts, b.categories, c.cuts) == ((4, 8), (1, 2, 3, 4), (6,))
    mask = PICClassifier(categorical_features=[False, True, False]).fit(X, [0, 1, 0, 1])
    assert mask.schema_.features[1] == b
    default = PICClassifier(bins={"a": 3}, categorical_features=None).fit(X, [0, 1, 0, 1])
    assert len(default.schema_.features[2].cuts) == 4


def test_explanations_are_a_sequence():
    fitted = FPICClassifier().fit([["a"], ["b"]], [0, 1])
    explanations = fitted.explain([["a"], ["b"], ["a"]])
    assert [explanation.prediction for explanation in explanations[1:]] == [1, 0]
    assert explanations[-1] == explanations[0]
    assert repr(explanations) == "<3 explanations>"
    assert str(explanations).count("because") == 3
    with pytest.raises(IndexError):
        explanations[3]


def test_explanations_are_values_of_their_own():
    """They looked at the estimator, so a second fit changed them and they could not be pickled."""
    fitted = FPICClassifier().fit([["a"], ["b"]], ["no", "yes"])
    explanations = fitted.explain([["a"], ["b"]])
    copy = pickle.loads(pickle.dumps(explanations))
    text = str(explanations)
    fitted.fit([[1.0], [2.0], [3.0]], ["p", "q", "q"])
    assert str(explanations) == text
    assert explanations == copy
    assert explanations != explanations[:1]


def test_progress_is_shown_on_stderr_when_asked(capfd):
    fitted = PICClassifier(verbose=1).fit([["a"], ["b"]], ["no", "yes"])
    assert fitted.predict([["a"], ["b"], ["a"]]).tolist() == ["no", "yes", "no"]
    shown = capfd.readouterr()
    assert "3/3" in shown.err
    assert shown.out == ""
