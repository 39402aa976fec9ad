import numpy as np
import pytest

from picrules import FPICClassifier, PICClassifier


@pytest.mark.parametrize("estimator", [FPICClassifier(), PICClassifier()], ids=str)
def test_distinct_explanations_stand_for_all(estimator, rng):
    X = rng.integers(0, 3, (80, 4)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:3] = np.nan
    fitted = estimator.fit(X, rng.integers(0, 3, 80))
    explanations = fitted.explain(X)
    distinct, places = explanations.distinct()
    assert [distinct[place] for place in places] == list(explanations)
    assert len({str(explanation) for explanation in distinct}) == len(distinct)
    assert distinct[places[0]].rule.length == 0


def test_one_row_has_one_explanation():
    fitted = FPICClassifier().fit([["a"], ["b"]], [0, 1])
    for cell in ("a", None):
        distinct, places = fitted.explain(np.array([[cell]], object)).distinct()
        assert len(distinct) == 1
        assert places.tolist() == [0]
