"""Tables with a known answer."""

import numpy as np
import pandas as pd


def two_rules(n_rows, seed=0):
    """Positive where (a = x and b = x) or c = x; the other features say nothing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {name: rng.choice(["x", "y", "z"], n_rows) for name in "abcde"} | {"n": rng.random(n_rows)}
    )
    is_positive = ((X["a"] == "x") & (X["b"] == "x")) | (X["c"] == "x")
    return X, np.where(is_positive, "yes", "no").astype(object)


def three_classes(n_rows, seed=0):
    """One class a value of the feature a."""
    X, _ = two_rules(n_rows, seed)
    return X, X["a"].map({"x": "low", "y": "middle", "z": "high"}).to_numpy(object)
