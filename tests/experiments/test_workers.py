"""Tasks end, one way or another: with a result, late, or with their process."""

import math
import os
import time

from experiments.workers import Crashed, Late, do_all

NEVER = 1e6


def results(function, tasks, limit=60.0, n_workers=2):
    return dict(do_all(function, tasks, n_workers, limit))


def test_every_task_is_done_once():
    assert results(math.factorial, range(7)) == {n: math.factorial(n) for n in range(7)}


def test_task_that_hangs_in_c_is_ended_and_the_others_are_done():
    found = results(time.sleep, [NEVER, 0, 0.0001], limit=0.2)
    assert found == {NEVER: Late(0.2), 0: None, 0.0001: None}


def test_task_that_works_too_long_is_ended_before_one_that_waits():
    """The limit is of processor time; by the clock there is ten times as much."""
    works, waits = "sum(iter(int, 1))", "__import__('time').sleep(1e6)"
    assert list(do_all(eval, [waits, works], 2, 0.5)) == [(works, Late(0.5)), (waits, Late(0.5))]


def test_process_that_dies_is_replaced():
    found = results(os._exit, [3, 4], n_workers=1)
    assert found == {3: Crashed(3), 4: Crashed(4)}


def test_nothing_to_do_starts_nothing():
    assert results(math.factorial, []) == {}
