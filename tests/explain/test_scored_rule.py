import numpy as np

from picrules import FPICClassifier


def test_middle_of_the_interval_is_too_high_for_rules_that_were_picked(rng):
    """The classes are tossed, so that every rule is right for half of all new rows."""
    X, y = rng.integers(0, 2, (200, 6)).astype(str), rng.integers(0, 2, 200)
    explanations = FPICClassifier(max_length=2).fit(X, y).explain(X)
    picked = {explanation.rule: explanation for explanation in explanations}.values()
    assert len(picked) > 5
    middles = np.array([np.mean(explanation.interval) for explanation in picked])
    assert np.mean(middles > 0.5) > 0.9
