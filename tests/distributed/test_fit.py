"""Lazy frames of every kind give the models that tables in memory give."""

import polars as pl
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.errors import BadParameter, BadTable, BadTarget
from tests.distributed.frames import LAZY, awkward, open_kind, to_pandas

ESTIMATORS = [
    FPICClassifier(),
    PICClassifier(bins={"age": 7, "seen": 3}, categorical_features=["count", "smokes"]),
    FPICClassifier(bins=300, max_length=1),
    PersonalRuleClassifier(max_length=2, cuts=8),
]


@pytest.fixture(scope="module", params=LAZY)
def to_lazy(request):
    with open_kind(request.param) as convert:
        yield convert


def rules_of(clf, table):
    return [(str(one), one.class_counts) for one in clf.explain(table.drop(["state"]))]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_a_lazy_frame_gives_the_model_of_its_rows(estimator, to_lazy):
    table = awkward()
    expected = estimator.fit(to_pandas(table), "state")
    schema, rules = expected.schema_, rules_of(expected, table)
    lazy = estimator.fit(to_lazy(table), "state")
    assert lazy.schema_ == schema
    assert lazy.class_sizes_.sum() == 240
    assert lazy.feature_names_in_.tolist() == table.column_names[:-1]
    assert rules_of(lazy, table) == rules


def test_a_failed_fit_changes_nothing(to_lazy):
    table = awkward()
    clf = FPICClassifier().fit(to_lazy(table), "state")
    before = rules_of(clf, table)
    with pytest.raises(BadTarget, match="the column 'town' is missing in 21 rows"):
        clf.fit(to_lazy(table), "town")
    with pytest.raises(BadTarget, match="X has 0 columns 'income'; its columns are age, dose"):
        clf.fit(to_lazy(table), "income")
    with pytest.raises(BadTable, match="0 sample"):
        clf.fit(to_lazy(table.slice(0, 0)), "state")
    assert rules_of(clf, table) == before


def test_what_a_lazy_frame_cannot_have_is_refused():
    frame = pl.LazyFrame({"x": [1.0, 2.0], "y": ["a", "b"]})
    with pytest.raises(BadTarget, match="y is a list, and X a lazy LazyFrame"):
        FPICClassifier().fit(frame, ["a", "b"])
    with pytest.raises(BadParameter, match="sample_weight is given with a lazy X"):
        FPICClassifier().fit(frame, "y", sample_weight=[1, 1])
    with pytest.raises(BadTable, match="0 feature"):
        FPICClassifier().fit(frame.select("y"), "y")
    with pytest.raises(BadTable, match="column 'x' holds inf"):
        FPICClassifier().fit(pl.LazyFrame({"x": [1.0, float("inf")], "y": ["a", "b"]}), "y")
