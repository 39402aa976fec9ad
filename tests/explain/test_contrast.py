"""The best rule for every other class, against a search that looks at every single rule."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from tests import reference
from tests.tables import coded_tables


def best_by_class(table, query, alpha, depth):
    """For each class the best score, and the first features that have it."""
    sizes = reference.class_sizes(table.labels.tolist(), table.n_classes)
    known = [f for f, value in enumerate(query) if value is not None]
    best = {}
    for length in range(1, depth + 1):
        for features in combinations(known, length):
            counts = reference.class_counts(
                table.rows, table.labels.tolist(), table.n_classes, query, features
            )
            for label, hits in enumerate(counts):
                if hits:
                    value = reference.score(hits, sum(counts), sizes[label], alpha)
                    if value > best.get(label, (0.0,))[0]:
                        best[label] = (value, features, counts)
    return best


@settings(max_examples=60)
@given(coded_tables(max_rows=60), st.sampled_from([0.0, 0.5, 0.9, 1.0]), st.booleans())
def test_contrast_is_the_best_rule_of_each_other_class(table, alpha, is_greedy):
    kind = PICClassifier if is_greedy else FPICClassifier
    clf = kind(alpha=alpha, max_length=3, categorical_features=range(len(table.codes)))
    X = np.where(table.codes < 0, None, table.codes).T.astype(object)
    queries = np.where(table.queries < 0, None, table.queries).T.astype(object)
    clf.fit(X, table.labels)
    for query, explanation in zip(queries.tolist(), clf.explain(queries), strict=True):
        depth = min(explanation.rule.length + 1, 3) if is_greedy else 3
        seen = [
            None if value not in set(table.codes[f].tolist()) else value
            for f, value in enumerate(query)
        ]
        expected = best_by_class(table, seen, alpha, depth)
        expected.pop(explanation.prediction, None)
        found = {other.rule.label: other for other in explanation.contrast}
        assert set(found) == set(expected)
        for label, (value, features, counts) in expected.items():
            other = found[label]
            assert other.score == value
            assert [c.feature for c in other.rule.conditions] == [f"x{f}" for f in features]
            assert list(other.class_counts.values()) == counts
            assert other.score <= explanation.score or explanation.rule.length == 0
        values = [other.value for other in explanation.contrast]
        assert values == sorted(values, reverse=True)


def test_contrast_leaves_the_row_itself_out_where_its_explanation_does(rng):
    X = rng.integers(0, 4, (60, 3)).astype(float)
    y = np.where(rng.random(60) < 0.8, X[:, 0] > 1, rng.random(60) < 0.5).astype(int)
    settled = {"cuts": 4, "max_length": 2, "alpha": 0.5, "smoothing": 1.0, "subsets": False}
    clf = PersonalRuleClassifier(**settled, class_offset=False, min_cover=1).fit(X, y)
    explanations = clf.leave_one_out()
    for row, explanation in enumerate(explanations):
        for other in explanation.contrast:
            covered = clf.cover(other.rule, X)
            covered[row] = False
            counts = np.bincount(y[covered], minlength=2)
            assert list(other.class_counts.values()) == counts.tolist()


@pytest.mark.parametrize("n_rows", [1, 1500])
def test_contrast_of_many_rows_is_that_of_each(n_rows, rng):
    X = rng.integers(0, 5, (200, 4)).astype(float)
    clf = FPICClassifier(max_length=2).fit(X, rng.integers(0, 3, 200))
    queries = rng.integers(0, 5, (n_rows, 4)).astype(float)
    together = [explanation.contrast for explanation in clf.explain(queries)]
    for row in {0, n_rows // 2, n_rows - 1}:
        (alone,) = clf.explain(queries[[row]])
        assert together[row] == alone.contrast
