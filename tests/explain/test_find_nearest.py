import numpy as np
import pytest

from picrules import FPICClassifier
from picrules.explain.evidence import find_nearest


@pytest.mark.parametrize("n_nearest", [1, 5, 1000])
def test_nearest_rows_of_many_are_those_of_each(n_nearest, rng):
    X = rng.integers(0, 4, (150, 5)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    fitted = FPICClassifier(max_length=2).fit(X, rng.integers(0, 2, 150))
    explanations = fitted.explain(X[:40])
    rule = explanations[0].rule
    rows, distances = find_nearest(fitted._model, rule, explanations.cases.codes, n_nearest)
    for row in range(40):
        evidence = explanations.cases.find_evidence(rule, row)
        assert rows[row].tolist() == evidence.rows[:n_nearest].tolist()
        assert distances[row].tolist() == evidence.distances[:n_nearest].tolist()
