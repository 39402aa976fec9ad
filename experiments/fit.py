"""One fit of the study: a method on one fold of one repetition of one data set."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cache
from time import process_time
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from experiments.datasets import Dataset, load_dataset
from experiments.methods import METHODS, NotAvailable
from experiments.rivals.personal import Personal
from experiments.rivals.rule import RuleUse, mean_length

if TYPE_CHECKING:
    from experiments.rivals.rule import Rival

N_FOLDS = 5
GENE_TEST_ROWS = 30
KEEPS_RULES = ("mushroom",)  # data sets whose rules are stored, for the first repetition
ENGINES = ("table", "bitmap")  # of picrules; which is used depends on the table


@dataclass(frozen=True, slots=True, order=True)
class Task:
    """What is fitted; also the key of its row in the store."""

    dataset: str
    method: str
    repeat: int
    fold: int

    @property
    def seed(self) -> int:
        """The seed of the method: the same for all methods on one fold, other on every fold."""
        return crc32(f"{self.dataset} {self.repeat} {self.fold}".encode()) % 2**31


@dataclass(slots=True)
class Outcome:
    """What came of a fit: status is done, skipped, failed or late."""

    status: str
    accuracy: float | None = None
    n_rules: float | None = None
    length: float | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    note: str = ""
    rules: list[RuleUse] = field(default_factory=list)


def folds_of(dataset: str) -> int:
    """How many folds a repetition has; the gene table has one split with 30 test rows."""
    return 1 if dataset == "gene" else N_FOLDS


def split(data: Dataset, repeat: int, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Training and test rows, stratified by class; the same for all methods."""
    if data.name == "gene":
        splits = StratifiedShuffleSplit(1, test_size=GENE_TEST_ROWS, random_state=repeat)
    else:
        splits = StratifiedKFold(N_FOLDS, shuffle=True, random_state=repeat)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")  # nursery has one of 2 rows
        return list(splits.split(data.X, data.y))[fold]


def run_fit(task: Task) -> Outcome:
    """Fit and test a method; a method that fails is a result, not an end."""
    try:
        warm_up(task.method)
        return _measure(METHODS[task.method].make(task.dataset, task.seed), task)
    except NotAvailable as error:
        return Outcome("skipped", note=str(error))
    except Exception as error:  # noqa: BLE001  (whatever a rival raises is recorded)
        return Outcome("failed", note=f"{type(error).__name__}: {error}")


def _measure(rival: Rival, task: Task) -> Outcome:
    data = _load(task.dataset)
    train, test = split(data, task.repeat, task.fold)
    X_train, X_test = data.X.iloc[train], data.X.iloc[test]
    np.random.seed(task.seed)  # noqa: NPY002  (FIGS takes no seed and draws from here)
    start = process_time()
    rival.fit(X_train, data.y[train])
    fitted = process_time()
    predicted = rival.predict(X_test)
    end = process_time()
    uses = rival.rules(X_test)
    length = mean_length(uses, is_personal=rival.is_personal)
    keeps = task.dataset in KEEPS_RULES and task.repeat == 0
    return Outcome(
        status="done",
        accuracy=float(np.mean(predicted == data.y[test])),
        n_rules=len(uses) or None,
        length=None if np.isnan(length) else length,
        fit_seconds=fitted - start,
        predict_seconds=end - fitted,
        note=getattr(rival, "note", ""),
        rules=uses if keeps else [],
    )


@cache
def _load(name: str) -> Dataset:
    return load_dataset(name)


@cache
def warm_up(method: str) -> None:
    """Use a method on a tiny table, so that what is timed is not the compiler."""
    X = pd.DataFrame({"a": ["x", "y"] * 8, "b": np.arange(16.0)})
    y = np.array(["n", "p"] * 8, object)
    for engine in ENGINES:
        rival = METHODS[method].make("warm up", 0)
        if isinstance(rival, Personal):
            rival.classifier.set_params(engine=engine)
        elif engine != ENGINES[0]:
            break
        rival.fit(X, y).predict(X)
        rival.rules(X)
