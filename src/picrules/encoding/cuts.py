"""Where to cut the numbers of a column."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.rules.values import from_microseconds, to_microseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray


# The parts of a moment with the first of each, and steps that reach into the next year, month, ...
_FIRST = [("month", 1), ("day", 1), ("hour", 0), ("minute", 0), ("second", 0), ("microsecond", 0)]
_STEPS = [
    *(timedelta(days=days) for days in (366, 31, 1)),
    *(timedelta(seconds=seconds) for seconds in (3600, 60, 1)),
]


def cut_evenly(
    numbers: NDArray[np.float64], n_parts: int, *, is_date: bool, zone: str = ""
) -> NDArray[np.float64]:
    """Cut the range of a column into parts of equal width, at numbers that are short to print.

    A cut of more than four digits is moved by up to a tenth of a part, to the shortest number, for
    dates to the roundest moment, that parts the same numbers of the column. Of equally short ones
    it is the nearest.

    Examples
    --------
    >>> cut_evenly(np.array([0.0, 1.31, 1.72, 5.03]), 3, is_date=False)
    array([1.7, 3.4])
    """
    cuts = even_cuts(numbers, n_parts, is_date=is_date)
    if cuts.size == 0:
        return cuts
    known = np.unique(numbers[~np.isnan(numbers)])
    reach = (known[-1] / n_parts - known[0] / n_parts) / 10
    reach = np.floor(reach) if is_date else reach
    above = np.searchsorted(known, cuts, side="right")
    lows = np.maximum(known[above - 1], cuts - reach)
    highs = np.maximum(np.minimum(known[above], cuts + reach), np.nextafter(cuts, np.inf))
    shorten = partial(shortest_moment, zone=zone) if is_date else _shorten
    return np.array(list(map(shorten, lows.tolist(), highs.tolist(), cuts.tolist())))


def _shorten(low: float, high: float, cut: float) -> float:
    short = float(f"{cut:.4g}")
    is_noise = abs(short - cut) <= 1e-12 * abs(cut)
    return short if is_noise and low <= short < high else shortest_number(low, high, cut)


def cut_at_quantiles(
    numbers: NDArray[np.float64], n_parts: int, *, is_date: bool, zone: str = ""
) -> NDArray[np.float64]:
    """Cut a column into parts with as equal numbers of rows as its values allow.

    Each cut is the shortest number between two neighbouring values, or for dates the roundest
    moment, so that what is printed is what is used. NaN is missing.

    Examples
    --------
    >>> cut_at_quantiles(np.array([17.0, 23.4, 25.1, 99.0]), 2, is_date=False)
    array([24.])
    """
    known = np.sort(numbers[~np.isnan(numbers)])
    if known.size == 0:
        return np.empty(0)
    # The smallest value that has at least that share of the rows up to it.
    ranks = -(-np.arange(1, n_parts) * known.size // n_parts) - 1
    values = np.unique(known[np.maximum(ranks, 0)])
    above = np.searchsorted(known, values, side="right")
    is_inner = above < known.size
    between = partial(shortest_moment, zone=zone) if is_date else shortest_number
    pairs = zip(values[is_inner].tolist(), known[above[is_inner]].tolist(), strict=True)
    return np.array([between(low, high) for low, high in pairs], np.float64)


def shortest_number(low: float, high: float, near: float | None = None) -> float:
    """Return the number with the fewest digits from `low` up to, not including, `high`.

    Of several, the one nearest to one of them that is given, or to the middle.

    Examples
    --------
    >>> shortest_number(41.0, 42.0), shortest_number(0.12, 0.34), shortest_number(980.0, 1101.0)
    (41.0, 0.2, 1000.0)
    """
    middle = low / 2 + high / 2 if near is None else near
    with np.errstate(over="ignore"):
        width = np.float64(high) - low
    power = floor(log10(width)) + 1 if np.isfinite(width) else 308
    for exponent in range(power, power - 20, -1):
        rounded = [round_to(middle, exponent, floor), round_to(middle, exponent, ceil)]
        inside = [number for number in rounded if low <= number < high]
        if inside:
            return min(inside, key=lambda number: (abs(number - middle), number))
    return low if near is None else near


def round_to(number: float, exponent: int, rounding: Callable[[float], int]) -> float:
    """Round to a multiple of a power of ten; infinite where it would be too large.

    The digits are put together as text, because a product would bring rounding noise.
    """
    try:
        return float(f"{rounding(number / 10.0**exponent)}e{exponent}") + 0.0
    except (OverflowError, ZeroDivisionError):
        return float("inf")


def shortest_moment(low: float, high: float, near: float | None = None, zone: str = "") -> float:
    """Return the roundest moment from `low` up to, not including, `high`; all in microseconds.

    Of several, the one nearest to one of them that is given, or the last. It is round on the clocks
    of a zone.
    """
    middle = int(high) - 1 if near is None else int(near)
    for starts in _round_moments(from_microseconds(middle, zone)):
        moments = (float(to_microseconds(start)) for start in starts)
        inside = [moment for moment in moments if low <= moment < high]
        if inside:
            return min(inside, key=lambda moment: (abs(moment - middle), moment))
    return low if near is None else near


def _round_moments(moment: datetime) -> Iterator[list[datetime]]:
    """Give the starts of a year before and after a moment; then of a month, a day, ..."""
    for at, step in enumerate(_STEPS):
        first: dict[str, Any] = dict(_FIRST[at:])
        start = moment.replace(**first)
        try:
            yield [start, (start + step).replace(**first)]
        except OverflowError:  # there is no year 10,000
            yield [start]


def even_cuts(numbers: NDArray[np.float64], n_parts: int, *, is_date: bool) -> NDArray[np.float64]:
    """Return the cuts of equal width before they are moved.

    Where they are moved to follows from them, the extremes, and each cut's two neighbours.
    """
    cuts = equal_width_cuts(numbers, n_parts)
    # Dates are whole microseconds, so none changes sides.
    return np.unique(np.floor(cuts)) if is_date else cuts


def equal_width_cuts(numbers: NDArray[np.float64], n_parts: int) -> NDArray[np.float64]:
    """Cut the range of a column at `min + i * (max - min) / n_parts`; NaN is missing.

    A number belongs to the part with `lower < number <= upper`. A column with fewer than two
    values has no cuts.
    """
    known = numbers[~np.isnan(numbers)]
    if known.size == 0:
        return np.empty(0)
    low, high = known.min(), known.max()
    steps = np.arange(1, n_parts)
    with np.errstate(over="ignore"):
        reach = (high - low) * n_parts
    if np.isfinite(reach):
        cuts = low + steps * (high - low) / n_parts
    else:  # the range itself is larger than any float
        cuts = low * (1 - steps / n_parts) + high * (steps / n_parts)
    return np.unique(cuts[(low <= cuts) & (cuts < high)])
