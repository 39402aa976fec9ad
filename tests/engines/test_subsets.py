from itertools import combinations
from math import comb

import numpy as np
import pytest

from picrules.engines.subsets import nth_subset
from picrules.kernels.counting import next_subset


@pytest.mark.parametrize(("n_features", "length"), [(1, 1), (5, 1), (5, 3), (6, 6), (7, 4)])
def test_subsets_come_in_lexicographic_order(n_features, length):
    expected = list(combinations(range(n_features), length))
    subset = np.arange(length)
    walked = [tuple(subset.tolist())]
    while next_subset(subset, n_features) >= 0:
        walked.append(tuple(subset.tolist()))
    assert walked == expected
    positions = range(comb(n_features, length))
    assert [tuple(nth_subset(n_features, length, p).tolist()) for p in positions] == expected
