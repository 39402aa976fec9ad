"""A report of 100,000 rows in Chromium: how long until it is drawn, and until a case opens.

`python -m benchmarks report` writes two reports of the adult table, drawn with replacement: one
that lists 10,000 of its rows one by one, as by default, and one that lists all.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import picrules
from benchmarks.measure import Figure, at_most
from experiments.datasets import load_dataset
from tests.browser import launch

N_ROWS = 100_000
N_TRAINING = 10_000
N_VISITS = 7

TIMES = """() => {
  const [visit] = performance.getEntriesByType("navigation");
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return {painted: paint.startTime, loaded: visit.loadEventEnd};
}"""
SEARCH = """() => {
  const box = document.querySelector("#cases input"), begun = performance.now();
  box.value = "husband";
  box.dispatchEvent(new Event("input"));
  return performance.now() - begun;
}"""
OPEN = """async () => {
  const begun = performance.now();
  document.querySelector("#cases tbody a").click();
  while (!document.querySelector("dialog").open) await new Promise(requestAnimationFrame);
  return performance.now() - begun;
}"""


def run() -> list[Figure]:
    """Write both reports, visit each several times, and take the median."""
    data = load_dataset("adult")
    clf = picrules.PersonalRuleClassifier(cuts=8, max_length=2, look_alikes=False, n_rules=1)
    clf.fit(data.X[:N_TRAINING], data.y[:N_TRAINING])
    rows = np.random.default_rng(0).integers(N_TRAINING, len(data.X), N_ROWS)
    figures = []
    with tempfile.TemporaryDirectory() as place:
        for n_listed in (10_000, N_ROWS):
            path = Path(place) / f"{n_listed}.html"
            X, y = data.X.iloc[rows], data.y[rows]
            picrules.report(clf, X, y, path, max_cases=n_listed)
            figures += measure(path, f"100,000 rows, {n_listed:,} listed")
    return figures


def measure(path: Path, which: str) -> list[Figure]:
    """Visit a report several times, each in a new tab."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        visits = [visit(browser, path) for _ in range(N_VISITS)]
        browser.close()
    median = {name: statistics.median(one[name] for one in visits) / 1000 for name in visits[0]}
    return [
        Figure(f"{which}: size of the file", path.stat().st_size / 1e6, "MB"),
        at_most(f"{which}: first painted after", median["painted"], "s", 1.0),
        at_most(f"{which}: loaded after", median["loaded"], "s", 1.0),
        at_most(f"{which}: a search takes", median["searched"], "s", 0.5),
        at_most(f"{which}: a case opens after", median["opened"], "s", 0.5),
    ]


def visit(browser: Any, path: Path) -> dict[str, float]:
    """Open a report, search it and open a case; times in milliseconds."""
    page = browser.new_page()
    page.goto(path.as_uri(), wait_until="load")
    page.wait_for_function("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
    times: dict[str, float] = page.evaluate(TIMES)
    times["searched"] = page.evaluate(SEARCH)
    times["opened"] = page.evaluate(OPEN)
    page.close()
    return times
