"""Weights of rows: the same model, to the bit, as the repeated rows give."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.encoding.tables import take_rows
from picrules.errors import BadParameter
from picrules.persist.save import to_array
from tests.examples import FEWER
from tests.persist.models import classes, table

ESTIMATORS = [
    PICClassifier(),
    PICClassifier(engine="bitmap", bins=3),
    FPICClassifier(max_length=2, engine="table"),
    FPICClassifier(max_length=2, engine="bitmap"),
    FPICClassifier(max_length=2, keep_rows=False),
    PersonalRuleClassifier(cuts=3, max_length=2, alpha=1, smoothing=1, look_alikes=False),
    PersonalRuleClassifier(cuts=3, max_length=[1, 2], smoothing=[1, 5], look_alikes=False),
    PersonalRuleClassifier(cuts=3, max_length=1, alpha=1, smoothing=1, engine="bitmap", n_rules=2),
    PersonalRuleClassifier(cuts=3, max_length=2, alpha=1, smoothing=1, keep_rows=False),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@FEWER
@given(data=st.data())
def test_weights_give_the_model_of_the_repeated_rows(estimator, data):
    """As the content of the same model file."""
    X = table(data.draw(st.integers(1, 25)), seed=data.draw(st.integers(0, 99)))
    y = classes(X)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X))))
    weights[0] += weights.sum() == 0
    rows = np.repeat(np.arange(len(X)), weights)
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).fit(X.iloc[rows], y[rows])
    assert bytes(to_array(weighted)) == bytes(to_array(repeated))


@pytest.mark.parametrize("make", [np.array, list, pd.Series, lambda each: np.array(each, float)])
def test_whole_numbers_of_any_type_are_weights(make):
    X, y = [["a"], ["b"], ["b"]], ["no", "yes", "no"]
    fitted = FPICClassifier().fit(X, y, sample_weight=make([2, 3, 0]))
    assert fitted.class_sizes_.tolist() == [2, 3]
    assert fitted.explain([["b"]])[0].class_counts == {"no": 0, "yes": 3}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
def test_rows_without_weight_are_not_there(library):
    """Kinds of columns depend on what there is: text in a row that does not count is none."""
    cells = np.array([[1.0, "a"], [2.0, "b"], [3.0, "a"], ["x", "c"]], object)
    X = cells
    if library != "numpy":
        texts = {"size": ["1", "2", "3", "x"], "kind": list("abac")}
        X = pd.DataFrame(texts)
        if library != "pandas":
            X = pytest.importorskip(library).DataFrame(texts) if library == "polars" else (
                pytest.importorskip("pyarrow").table(texts)
            )  # fmt: skip
    fitted = FPICClassifier().fit(X, [0, 1, 0, 2], sample_weight=[1, 1, 1, 0])
    expected = FPICClassifier().fit(take_rows(X, np.arange(3)), [0, 1, 0])
    assert fitted.schema_ == expected.schema_
    assert fitted.classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, 0.5, 1], r"sample_weight is 0\.5 in row 1; whole numbers from 0, one per row"),
        ([1, 1, -1], "sample_weight is -1 in row 2"),
        ([np.nan, 1, 1], "sample_weight is nan in row 0"),
        ([np.inf, 1, 1], "sample_weight is inf in row 0"),
        (["a", "b", "c"], "sample_weight is 'a' in row 0"),
        ([True, True, False], "sample_weight is True in row 0"),
        ([1, 1], r"has the shape \(2,\), and X has 3 rows"),
        ([[1], [1], [1]], r"has the shape \(3, 1\)"),
        (2, r"has the shape \(\)"),
        ([0, 0, 0], "sample_weight is zero in every row"),
        ([2**31 - 1, 1, 1], "adds up to 2147483649 rows"),
    ],
)
def test_other_weights_are_refused_with_a_sentence(weights, said):
    estimator = FPICClassifier()
    with pytest.raises(BadParameter, match=said):
        estimator.fit([["a"], ["b"], ["c"]], [0, 1, 1], sample_weight=weights)
    assert not hasattr(estimator, "classes_")
