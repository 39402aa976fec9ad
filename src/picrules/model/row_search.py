"""The search for the best rules of one row over bitmaps, one length after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.base import Search
from picrules.engines.bitmap import BitmapEngine
from picrules.engines.compiling import tell_compiling
from picrules.engines.threads import Watch, run_blocks
from picrules.kernels.counting import Asked
from picrules.kernels.ranked import N_REASONS, Chosen, Tally, rank_length
from picrules.kernels.ranking import Order, Ranking
from picrules.model.searcher import watch_if_long
from picrules.scoring.settings import make_scorer, order_classes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.kernels.bits import Bitmaps
    from picrules.kernels.boxes import Sets
    from picrules.model.searcher import Searcher
    from picrules.scoring.settings import Setting


class RowSearch:
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
        self._sets = searcher.sets
        self._depth = depth
        self._bitmaps, self._watch = _prepare(searcher, setting, depth)
        # Copies: a kernel is compiled anew for each layout of its arrays.
        codes = codes.astype(np.int32)
        self._asked = Asked(codes.reshape(-1, 1), np.array([left_out], np.int64))
        self._scorer = make_scorer(
            [setting],
            searcher.training.class_sizes,
            searcher.class_weights,
            searcher.min_cover,
            is_leaving_out=left_out >= 0,
        )
        sizes = searcher.training.class_sizes.copy()
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
        n_features = len(self._sets.n_codes)
        tally = Tally(np.zeros(1, np.int64), np.zeros((N_REASONS, length, n_features), np.int64))
        if length > self.longest:
            return tally
        watch = self._watch or Watch()

        def work(*_: int) -> None:
            rank_length(
                self._bitmaps, self._sets, self._scorer, self._asked, length, self._order,
                chosen, watch.is_stopped, ranking, tally,
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


def _prepare(searcher: Searcher, setting: Setting, depth: int) -> tuple[Bitmaps, Watch | None]:
    """Return the bitmaps of the conditions, and a watch if the search may take long."""
    plan = searcher.plan(Search(setting, depth, is_by_class=True), 1, engine="bitmap")
    engine = searcher.prepare("bitmap")
    assert isinstance(engine, BitmapEngine)
    return engine.bitmaps, watch_if_long(plan)


def _count_satisfied(sets: Sets, codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return how many conditions of each feature a row satisfies."""
    first_code = np.cumsum(sets.n_codes) - sets.n_codes
    own = first_code + np.maximum(codes, 0)
    counts: NDArray[np.int64] = sets.first_member[own + 1] - sets.first_member[own]
    return np.where(codes < 0, 0, counts)


def _count_rules(sets: Sets, codes: NDArray[np.int32], depth: int) -> list[list[int]]:
    """Count the rules of each length on the features from each one on; exact, however many."""
    counts = [[1] + [0] * depth]
    for n_satisfied in reversed(_count_satisfied(sets, codes).tolist()):
        later = counts[0]
        more = [n_satisfied * shorter for shorter in later[:-1]]
        counts.insert(0, [1, *map(int.__add__, later[1:], more)])
    return counts
