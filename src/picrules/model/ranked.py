"""The best rules of one row in order, whatever their class, and what the search for them did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.base import Search
from picrules.engines.bitmap import BitmapEngine
from picrules.engines.compiling import tell_compiling
from picrules.engines.found import Rules
from picrules.engines.threads import Watch, run_blocks
from picrules.kernels.counting import Asked
from picrules.kernels.ranking import (
    CANNOT_BEAT,
    N_REASONS,
    SAME_COVER,
    TOO_SMALL,
    Chosen,
    Order,
    Ranking,
    Tally,
    Visitor,
)
from picrules.kernels.search import Limits, rank_length
from picrules.model.searcher import Searcher, watch_if_long
from picrules.scoring.settings import Setting, make_scorer, order_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.kernels.boxes import Sets


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rules with their classes, the best first; counts are of all rows, also of one left out."""

    rules: Rules
    labels: NDArray[np.int64]
    scores: NDArray[np.float64]
    values: NDArray[np.float64]  # what they are ordered by: score plus offset of the class

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, slots=True)
class Trace:
    """What the search for the best rule of a row did, one entry per length from 1 on.

    For each length `looked_at + cannot_beat + same_cover + too_small == possible`.
    """

    possible: tuple[int, ...]  # rules that cover the row
    looked_at: tuple[int, ...]  # rules whose cover was counted
    # Rules never looked at, since their first conditions have too few hits of any class, one of
    # them excludes no row, or they cover too few rows.
    cannot_beat: tuple[int, ...]
    same_cover: tuple[int, ...]
    too_small: tuple[int, ...]
    best: Ranked  # the best rule of that length or shorter; of length 0 where there is none yet
    longest: int  # conditions of the longest rule that covers the row


def rank_rules(
    searcher: Searcher,
    codes: NDArray[np.int32],
    setting: Setting,
    depth: int,
    offset: NDArray[np.float64],
    top: int,
    max_overlap: float = 1.0,
    left_out: int = -1,
    *,
    is_class_first: bool = True,
) -> Ranked:
    """Find the `top` best rules up to the length `depth` that cover a row, whatever their class.

    A set of conditions counts once, with its best class. Rules of which a condition excludes no
    row are not listed: the shorter rule says the same. Two listed rules have at most the share
    `max_overlap` in common of the rows that either covers. `left_out` is the class of a training
    row that must not count itself, or -1. A tie is settled by the class first, or last.
    """
    search = _RowSearch(searcher, codes, setting, depth, offset, left_out, is_class_first)
    if max_overlap >= 1:
        return _to_ranked([search.run(top, search.no_chosen)])
    rounds: list[Ranking] = []
    chosen = search.no_chosen._replace(max_overlap=max_overlap)
    while len(rounds) < top:
        rounds.append(search.run(1, chosen))
        if rounds[-1].n_rules[0] == 0:
            break
        covers = np.concatenate([chosen.covers, search.cover(rounds[-1])[np.newaxis]])
        chosen = Chosen(covers, max_overlap)
    return _to_ranked(rounds)


def trace_search(
    searcher: Searcher,
    codes: NDArray[np.int32],
    setting: Setting,
    depth: int,
    offset: NDArray[np.float64],
    left_out: int = -1,
    *,
    is_class_first: bool = True,
) -> Trace:
    """Search for the best rule of a row, and count what is looked at and what is skipped.

    The parameters are those of `rank_rules`.
    """
    search = _RowSearch(searcher, codes, setting, depth, offset, left_out, is_class_first)
    ranking = search.start(1)
    lengths = range(1, depth + 1)
    best: list[Ranking] = []
    tallies: list[Tally] = []
    for length in lengths:
        tallies.append(search.look_at(length, ranking, search.no_chosen))
        best.append(Ranking(*(array.copy() for array in ranking)))
    skipped = [
        [search.n_below(tally.cuts[reason]) for tally in tallies] for reason in range(N_REASONS)
    ]
    return Trace(
        tuple(search.n_possible(length) for length in lengths),
        tuple(int(tally.looked_at[0]) for tally in tallies),
        tuple(skipped[CANNOT_BEAT]),
        tuple(skipped[SAME_COVER]),
        tuple(skipped[TOO_SMALL]),
        _to_ranked(best, is_cut=False),
        search.longest,
    )


def limit_depth(sets: Sets, codes: NDArray[np.int32], depth: int, most: int) -> int:
    """Return up to which length, at least 1, no more than `most` rules cover a row."""
    counts = _count_rules(sets, codes, depth)[0]
    lengths = range(2, depth + 1)
    return max([1, *(length for length in lengths if sum(counts[1 : length + 1]) <= most)])


class _RowSearch:
    """The search for the best rules of one row, one length after the other.

    The parameters are those of `rank_rules`.
    """

    def __init__(
        self,
        searcher: Searcher,
        codes: NDArray[np.int32],
        setting: Setting,
        depth: int,
        offset: NDArray[np.float64],
        left_out: int,
        is_class_first: bool,
    ) -> None:
        plan = searcher.plan(Search(setting, depth, is_by_class=True), 1, engine="bitmap")
        engine = searcher.prepare("bitmap")
        assert isinstance(engine, BitmapEngine)
        self._bitmaps, self._watch = engine.bitmaps, watch_if_long(plan)
        self._flag = (self._watch or Watch()).is_stopped
        self._sets, self._depth = searcher.sets, depth
        # Copies: a kernel is compiled anew for each layout of its arrays.
        codes = codes.astype(np.int32)
        self._asked = Asked(codes.reshape(-1, 1), np.array([left_out], np.int64))
        sizes = searcher.training.class_sizes.copy()
        self._scorer = make_scorer(
            [setting], sizes, searcher.class_weights, searcher.min_cover,
            is_leaving_out=left_out >= 0,
        )  # fmt: skip
        if left_out >= 0:
            sizes[left_out] -= 1
        labels = order_classes(sizes)
        self._order = Order(offset.astype(np.float64), labels, np.argsort(labels), is_class_first)
        self._n_rules = _count_rules(searcher.sets, codes, depth)
        self.longest = int((_count_satisfied(searcher.sets, codes) > 0).sum())

    def start(self, top: int) -> Ranking:
        """Return an empty list with space for that many rules."""
        shape = (top, self._depth)
        return Ranking(
            np.zeros(1, np.int64),
            np.full(top, -np.inf),
            np.full(top, -np.inf),
            np.full(top, -1, np.int64),
            np.zeros(top, np.int64),
            np.full(shape, -1, np.int64),
            np.full(shape, -1, np.int64),
            np.zeros((top, len(self._order.labels)), np.int64),
        )

    def run(self, top: int, chosen: Chosen) -> Ranking:
        """Look at the rules of all lengths, and list the best."""
        ranking = self.start(top)
        for length in range(1, self._depth + 1):
            self.look_at(length, ranking, chosen)
        return ranking

    def look_at(self, length: int, ranking: Ranking, chosen: Chosen) -> Tally:
        """Look at the rules of one length, after those of all shorter ones."""
        n_features, n_classes = len(self._sets.n_codes), len(self._order.labels)
        tally = Tally(np.zeros(1, np.int64), np.zeros((N_REASONS, length, n_features), np.int64))
        if length > self.longest:
            return tally
        visitor = Visitor(self._order, chosen, ranking, tally)
        limits = Limits(length, length, False, False, self._flag)
        no_pairs = np.empty((n_classes, 0), np.int32)

        def work(*_: int) -> None:
            rank_length(
                self._bitmaps, no_pairs, self._sets, self._scorer, limits, self._asked, length,
                visitor,
            )  # fmt: skip

        with tell_compiling(rank_length):
            run_blocks(work, [(0, 1)], 1, self._watch)
        return tally

    @property
    def no_chosen(self) -> Chosen:
        """Nothing that a rule must not resemble."""
        return Chosen(np.empty((0, self._bitmaps.words.shape[1]), np.uint64), 1.0)

    def cover(self, ranking: Ranking) -> NDArray[np.uint64]:
        """Return the cover of the first rule of a list."""
        length = ranking.lengths[0]
        conditions = self._sets.first[ranking.features[0, :length]] + ranking.positions[0, :length]
        cover: NDArray[np.uint64] = np.bitwise_and.reduce(self._bitmaps.words[conditions], axis=0)
        return cover

    def n_possible(self, length: int) -> int:
        """Return how many rules of a length cover the row."""
        return self._n_rules[0][length]

    def n_below(self, cuts: NDArray[np.int64]) -> int:
        """Return how many rules were below the cuts, by conditions kept and last feature."""
        length = len(cuts)
        return sum(
            int(cuts[level, feature]) * self._n_rules[feature + 1][length - 1 - level]
            for level, feature in np.argwhere(cuts).tolist()
        )


def _count_satisfied(sets: Sets, codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return how many conditions of each feature a row satisfies."""
    first_code = np.cumsum(sets.n_codes) - sets.n_codes
    own = first_code + np.maximum(codes, 0)
    return np.where(codes < 0, 0, sets.n_members[own])


def _count_rules(sets: Sets, codes: NDArray[np.int32], depth: int) -> list[list[int]]:
    """Count the rules of each length on the features from each one on; exact, however many."""
    counts = [[1] + [0] * depth]
    for n_satisfied in reversed(_count_satisfied(sets, codes).tolist()):
        later = counts[0]
        more = [n_satisfied * shorter for shorter in later[:-1]]
        counts.insert(0, [1, *map(int.__add__, later[1:], more)])
    return counts


def _to_ranked(rankings: list[Ranking], *, is_cut: bool = True) -> Ranked:
    """Put lists one after the other, without entries that are empty unless told."""
    columns = [np.concatenate(arrays) for arrays in zip(*rankings, strict=True)]
    kept = columns[4] > 0 if is_cut else np.ones(len(columns[4]), np.bool_)
    values, scores, labels, *rules = (column[kept] for column in columns[1:])
    return Ranked(Rules(*rules), labels, scores, values)
