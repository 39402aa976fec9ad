"""A notebook that shows every type of result, run by nbconvert and opened in a browser."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import find_chromium, launch
from tests.reports.results import make_results

pytest.importorskip("nbconvert")
pytest.importorskip("ipykernel")

SCRIPT = Path(__file__).with_name("results.py")
# Higher than this, a page of all results is no page that a person reads.
HIGHEST = 20_000


def write_notebook(path, names):
    """A notebook with one cell for each result, shown as notebooks do and then printed."""
    cells = [f"import runpy\nresults = runpy.run_path({str(SCRIPT)!r})['make_results']()"]
    for name in names:
        cells += [f"results[{name!r}]", f"print(results[{name!r}])"]
    content = {
        "cells": [
            {
                "cell_type": "code", "id": f"cell-{number}", "metadata": {}, "source": cell,
                "outputs": [], "execution_count": None,
            }
            for number, cell in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    path.write_text(json.dumps(content))


@pytest.mark.slow
def test_a_notebook_shows_every_result_on_a_page_of_readable_length(tmp_path):
    names = list(make_results())
    write_notebook(tmp_path / "results.ipynb", names)
    command = ["-m", "nbconvert", "--execute", "--to", "html", "results.ipynb"]
    folders = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": folders, "IPYTHONDIR": str(tmp_path / "ipython")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    page = tmp_path / "results.html"
    text = page.read_text()
    assert text.count("picrules-card") >= len(names) - 2
    if os.environ.get("PICRULES_PICTURES"):  # where to leave the page, to be looked at
        (Path(os.environ["PICRULES_PICTURES"]) / "results.html").write_text(text)
    if find_chromium() is None:
        pytest.skip("there is no Chromium to measure the page")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        browser = launch(running)
        opened = browser.new_page(viewport={"width": 1200, "height": 900})
        opened.goto(page.as_uri(), wait_until="domcontentloaded")
        height = opened.evaluate("document.documentElement.scrollHeight")
        browser.close()
    assert 2_000 < height < HIGHEST
