"""Every mistake gets one clear sentence, and changes nothing."""

import numpy as np
import pandas as pd
import pytest

from picrules import FPICClassifier, PICClassifier, PicrulesError, parse_rule
from picrules.errors import BadCell, BadParameter, BadRule, BadTable, BadTarget, NotEnoughMemory

X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["u", "v", "u"]})
Y = ["no", "yes", "no"]


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("alpha", 1.5, "alpha is 1.5; a number from 0 to 1"),
        ("alpha", -0.1, "alpha is -0.1"),
        ("alpha", float("nan"), "alpha is nan"),
        ("alpha", "high", "alpha is 'high'"),
        ("alpha", True, "alpha is True"),
        ("max_length", 0, "max_length is 0; a whole number from 1"),
        ("max_length", 2.5, "max_length is 2.5"),
        ("bins", 0, "bins is 0; a whole number from 1"),
        ("bins", "many", "bins is 'many'"),
        ("bins", {"a": 0}, r"bins\['a'\] is 0"),
        ("bins", {"z": 3}, "bins names the column 'z'; the table has 2 columns: a, b"),
        ("categorical_features", "a", "categorical_features is 'a'"),
        ("categorical_features", ["z"], "names the column 'z'"),
        ("categorical_features", [5], "names the column 5"),
        ("categorical_features", [True], "1 booleans; one for each of the 2"),
        ("engine", "gpu", r"engine is 'gpu'; one of \['auto', 'table', 'bitmap'\]"),
        ("engine", None, "engine is None"),
        ("memory_limit", -1, "memory_limit is -1"),
        ("memory_limit", "1GB", "memory_limit is '1GB'"),
        ("n_jobs", 0, "n_jobs is 0"),
        ("n_jobs", "two", "n_jobs is 'two'"),
        ("verbose", "much", "verbose is 'much'"),
        ("bins", 10**12, "bins is 1000000000000; a whole number from 1 to 1048576"),
        ("categorical_features", [[1], [1, 2]], "categorical_features is"),
    ],
)
@pytest.mark.parametrize("estimator", [PICClassifier, FPICClassifier])
def test_bad_parameters_are_refused_at_fit(estimator, name, value, part):
    with pytest.raises(BadParameter, match=part):
        estimator(**{name: value}).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "part"),
    [
        (None, "y is None"),
        (["no", "yes"], "X has 3 rows and y has 2"),
        ([0.1, 0.2, 0.7], "continuous"),
        ([[0, 1], [1, 0], [1, 1]], "1d array"),
        (["no", None, "yes"], "y holds None in row 1"),
        ([1.0, float("nan"), 2.0], "NaN"),
        (np.array(["no", 1, "yes"], object), "not supported between|mix"),
    ],
)
def test_bad_targets_are_refused(y, part):
    with pytest.raises(BadTarget, match=part):
        PICClassifier().fit(X, y)


def test_all_errors_are_of_one_family():
    for error in (BadCell, BadParameter, BadRule, BadTable, BadTarget, NotEnoughMemory):
        assert issubclass(error, PicrulesError)


def test_a_failed_fit_leaves_the_estimator_as_it_was():
    fitted = PICClassifier().fit(X, Y)
    before = list(fitted.explain(X))
    with pytest.raises(BadTarget):
        fitted.fit(X.rename(columns={"a": "c"}), ["no"])
    with pytest.raises(BadCell):
        fitted.fit(pd.DataFrame({"a": [{}], "q": [1]}), ["no"])
    assert list(fitted.explain(X)) == before
    assert fitted.feature_names_in_.tolist() == ["a", "b"]


def test_other_columns_are_answered_as_scikit_learn_does():
    fitted = PICClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="must be in the same order"):
        fitted.predict(X[["b", "a"]])
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing"):
        fitted.predict(X[["a"]])
    with pytest.raises(ValueError, match="is expecting 2 features"):
        PICClassifier().fit(X.to_numpy(), Y).predict([[1]])


def test_a_table_that_does_not_fit_is_refused_before_anything_is_allocated():
    with pytest.raises(NotEnoughMemory, match="memory_limit allows 100 bytes; lower max_length"):
        FPICClassifier(memory_limit=100).fit(X, Y)
    with pytest.raises(NotEnoughMemory, match="column 'b' has 2"):
        FPICClassifier(engine="bitmap", memory_limit=50, bins=1).fit(X, Y)


def test_auto_leaves_the_engine_that_does_not_fit():
    rng = np.random.default_rng(0)
    X = rng.random((9, 3)).round(3)
    wide = FPICClassifier(memory_limit=1e5, bins=50).fit(X, [0, 1, 2] * 3)
    assert wide.engine_ == "bitmap"
    assert "the table engine would take" in str(wide.plan_)


def test_very_wide_tables_are_planned():
    """The size of the table over all features was larger than a float."""
    X = np.random.default_rng(0).random((20, 1200))
    fitted = PICClassifier().fit(X, [0, 1] * 10)
    assert fitted.predict(X).tolist() == [0, 1] * 10


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        ("if zz = 1 then no", "'zz = 1' speaks of 'zz'; the table has a, b"),
        ("if b <= 3 then no", "'b <= 3' does not fit the column 'b', which holds categories"),
        ("if a = 3 then no", "'a = 3' does not fit the column 'a', which holds numbers"),
        ("if a > 2020-01-01 then no", "does not fit the column 'a', which holds numbers"),
    ],
)
def test_a_rule_that_does_not_fit_the_table_is_refused(rule, part):
    with pytest.raises(BadRule, match=part):
        PICClassifier().fit(X, Y).cover(parse_rule(rule), X)


def test_the_text_of_a_rule_is_no_rule():
    with pytest.raises(BadRule, match="parse_rule makes one"):
        PICClassifier().fit(X, Y).cover("if a <= 3 then no", X)
