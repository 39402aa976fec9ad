"""The study can be killed and goes on; the same seed gives the same numbers."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.__main__ import main
from experiments.datasets import load_dataset
from experiments.fit import Outcome, Task, run_fit, split
from experiments.rivals.rule import FoundRule, Item, RuleUse
from experiments.run import Study, UnknownName, plan, run, to_outcome
from experiments.store import Store
from experiments.workers import Crashed, Late

ROOT = Path(__file__).parents[2]
TASKS = [Task("tictactoe", method, 0, fold) for method in ("CART", "PIC(0.9)") for fold in (0, 1)]
TIMES = ["fit_seconds", "predict_seconds"]

# The process kills itself, as hard as can be, when two of the four fits are stored.
KILLED = """
import os, signal
from pathlib import Path
from experiments.fit import Task
from experiments.run import Study, run

done = []
def after_fit(task):
    done.append(task)
    if len(done) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    run(Study(store=Path({store!r}), n_workers=1, is_shown=False), {tasks!r}, after_fit)
"""


@pytest.fixture
def study(tmp_path):
    return Study(store=tmp_path / "fits.sqlite", n_workers=1, is_shown=False)


def numbers(study):
    with Store(study.store) as store:
        return store.fits().drop(columns=TIMES)


@pytest.mark.slow
def test_killed_study_goes_on_where_it_was_and_ends_with_the_same_numbers(study, tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(KILLED.format(store=str(study.store), tasks=TASKS))
    ended = subprocess.run(
        [sys.executable, str(script)], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    assert len(numbers(study)) == 2

    assert len(run(study, TASKS)) == 2
    assert run(study, TASKS) == []

    never_killed = replace(study, store=tmp_path / "other.sqlite")
    run(never_killed, TASKS)
    assert numbers(study).equals(numbers(never_killed))
    assert (numbers(study)["status"] == "done").all()


def test_late_fit_is_recorded_and_tried_again_only_with_more_time(study):
    task = TASKS[0]
    with Store(study.store) as store:
        store.write(task, to_outcome(Late(10)), 10)
        assert store.missing([task], 10) == []
        assert store.missing([task], 20) == [task]
        assert store.fits()["note"].tolist() == ["not done after 10 s"]


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_fit_that_came_to_nothing_is_tried_again(study, status):
    with Store(study.store) as store:
        store.write(TASKS[0], Outcome(status), 10)
        assert store.missing(TASKS, 10) == TASKS


def test_crash_is_recorded():
    assert to_outcome(Crashed(-9)).note == "its process ended with code -9"


def test_result_replaces_an_earlier_one_with_its_rules(study):
    use = RuleUse(FoundRule(frozenset({Item("odor", "odor = n")}), "e"), 7)
    with Store(study.store) as store:
        store.write(TASKS[0], Outcome("done", 0.5, rules=[use, use]), 10)
        store.write(TASKS[0], Outcome("done", 0.75, rules=[use]), 10)
        assert store.fits()["accuracy"].tolist() == [0.75]
        stored = store.rules()
        assert list(zip(stored["rule"], stored["n_rows"], strict=True)) == [(use.rule, 7)]


def test_same_task_has_the_same_numbers():
    one, other = run_fit(TASKS[0]), run_fit(TASKS[0])
    assert (one.accuracy, one.n_rules, one.length) == (other.accuracy, other.n_rules, other.length)


def test_folds_part_the_rows_and_repetitions_differ():
    data = load_dataset("tictactoe")
    tests = [split(data, 0, fold)[1] for fold in range(5)]
    assert sorted(row for rows in tests for row in rows) == list(range(958))
    assert tests[0].tolist() != split(data, 1, 0)[1].tolist()


def test_what_a_method_raises_is_a_result():
    outcome = run_fit(Task("no such data", "CART", 0, 0))
    assert outcome.status == "failed"
    assert "UnknownDataset" in outcome.note


def test_plan_is_narrowed_by_data_sets_methods_and_groups():
    tasks = plan(["car", "gene", "BRS", "alpha"], repeats=2)
    assert {t.dataset for t in tasks} == {"car", "gene"}
    counts = [
        sum(t.method == m and t.dataset == d for t in tasks)
        for m, d in [("BRS", "car"), ("fPIC alpha=0.1", "car"), ("BRS", "gene")]
    ]
    assert counts == [10, 5, 2]
    assert plan(["car"]) == plan(["car"])


def test_unknown_name_is_misuse(capsys):
    with pytest.raises(UnknownName, match="'cart'"):
        plan(["cart"])
    assert main(["run", "--only", "cart"]) == 2
    assert "CART" in capsys.readouterr().err


def test_new_store_takes_over_what_was_committed(study):
    """All but the first repetition of mushroom, whose rules are not in the file."""
    columns = "dataset,method,repeat,fold,status,accuracy,n_rules,length,fit_seconds,"
    lines = [
        columns + "predict_seconds,note,limit_seconds",
        "tictactoe,CART,0,0,done,0.5,7,2,0.1,0.1,,120",
        "tictactoe,CART,0,1,late,,,,,,not done,120",
        "mushroom,CART,0,0,done,0.5,7,2,0.1,0.1,,120",
        "mushroom,CART,1,0,done,0.6,7,2,0.1,0.1,,120",
    ]
    study.store.with_name("fits.csv").write_text("\n".join(lines))
    tasks = [Task("tictactoe", "CART", 0, fold) for fold in (0, 1)]
    assert run(study, tasks) == tasks[1:]
    assert numbers(study)["accuracy"].tolist()[:2] == [0.6, 0.5]
