"""The covered training rows, against the printed rule held against the table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from picrules import Explanation, FPICClassifier, PersonalRuleClassifier, PICClassifier, Rule
from picrules.errors import BadParameter, BadTable, NoTrainingRows

ESTIMATORS = [
    PICClassifier(),
    FPICClassifier(max_length=2, bins=3),
    PersonalRuleClassifier(cuts=4, max_length=2, alpha=0.5, smoothing=1.0),
]


@pytest.fixture
def table(rng):
    n_rows = 120
    table = pd.DataFrame(
        {
            "age": rng.normal(40, 12, n_rows).round(),
            "job": rng.choice(["clerk", "cook", None], n_rows),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n_rows), ["S", "M", "L"], True),
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 999, n_rows), "D"),
        }
    )
    table.loc[rng.random(n_rows) < 0.2, "age"] = np.nan
    return table


@pytest.fixture
def target(table, rng):
    is_old = (table["age"] > 42) ^ (rng.random(len(table)) < 0.2)
    return np.where(is_old, "old", np.where(table["size"] == "L", "large", "other"))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_evidence_is_what_the_rule_covers(estimator, table, target):
    clf = estimator.fit(table, target)
    for explanation in clf.explain(table[:30]):
        evidence = explanation.evidence
        covered = np.flatnonzero(clf.cover(explanation.rule, table))
        assert sorted(evidence.rows.tolist()) == covered.tolist()
        assert len(evidence.rows) == explanation.cover_size
        assert len(evidence.supporting) == explanation.hits
        assert (target[evidence.supporting] == explanation.prediction).all()
        assert (target[evidence.contradicting] != explanation.prediction).all()
        assert evidence.classes == target[evidence.rows].tolist()
        assert (np.diff(evidence.distances) >= 0).all()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_a_training_row_is_nearest_to_itself(estimator, table, target):
    clf = estimator.fit(table, target)
    for row, explanation in enumerate(clf.explain(table)):
        evidence = explanation.evidence
        assert row in evidence.rows[evidence.distances == 0]


def test_distance_counts_what_differs():
    table = pd.DataFrame({"n": [0.0, 1, 2, 3, 4, np.nan], "c": list("aabbab")})
    clf = FPICClassifier(bins=5).fit(table, [0] * 6)
    query = pd.DataFrame({"n": [0.0], "c": ["a"]})
    (explanation,) = clf.explain(query)
    everybody = explanation.source[0].find_evidence(Rule((), 0), 0)
    expected = {0: 0.0, 1: 0.25 / 2, 2: 1.5 / 2, 3: 1.75 / 2, 4: 1.0 / 2, 5: 1.0}
    assert dict(zip(everybody.rows.tolist(), everybody.distances, strict=True)) == expected


def test_left_out_row_is_no_evidence(table, target):
    clf = ESTIMATORS[2].fit(table, target)
    for row, explanation in enumerate(clf.leave_one_out()):
        assert row not in explanation.evidence.rows
        assert len(explanation.evidence.rows) == explanation.cover_size


def test_values_are_the_covered_rows_of_the_table(table, target):
    clf = PICClassifier().fit(table, target)
    evidence = clf.explain(table[:1])[0].evidence
    pd.testing.assert_frame_equal(evidence.values(table), table.iloc[evidence.rows])
    assert repr(evidence).startswith(f"<{len(evidence.rows)} training rows, ")
    with pytest.raises(BadTable, match="X has 119 rows; the training table, with 120, is"):
        evidence.values(table[1:])
    ages = pl.DataFrame({"age": table["age"].to_numpy()})
    assert evidence.values(ages)["age"].equals(ages["age"][evidence.rows.tolist()])
    array = table["age"].to_numpy()[:, np.newaxis]
    np.testing.assert_array_equal(evidence.values(array), array[evidence.rows])


def test_explanations_and_rules_with_numbers_are_values(table, target):
    clf = PICClassifier().fit(table, target)
    first, again = clf.explain(table)[0], clf.explain(table)[0]
    assert len({first, again}) == 1
    (other, *_) = first.contrast
    assert str(other).startswith(f"{other.rule} ({other.hits} of {other.cover_size}, precision ")
    assert len({other, again.contrast[0]}) == 1


def test_explanation_made_by_hand_says_that_it_has_no_rows():
    alone = Explanation(Rule((), "a"), 1.0, {"a": 1}, {"a": 1})
    with pytest.raises(NoTrainingRows, match="made by hand"):
        alone.evidence  # noqa: B018


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frame_has_one_row_an_explanation(library, table, target):
    explanations = ESTIMATORS[2].fit(table, target).explain(table[:20])
    frame = explanations.to_frame(library)
    assert type(frame).__module__.split(".")[0] == library
    column = frame["rule"].to_pylist() if library == "pyarrow" else frame["rule"].to_list()
    assert column == [str(explanation.rule) for explanation in explanations]


def test_frame_of_another_library_is_refused(table, target):
    explanations = PICClassifier().fit(table, target).explain(table[:2])
    with pytest.raises(BadParameter, match="library is 'excel'; pandas, polars, pyarrow"):
        explanations.to_frame("excel")
