import os

import hypothesis
import numpy as np
import pytest

from tests.browser import find_chromium, launch

hypothesis.settings.register_profile("full", deadline=None, derandomize=True, max_examples=600)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, max_examples=150)
hypothesis.settings.register_profile("few", deadline=None, derandomize=True, max_examples=15)
hypothesis.settings.register_profile("many", deadline=None, derandomize=True, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))


def pytest_configure(config):
    """A new warning of a dependency is shown to users, and fails in CI.

    Not by `-W error`, which would overrule the exceptions listed in pyproject.toml.
    """
    if os.environ.get("CI"):
        config.getini("filterwarnings").insert(0, "error")
    if os.environ.get("NUMBA_DISABLE_JIT"):
        # Keys of rows wrap on purpose; compiled code does so without a word.
        config.getini("filterwarnings").append("ignore:overflow encountered:RuntimeWarning")


@pytest.fixture
def rng():
    return np.random.default_rng(20_240_611)


@pytest.fixture(scope="module")
def browser():
    """Chromium, for the tests of one file: while it runs, no other test can have an event loop.

    Where everything must pass, a missing browser is a failure: `.ci/chromium` installs it.
    """
    if find_chromium() is None and not os.environ.get("CI"):
        pytest.skip("no Chromium here: install it, or name it in PICRULES_CHROMIUM")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        started = launch(running)
        yield started
        started.close()
