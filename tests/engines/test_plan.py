import numpy as np
import pytest

from picrules.engines.base import Task
from picrules.engines.plan import make_plan
from picrules.engines.training import Training
from picrules.errors import NotEnoughMemory
from tests.tables import paper_search, single_sets


def task(n_features, n_rows, n_codes, search, n_asked):
    codes = np.zeros((n_features, n_rows), np.int32)
    labels = np.arange(n_rows) % 2
    training = Training.of_single_rows(codes, labels, np.bincount(labels))
    return Task(training, single_sets(np.full(n_features, n_codes)), search, n_asked)


def test_few_features_and_many_rows_take_tables():
    plan = make_plan(task(10, 20_000, 5, paper_search(0.9, 3, False), 20_000))
    assert plan.engine == "table"
    assert "the bitmap engine about" in plan.reason
    assert plan.seconds["table"] < plan.seconds["bitmap"]


def test_long_rules_over_many_features_take_bitmaps():
    assert make_plan(task(200, 300, 5, paper_search(0.9, 200, True), 50)).engine == "bitmap"


def test_the_asked_engine_is_used():
    plan = make_plan(task(10, 100, 5, paper_search(0.9, 3, False), 1), "bitmap")
    assert str(plan) == "bitmap engine: as asked"


def test_the_limit_names_what_to_change():
    with pytest.raises(NotEnoughMemory) as caught:
        make_plan(task(4, 1000, 50, paper_search(0.9, 4, False), 1), memory_limit=1000)
    for part in ("the table engine needs 191 kB", "the bitmap engine needs 28.8 kB", "allows 1 kB",
                 "max_length (now 4)", "has 50", "raise memory_limit"):  # fmt: skip
        assert part in str(caught.value)
