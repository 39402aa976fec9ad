"""Awkward tables for the tests of every engine and estimator."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import CategoryFeature, Schema
from picrules.engines.base import Question, Search
from picrules.engines.training import Training
from picrules.kernels.counting import Asked
from picrules.scoring.settings import Setting, make_scorer

N_ROWS = st.one_of(st.sampled_from([1, 63, 64, 65, 256, 257]), st.integers(1, 200))


@dataclass
class CodedTable:
    """Codes and labels, and a few rows to classify; -1 is missing."""

    codes: np.ndarray  # (n_features, n_rows)
    labels: np.ndarray
    n_codes: np.ndarray
    n_classes: int
    queries: np.ndarray

    @property
    def training(self):
        return Training.from_rows(self.codes, self.labels, self.n_codes, self.n_classes)

    @property
    def sets(self):
        return single_sets(self.n_codes)

    @property
    def rows(self):
        return to_rows(self.codes)


def single_sets(n_codes):
    """One condition for each code."""
    features = [CategoryFeature(f"f{i}", tuple(range(n))) for i, n in enumerate(n_codes.tolist())]
    return Conditions(Schema(tuple(features)), is_single=True).sets


def paper_search(alpha, max_length, is_greedy):
    """The search of PIC (greedy) or fPIC."""
    return Search(Setting("precision", alpha, 0.0), max_length, is_greedy)


def ask(codes):
    """Rows that are asked about, none of which is left out."""
    return Asked(codes, np.full(codes.shape[1], -1))


def search_with(engine, codes, search, n_threads=1, watch=None):
    """Find the best rule of each row with an engine: what is written down of it."""
    sizes = engine.training.class_sizes
    scorer = make_scorer([search.setting], sizes, np.ones(len(sizes)), 1, is_leaving_out=False)
    return engine.search(Question(ask(codes), scorer, search, n_threads, watch))


def to_rows(codes):
    """The rows as the reference reads them."""
    return [tuple(None if code < 0 else code for code in row) for row in codes.T.tolist()]


@st.composite
def coded_tables(draw, max_rows=None):
    """Random tables with missing and unseen codes and duplicates with different labels."""
    n_rows = min(draw(N_ROWS), max_rows or 1000)
    n_features = draw(st.integers(1, 7))
    n_classes = draw(st.integers(1, min(5, n_rows)))
    n_codes = np.array(draw(st.lists(st.integers(1, 5), min_size=n_features, max_size=n_features)))
    missing = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    n_copied = draw(st.integers(0, n_rows))
    signal = draw(st.sampled_from([0.0, 0.7, 1.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)])
    codes = _random_codes(rng, n_codes, n_rows)
    follows = rng.random(n_rows) < signal
    codes[0] = np.where(follows, labels % n_codes[0], codes[0])
    copied = rng.integers(0, n_rows, n_copied)
    codes[:, rng.permutation(n_rows)[:n_copied]] = codes[:, copied]
    codes[rng.random(codes.shape) < missing * rng.random((n_features, 1))] = -1
    queries = np.concatenate(
        [codes[:, rng.integers(0, n_rows, 2)], _random_codes(rng, n_codes, 2)], axis=1
    )
    queries[rng.random(queries.shape) < 0.1] = -1
    return CodedTable(
        codes, labels.astype(np.int64), n_codes.astype(np.int64), n_classes,
        np.ascontiguousarray(queries),
    )  # fmt: skip


def _random_codes(rng, n_codes, n_rows):
    return np.array([rng.integers(0, count, n_rows) for count in n_codes], np.int32)
