import os

import hypothesis
import numpy as np
import pytest

hypothesis.settings.register_profile("full", deadline=None, derandomize=True, max_examples=600)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, max_examples=150)
hypothesis.settings.register_profile("few", deadline=None, derandomize=True, max_examples=15)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))


def pytest_configure(config):
    """A new warning of a dependency is shown to users, and fails in CI.

    Not by `-W error`, which would overrule the exceptions listed in pyproject.toml.
    """
    if os.environ.get("CI"):
        config.getini("filterwarnings").insert(0, "error")


@pytest.fixture
def rng():
    return np.random.default_rng(20_240_611)
