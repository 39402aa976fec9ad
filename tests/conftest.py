import os

import hypothesis
import numpy as np
import pytest

hypothesis.settings.register_profile("full", deadline=None, derandomize=True, max_examples=600)
hypothesis.settings.register_profile("few", deadline=None, derandomize=True, max_examples=15)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))


@pytest.fixture
def rng():
    return np.random.default_rng(20_240_611)
