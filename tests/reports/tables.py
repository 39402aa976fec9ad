"""Small tables for the tests of reports."""

import numpy as np
import pandas as pd


def people(n_rows=120, seed=3):
    """A number, a date, two categories and a class that mostly follows them; some gaps."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n_rows).astype(float)
    colour = rng.choice(["red", "green", "blue"], n_rows).astype(object)
    y = np.where((age > 50) | (colour == "red"), "yes", "no").astype(object)
    y[rng.random(n_rows) < 0.15] = "maybe"
    age[rng.random(n_rows) < 0.1] = np.nan
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n_rows), "D")
    X = pd.DataFrame({"age": age, "colour": colour, "day": day, "zip": rng.integers(0, 9, n_rows)})
    return X, y


def doubtful(X):
    """The table with a value that training never saw, and a row that no rule covers."""
    X = X.copy()
    X.loc[X.index[1], "colour"] = "ultraviolet"
    X.loc[X.index[2]] = [np.nan, None, pd.NaT, np.nan]
    return X
