"""Answers with their rules: many rows in chunks, a table of them, and one row at a time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pandas as pd

import picrules
from benchmarks.data import adult
from benchmarks.measure import (
    Figure,
    at_least,
    at_most,
    best_of,
    forget_peak,
    memory_of,
    once,
    peak_memory,
    race,
)
from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.encoding.columns import read_columns
from picrules.engines import alike, box_rules, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

N_LEARNED, N_MANY, N_FRAME = 200_000, 2_000_000, 1_000_000
N_COLUMNS = 10
CHUNK = 100_000
N_REQUESTS = 2000
N_THREADS, N_ROUNDS = (1, 2, 4), 8

# Kernels that search for one row.
KERNELS = {
    table: ("read_cells", "read_kept", "search_cells", "raise_scores"),
    alike: ("find_around", "shorten_around", "find_alike", "shorten"),
    box_rules: ("find_boxes", "find_first_boxes"),
}


def numbers(n_rows: int, seed: int) -> pd.DataFrame:
    """Columns of numbers, of which the first three decide."""
    values = np.random.default_rng(seed).normal(size=(n_rows, N_COLUMNS)).round(3)
    return pd.DataFrame(values, columns=[f"n{at}" for at in range(N_COLUMNS)])


def classes(X: pd.DataFrame) -> np.ndarray:
    """Classes that the first three columns, and luck, decide."""
    noise = np.random.default_rng(1).normal(size=len(X))
    return (X["n0"] + X["n1"] * X["n2"] + noise > 0).to_numpy().astype(np.int64)


# Each estimator in a process of its own, or what one's memory held would be the other's.
MANY_ROWS = """
from benchmarks.answers import measure_many
print(*measure_many({what!r}))
"""


def run() -> list[Figure]:
    name, X, y, _ = adult()
    figures = []
    for kind in (PersonalRuleClassifier, FPICClassifier):
        what = kind.__name__
        figures += _many_figures(what)
        clf = kind(n_jobs=-1).fit(X, y)
        taken = best_of(lambda clf=clf: answer_in_chunks(clf, [X]), 20)
        figures.append(at_least(f"{name}, {what}, with rules", len(X) / taken, "rows/s", 3e5))
        figures += _ask_one_by_one(f"{name}, {what}", kind().fit(X, y), X)
    return [*figures, *_compare_kinds(name, X, y)]


def _many_figures(what: str) -> list[Figure]:
    """Rows per second of chunk after chunk, their memory, and the time of a table of answers."""
    _, printed = peak_memory(MANY_ROWS.format(what=what))
    taken, used, peak, frame = map(float, printed.splitlines()[-1].split())
    rules = f"{what}, {N_MANY:,} x {N_COLUMNS} with rules"
    return [
        at_least(rules, N_MANY / taken, "rows/s", 3e5),
        Figure(f"{rules}, by the time of both cores", 2 * N_MANY / used, "rows/s"),
        at_most(f"{rules}, peak of memory meanwhile", peak, "MiB", 600),
        at_most(f"{what}, explain and to_frame, {N_FRAME:,} rows", frame, "s", 10),
    ]


def measure_many(what: str) -> tuple[float, float, float, float]:
    """Learn, then answer many rows: seconds, those of the processors, peak, seconds of a table."""
    known = numbers(N_LEARNED, 0)
    clf = getattr(picrules, what)(n_jobs=-1).fit(known, classes(known))
    answer_in_chunks(clf, [numbers(CHUNK, 4)])  # compiles what has to be
    forget_peak()
    used = time.process_time()
    taken = once(lambda: answer_in_chunks(clf, _chunks_of_numbers()))
    used, peak = time.process_time() - used, memory_of("VmHWM")
    many = numbers(N_FRAME, 2)
    return taken, used, peak, once(lambda: clf.explain(many).to_frame())


def answer_in_chunks(clf: Any, chunks: Any) -> int:
    """Answer chunk after chunk, as the command line does; return how many rows there were."""
    n_rows = 0
    for chunk in chunks:
        explanations = clf.explain(chunk)
        columns, which = explanations.tell_rules()
        assert len(columns["rule"]) > which.max()
        n_rows += len(explanations.confidences)
    return n_rows


def _chunks_of_numbers() -> Iterator[pd.DataFrame]:
    # Columns are shifted against each other, so that each chunk has other rows.
    chunk = numbers(CHUNK, 3)
    for _ in range(N_MANY // CHUNK):
        chunk = chunk.apply(lambda column: np.roll(column, int(column.name[1:]) * 7 + 1))
        yield chunk


def _ask_one_by_one(what: str, clf: Any, X: pd.DataFrame) -> list[Figure]:
    """From a dict to class, confidence and rule; then by several threads at the same time."""
    rows = list(islice((row.to_dict() for _, row in X.iterrows()), N_REQUESTS))

    def answer(row: dict[str, Any]) -> tuple[Any, float | None, str]:
        found = clf.answer(row)
        return found.prediction, found.confidence, str(found.rule)

    def time_one(row: dict[str, Any]) -> float:
        start = time.perf_counter()
        answer(row)
        return time.perf_counter() - start

    list(map(answer, rows))
    taken = [time_one(row) for row in rows]
    rates, used = _race_threads(answer, rows)
    return [
        at_most(f"{what}, one row by dict, median", np.median(taken) * 1e3, "ms", 0.5),
        Figure("99th percentile", np.quantile(taken, 0.99) * 1e3, "ms"),
        *(Figure(f"requests on {n} threads", rate, "requests/s") for n, rate in rates.items()),
        at_least("2 threads against 1", rates[2] / rates[1], "x", 1.6),
        at_most("processor time of a request on 2 threads, against 1", used[2] / used[1], "x", 1.1),
        *_share_of_kernels(answer, rows),
    ]


def _race_threads(
    answer: Callable[[Any], Any], rows: list[Any]
) -> tuple[dict[int, float], dict[int, float]]:
    """Requests per second, and their processor time, by threads: the best of rounds in turn."""
    rates, used = dict.fromkeys(N_THREADS, 0.0), dict.fromkeys(N_THREADS, np.inf)
    for _ in range(N_ROUNDS):
        for n_threads in N_THREADS:
            parts = [rows[thread::n_threads] for thread in range(n_threads)]
            with ThreadPoolExecutor(n_threads) as pool:
                start, before = time.perf_counter(), time.process_time()
                list(pool.map(lambda part: [answer(row) for row in part], parts))
                used[n_threads] = min(used[n_threads], time.process_time() - before)
                rate = len(rows) / (time.perf_counter() - start)
            rates[n_threads] = max(rates[n_threads], rate)
    return rates, used


def _share_of_kernels(answer: Callable[[Any], Any], rows: list[Any]) -> list[Figure]:
    """Tell which share of a request needs no lock of Python's, and what two threads can gain.

    The time in the kernels that search is taken by functions around them; the others are too short.
    """
    spent = [0.0]

    def around(kernel: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            start = time.thread_time()
            found = kernel(*arguments)
            spent[0] += time.thread_time() - start
            return found

        return run

    def time_one(row: Any) -> float:
        start = time.thread_time()
        answer(row)
        return time.thread_time() - start

    with ExitStack() as stack:
        for module, names in KERNELS.items():
            for name in names:
                kernel = around(getattr(module, name))
                stack.enter_context(patch.object(module, name, kernel))
        total = sum(map(time_one, rows))
    share = spent[0] / total
    return [
        Figure("share of a request in kernels, without Python's lock", 100 * share, "%"),
        Figure("so 2 threads can give at most", min(2, 1 / (1 - share)), "x"),
    ]


def _compare_kinds(name: str, X: pd.DataFrame, y: np.ndarray) -> list[Figure]:
    """Read and encode categories, and the same cells as whole numbers."""
    texts = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
    categories = X.assign(**{column: X[column].astype("category") for column in texts})
    whole = categories.assign(**{column: categories[column].cat.codes for column in texts})
    works = []
    for cells in (categories, whole):
        model = FPICClassifier().fit(cells, y)._model
        many = pd.concat([cells] * 10, ignore_index=True)
        works.append(lambda m=model, t=many: m.encode(read_columns(t)))
    seconds = race(*works, n_rounds=20)
    what = f"{name}, categories read and encoded, against whole numbers"
    return [at_most(what, seconds[0] / seconds[1], "x", 1)]
