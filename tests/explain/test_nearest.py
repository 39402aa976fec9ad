import numpy as np
import pytest

from picrules import FPICClassifier
from picrules.explain.nearest import find_nearest


@pytest.mark.parametrize("n_nearest", [1, 5, 1000])
def test_nearest_rows_of_many_are_those_of_each(n_nearest, rng):
    X = rng.integers(0, 4, (150, 5)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    fitted = FPICClassifier(max_length=2).fit(X, rng.integers(0, 2, 150))
    explanations = fitted.explain(X[:40])
    rule = explanations[0].rule
    rows, distances = find_nearest(fitted._model, rule, explanations.asked.codes, n_nearest)
    for place in range(40):
        evidence = explanations.find_evidence(rule, place)
        assert rows[place].tolist() == evidence.rows[:n_nearest].tolist()
        assert distances[place].tolist() == evidence.distances[:n_nearest].tolist()
