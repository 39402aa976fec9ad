"""Same question, same answer: whatever the order of the training rows, the threads, the process."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier

ESTIMATORS = [
    lambda: PICClassifier(alpha=0.7),
    lambda: FPICClassifier(max_length=3, bins=4),
    lambda: PersonalRuleClassifier(max_length=2, cuts=[3, 5]),
]


def make_table(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(10, 90))
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 9, n_rows).astype(float),
            "b": rng.choice(["x", "y", "z"], n_rows),
            "c": rng.normal(0, 1, n_rows).round(1),
            "d": rng.integers(0, 2, n_rows),
        }
    )
    X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    y = np.where(rng.random(n_rows) < 0.7, X["a"] > 4, rng.random(n_rows) < 0.5).astype(int)
    y[:3] = [0, 1, 2]
    return X, y, rng


def tell(explanations, numbers):
    """All that is said, with the rows of the table named by numbers that stay with them."""
    told = [explanation.to_dict() for explanation in explanations]
    for one, explanation in zip(told, explanations, strict=True):
        del one["nearest"]  # equally near rows have no order but that of the table
        evidence = explanation.evidence
        one["evidence"] = sorted(
            zip(evidence.distances, evidence.classes, numbers[evidence.rows].tolist(), strict=True)
        )
    return told


@pytest.mark.parametrize("make", ESTIMATORS)
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_order_of_the_training_rows_does_not_matter(make, seed):
    X, y, rng = make_table(seed)
    order = rng.permutation(len(X))
    first = make().fit(X, y).explain(X)
    shuffled = make().fit(X.iloc[order], y[order]).explain(X)
    assert tell(first, np.arange(len(X))) == tell(shuffled, order)


@pytest.mark.parametrize("make", ESTIMATORS)
def test_threads_do_not_matter(make):
    X, y, _ = make_table(7)
    one = make().set_params(n_jobs=1).fit(X, y).explain(X)
    two = make().set_params(n_jobs=2).fit(X, y).explain(X)
    assert [e.to_dict() for e in one] == [e.to_dict() for e in two]


def tell_all():
    X, y, _ = make_table(11)
    return [[e.to_dict() for e in make().fit(X, y).explain(X)] for make in ESTIMATORS]


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_says_the_same(hash_seed):
    code = f"import json, runpy; print(json.dumps(runpy.run_path({__file__!r})['tell_all']()))"
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(printed.stdout) == tell_all()
