"""Candidate rules of DRS: covers, quality, and the sampler that draws them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.rivals.columns import one_column_a_value
from experiments.rivals.loops import bits
from experiments.rivals.loops import drs as loops

POOL_ROWS = 500  # rows of a class, and of the others, between which pairs are drawn


@dataclass
class Candidates:
    """Rules as codes (-1 where a feature is free), with label, cover, quality and class counts."""

    codes: np.ndarray
    labels: np.ndarray
    covers: np.ndarray
    qualities: np.ndarray
    counts: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, places: np.ndarray | list[int]) -> Candidates:
        return Candidates(
            self.codes[places], self.labels[places], self.covers[places],
            self.qualities[places], self.counts[places],
        )  # fmt: skip


def join(parts: list[Candidates]) -> Candidates:
    """Put candidates together; of equal rules the first stays."""
    fields = ("codes", "labels", "covers", "qualities", "counts")
    joined = Candidates(*(np.concatenate([getattr(part, f) for part in parts]) for f in fields))
    keys = np.column_stack([joined.labels, joined.codes])
    return joined.take(np.sort(np.unique(keys, axis=0, return_index=True)[1]))


def quality(counts: np.ndarray, labels: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """How much a rule tells of its class: sqrt(own rows) times the divergence from the shares."""
    sizes = np.maximum(counts.sum(axis=1), 1)
    p = np.maximum(counts / sizes[:, None], 1e-9)
    divergence = (p * np.log(p / shares)).sum(axis=1)
    own = counts[np.arange(len(labels)), labels]
    return np.where(own / sizes > shares[labels], np.sqrt(own) * divergence, 0.0)


class Sampler:
    """Draws rules of a class in proportion to own rows covered times other rows left out."""

    def __init__(
        self, codes: np.ndarray, n_codes: np.ndarray, labels: np.ndarray, rng: np.random.Generator
    ) -> None:
        self.codes, self.labels, self.rng = codes, labels, rng
        self.sizes = np.bincount(labels)
        self.shares = self.sizes / len(labels)
        self._pack(n_codes)

    def _pack(self, n_codes: np.ndarray) -> None:
        """Make bitmaps of all items; rows are sorted by class and each class starts a word."""
        columns = one_column_a_value(n_codes)
        self.item_starts = columns.starts[:-1]
        n_words = -(-self.sizes // 64)
        self.class_starts = np.concatenate([[0], np.cumsum(n_words)])
        order = np.argsort(self.labels, kind="stable")
        first_rows = np.concatenate([[0], np.cumsum(self.sizes)])
        self.positions = np.empty(len(self.labels), np.int64)
        in_class = np.arange(len(order)) - first_rows[self.labels[order]]
        self.positions[order] = 64 * self.class_starts[self.labels[order]] + in_class
        n_items = columns.count
        packed = np.zeros((n_items + 1, self.class_starts[-1]), np.uint64)
        items = (self.codes[:, columns.features] == columns.codes).T
        bits.pack(np.vstack([items, np.ones((1, len(order)), bool)]), self.positions, packed)
        self.item_words, self.everything = packed[:n_items], packed[n_items]

    def is_covered(self, cover: np.ndarray) -> np.ndarray:
        """Read a bitmap row by row."""
        return np.unpackbits(cover.view(np.uint8), bitorder="little")[self.positions].astype(bool)

    def draw(self, label: int, n_samples: int, covered: np.ndarray) -> Candidates:
        """Draw rules for a class from its rows that no rule covers yet."""
        is_own = (self.labels == label) & ~covered
        if not is_own.any():
            return self._candidates(np.empty((0, self.codes.shape[1]), np.int32), label)
        own, others = self._pool(is_own), self._pool(~is_own)
        if len(others) == 0:
            others = np.full((1, self.codes.shape[1]), -1, np.int32)
        weights = np.empty((len(own), len(others)))
        loops.pair_weights(own, others, weights)
        limits = np.cumsum(weights.ravel())
        if limits[-1] == 0:  # every row of the class is also a row of the others
            return self._candidates(np.empty((0, self.codes.shape[1]), np.int32), label)
        drawn = np.searchsorted(limits, self.rng.random(n_samples) * limits[-1], side="right")
        pairs = np.column_stack(np.divmod(drawn, len(others)))
        taken = np.empty((n_samples, self.codes.shape[1]), bool)
        loops.draw_itemsets(own, others, pairs, int(self.rng.integers(2**31)), taken)
        codes = np.where(taken, own[pairs[:, 0]], -1).astype(np.int32)
        return self._candidates(np.unique(codes, axis=0), label)

    def _pool(self, is_in: np.ndarray) -> np.ndarray:
        rows = np.flatnonzero(is_in)
        if len(rows) > POOL_ROWS:
            rows = self.rng.choice(rows, POOL_ROWS)
        return self.codes[rows]

    def _candidates(self, codes: np.ndarray, label: int) -> Candidates:
        covers = np.empty((len(codes), len(self.everything)), np.uint64)
        loops.cover_itemsets(self.item_words, self.item_starts, codes, self.everything, covers)
        counts = np.empty((len(codes), len(self.sizes)), np.int64)
        loops.count_classes(covers, self.class_starts, counts)
        labels = np.full(len(codes), label)
        return Candidates(codes, labels, covers, quality(counts, labels, self.shares), counts)
