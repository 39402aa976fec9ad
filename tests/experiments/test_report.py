"""The report: figures known from elsewhere, and every file from a small made-up study."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from experiments.datasets import NAMES, folder
from experiments.fit import Outcome, Task
from experiments.methods import METHODS
from experiments.printed import paper_tables
from experiments.report import (
    comparison,
    mushroom,
    readings,
    running_time,
    significance,
    summary,
    write_report,
)
from experiments.report.page import to_markdown
from experiments.rivals.rule import FoundRule, Item, RuleUse
from experiments.store import Store

ODOR, RING = Item("odor", "odor = n"), Item("ring-number", "ring-number = o")


def rule(*items, label="e"):
    return FoundRule(frozenset(items), label)


@pytest.fixture
def store(tmp_path):
    """One fold of every method on every data set, as good as the paper prints it or 0.7."""
    rng = np.random.default_rng(0)
    with Store(tmp_path / "fits.sqlite") as opened:
        for dataset in (*NAMES, "gene"):
            for method, fold in product(METHODS, range(5 if dataset == "car" else 1)):
                accuracy = paper_tables()["accuracy"].get(dataset, {}).get(method, 0.7)
                found = rule(ODOR) if method.startswith("PIC") else rule(ODOR, RING)
                outcome = Outcome(
                    "done", accuracy, float(rng.integers(1, 50)), 2.0, 0.1, 0.1,
                    rules=[RuleUse(found, 9)] if dataset == "mushroom" else [],
                )  # fmt: skip
                opened.write(Task(dataset, method, 0, fold), outcome, 10)
        opened.write(Task("vote", "DRS", 0, 0), Outcome("late", note="not done"), 10)
        yield opened


def test_cell_shows_ours_the_papers_and_a_mark(store):
    store.write(Task("vote", "CART", 0, 0), Outcome("done", 0.9), 10)
    long = comparison.long_table(store.fits(), comparison.QUANTITIES["accuracy"])
    wide = comparison.wide_table(long, 3).set_index("data set")
    assert wide.loc["vote", "CART"] == "0.900 / 0.934*"
    assert wide.loc["vote", "PIC(0.9)"] == "0.954 / 0.954"
    assert wide.loc["vote", "RIPPER"] == "0.700"
    assert wide.loc["vote", "DRS"] == "late"


def test_critical_difference_is_that_of_the_tables():
    """The quantiles for 2, 5 and 10 methods are 1.960, 2.498 and 2.773 in the literature."""
    for n_methods, quantile in [(2, 1.960), (5, 2.498), (10, 2.773)]:
        error = np.sqrt(n_methods * (n_methods + 1) / (6 * 16))
        found = significance.critical_difference(n_methods, 16)
        assert found == pytest.approx(quantile * error, abs=2e-3)


def test_p_value_is_the_level_at_the_critical_difference():
    gap = significance.critical_difference(2, 16)
    p = significance.p_values(pd.Series({"a": 1.0, "b": 1.0 + gap}), 16)
    assert p.loc["a", "b"] == pytest.approx(0.05)


def test_times_are_those_of_the_repetition_that_all_methods_have(store):
    store.write(Task("vote", "CART", 1, 0), Outcome("done", 0.9, None, None, 9.0, 9.0), 10)
    times = running_time.time_table(store.fits())
    assert times.loc["vote", "CART"] == pytest.approx(0.2)


def test_fits_that_came_to_nothing_are_named_with_their_tables(store):
    store.write(Task("car", "DRS", 0, 0), Outcome("late", note="not done"), 10)
    store.write(Task("car", "RF", 0, 3), Outcome("failed", note="broken"), 10)
    assert summary.unfinished_notes(store.fits()) == [
        "- DRS: 2 late, on car, vote (not done)", "- RF: 1 failed, on car (broken)",
    ]  # fmt: skip


def test_equal_methods_share_a_rank():
    table = pd.DataFrame({"a": [0.9, 0.9], "b": [0.9, 0.8], "c": [0.1, 0.1]})
    assert significance.average_ranks(table).to_dict() == {"a": 1.25, "b": 1.75, "c": 3}


def test_common_rules_name_who_has_them_and_the_others_are_personalized(store):
    store.write(
        Task("mushroom", "PIC(0.9)", 0, 1),
        Outcome("done", rules=[RuleUse(rule(ODOR), 4), RuleUse(rule(RING, label="p"), 5)]),
        10,
    )
    table = mushroom.usage_table(store.rules()).set_index("class")
    assert table.loc["e", ["rows", "folds"]].tolist() == [13, 2]
    assert "DRS" in table.loc["e", "also part of a rule of"]
    assert table.loc["p", "also part of a rule of"] == "none: personalized"


def test_readings_are_compared_on_the_data_sets_that_all_have():
    """A reading that lacks the hard tables looked nearer to the paper than the others."""
    lines = [(d, m, f) for d in ("car", "vote") for m in ("a", "b") for f in range(5)]
    done = pd.DataFrame(lines, columns=["dataset", "method", "fold"])
    assert readings.shared_datasets(done) == ["car", "vote"]
    assert readings.shared_datasets(done.drop(index=7)) == ["vote"]


def test_rules_that_the_paper_lists_are_known():
    printed = mushroom.printed_rules()
    assert len(printed) == 23
    assert printed[rule(ODOR, RING)] == "DRS"


def test_markdown_has_numbers_on_the_right_and_no_cell_that_breaks_it():
    table = pd.DataFrame({"name": ["a|b", None], "value": [0.123456, float("nan")]})
    assert to_markdown(table).splitlines() == [
        "| name | value |", "|---|---:|", "| a\\|b | 0.1235 |", "|  |  |",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(folder() is None, reason="no data folder (PICRULES_DATA)")
@pytest.mark.filterwarnings("ignore")  # of the plotting packages
def test_whole_report_is_written(store, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("scikit_posthocs")
    names = {path.name for path in write_report(tmp_path / "fits.sqlite", tmp_path / "results")}
    tables = [
        "accuracy", "rule_length", "rule_count", "running_time", "significance", "correlation",
        "mushroom_rules", "alpha", "max_length", "gene", "fpic_readings", "summary", "datasets",
    ]  # fmt: skip
    assert {f"{name}{end}" for name in tables for end in (".md", ".csv")} <= names
    figures = ["running_time", "critical_difference_1", "correlation", "mushroom_usage", "alpha"]
    assert {f"{name}{end}" for name in figures for end in (".svg", ".png")} <= names
    assert all((tmp_path / "results" / name).stat().st_size for name in names)
