"""The best rules of one row in order, whatever their class, and what the search for them did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from picrules.engines.found import Rules
from picrules.kernels.ranked import CANNOT_BEAT, N_REASONS, SAME_COVER, TOO_SMALL, Chosen
from picrules.kernels.ranking import Ranking
from picrules.model.row_search import RowSearch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.kernels.ranked import Tally
    from picrules.model.searcher import Searcher
    from picrules.scoring.settings import Setting


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rules with their classes, the best first.

    Attributes
    ----------
    rules : Rules
        Their conditions and class counts; the counts are those of all training rows, also
        of the row left out.
    labels : int64 array of shape (n_rules,)
        Their classes.
    scores : float64 array of shape (n_rules,)
        Their scores.
    values : float64 array of shape (n_rules,)
        What they are ordered by: the score plus the offset of the class.
    """

    rules: Rules
    labels: NDArray[np.int64]
    scores: NDArray[np.float64]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, slots=True)
class Trace:
    """What the search for the best rule of a row did, one entry a length from 1 on.

    For each length `looked_at + cannot_beat + same_cover + too_small == possible`.

    Attributes
    ----------
    possible : tuple of int
        Rules that cover the row.
    looked_at : tuple of int
        Rules whose cover was counted.
    cannot_beat : tuple of int
        Rules never looked at, since their first conditions have too few hits of any class.
    same_cover : tuple of int
        Rules never looked at, since one of their first conditions excludes no row.
    too_small : tuple of int
        Rules never looked at, since their first conditions cover too few rows.
    best : Ranked
        The best rule of that length or shorter; its length is 0 where there is none yet.
    longest : int
        Conditions of the longest rule that covers the row: the search was complete if it
        went so far.
    """

    possible: tuple[int, ...]
    looked_at: tuple[int, ...]
    cannot_beat: tuple[int, ...]
    same_cover: tuple[int, ...]
    too_small: tuple[int, ...]
    best: Ranked
    longest: int


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
    """Find the best rules that cover a row, whatever their class.

    A set of conditions counts once, with its best class. Rules of which a condition excludes
    no row are not listed: the shorter rule says the same.

    Parameters
    ----------
    searcher : Searcher
        The training rows and the conditions.
    codes : int32 array of shape (n_features,)
        The row; -1 is missing.
    setting : Setting
        How rules are scored.
    depth : int
        The longest rules that are looked at.
    offset : float64 array of shape (n_classes,)
        Added to the scores of each class.
    top : int
        How many rules are wanted; there may be fewer.
    max_overlap : float
        How many rows two listed rules may have in common, as a share of the rows that
        either of them covers; with 1 only the conditions must differ.
    left_out : int
        The class of the row where it is a training row and must not count itself, or -1.
    is_class_first : bool
        What settles a tie: True for the more frequent class, then the conditions, as
        `PersonalRuleClassifier` decides; False for the conditions, then the class, as PIC
        and fPIC do.

    Returns
    -------
    Ranked
        The rules, the best first.
    """
    search = RowSearch(searcher, codes, setting, depth, offset, left_out, is_class_first)
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

    Parameters
    ----------
    searcher, codes, setting, depth, offset, left_out, is_class_first
        As in `rank_rules`.

    Returns
    -------
    Trace
        The counts, and the best rule after each length.
    """
    search = RowSearch(searcher, codes, setting, depth, offset, left_out, is_class_first)
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


def _to_ranked(rankings: list[Ranking], *, is_cut: bool = True) -> Ranked:
    """Put lists one after the other, without the places that are empty unless told."""
    columns = [np.concatenate(arrays) for arrays in zip(*rankings, strict=True)]
    kept = columns[4] > 0 if is_cut else np.ones(len(columns[4]), np.bool_)
    values, scores, labels, *rules = (column[kept] for column in columns[1:])
    return Ranked(Rules(*rules), labels, scores, values)
