"""The bitmap engine for conditions that are sets of codes: each row searched depth first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.engines.base import TrainingTable
from picrules.engines.bitmap import BLOCKS_A_THREAD, first_words, row_bits
from picrules.engines.boxes import BoxRules, Found
from picrules.kernels.bits import Bitmaps, count_both, pack_conditions
from picrules.kernels.box_search import BestBoxes, search_boxes
from picrules.kernels.boxes import ALL_BUT_ONE
from picrules.kernels.threads import Watch, run_blocks, split_evenly
from picrules.scoring.settings import part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.kernels.boxes import Rows, Sets
    from picrules.kernels.judge import Judge


class BoxBitmap:
    """Counts covers by AND and popcount; for many features and few rows that ask.

    Parameters
    ----------
    training : Rows
        The training rows, with the features that have conditions.
    sets : Sets
        The conditions.
    n_classes : int
        How many classes there are.
    """

    kernels: tuple[Any, ...] = (search_boxes,)

    def __init__(self, training: Rows, sets: Sets, n_classes: int) -> None:
        self.sets = sets
        sizes = np.bincount(training.labels, minlength=n_classes).astype(np.int64)
        table = TrainingTable(training.codes, training.labels, sets.n_codes, sizes)
        starts = first_words(sizes)
        first_code = np.concatenate(([0], np.cumsum(sets.n_codes)))
        code_words = np.zeros((first_code[-1], starts[-1]), np.uint64)
        pack_conditions(table.codes, row_bits(table, starts), first_code, code_words)
        words = _join_codes(sets, first_code, code_words)
        counts = np.zeros((len(words), n_classes), np.int64)
        for condition in range(len(words)):
            count_both(words[condition], words[condition], starts, counts[condition])
        self.bitmaps = Bitmaps(words, counts, sets.first, starts, sizes, table.class_order)

    def raise_scores(
        self,
        asked: Rows,
        judge: Judge,
        length: int,
        best: NDArray[np.float64],
        n_threads: int,
        watch: Watch | None = None,
    ) -> None:
        """Raise the best scores over all rules up to a length (see `BoxEngine`)."""
        for setting in range(best.shape[2]):
            one = part_of(judge, slice(setting, setting + 1))
            found = self.search(asked, one, length, n_threads, watch)
            np.maximum(best[:, :, setting], found.scores, out=best[:, :, setting])

    def search(
        self,
        asked: Rows,
        judge: Judge,
        max_length: int,
        n_threads: int,
        watch: Watch | None = None,
    ) -> Found:
        """Find the best rule of each row and class (see `BoxEngine`)."""
        n_rows, n_classes = asked.labels.shape[0], self.bitmaps.class_sizes.shape[0]
        shape = (n_rows, n_classes, max_length)
        best = BestBoxes(
            np.full(shape[:2], -np.inf),
            np.zeros(shape[:2], np.int64),
            np.full(shape, -1, np.int64),
            np.full(shape, -1, np.int64),
            np.zeros((n_rows, n_classes, n_classes), np.int64),
        )
        is_stopped = np.zeros(1, np.uint8) if watch is None else watch.is_stopped

        def work(_: int, start: int, stop: int) -> None:
            search_boxes(
                self.bitmaps, self.sets, judge, asked, start, stop, max_length, is_stopped, best
            )

        blocks = split_evenly(n_rows, n_threads * BLOCKS_A_THREAD)
        run_blocks(work, blocks, n_threads, watch, 1 / n_rows)
        return FoundByBitmaps(best)


class FoundByBitmaps(Found):
    """The best rules of all rows and classes."""

    def __init__(self, best: BestBoxes) -> None:
        self._best = best
        self.scores = best.scores

    def rules(self, rows: NDArray[np.int64], labels: NDArray[np.int64]) -> BoxRules:
        """Return the best rules of some rows for some classes (see `Found`)."""
        return BoxRules(*(array[rows, labels] for array in self._best[1:]))


def box_bitmap_bytes(sets: Sets, n_rows: int, n_classes: int) -> int:
    """Return the memory that the bitmaps of all conditions and codes take."""
    n_bitmaps = int(sets.first[-1] + sets.n_codes.sum())
    return n_bitmaps * (n_rows // 64 + 33 * n_classes) * 8


def _join_codes(
    sets: Sets, first_code: NDArray[np.int64], code_words: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Make the bitmap of each condition from those of its codes."""
    words = np.zeros((sets.first[-1], code_words.shape[1]), np.uint64)
    for feature in range(len(sets.n_codes)):
        first = sets.first[feature]
        own = code_words[first_code[feature] : first_code[feature + 1]]
        for condition in range(first, sets.first[feature + 1]):
            parent, code = sets.parents[condition], sets.codes[condition]
            if parent == ALL_BUT_ONE:
                words[condition] = np.bitwise_or.reduce(np.delete(own, code, axis=0), axis=0)
            else:
                words[condition] = own[code]
                if parent >= 0:
                    words[condition] |= words[first + parent]
    return words
