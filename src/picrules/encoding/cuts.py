"""Where to cut the numbers of a column."""

from __future__ import annotations

from datetime import timedelta
from math import ceil, floor, log10
from typing import TYPE_CHECKING

import numpy as np

from picrules.rules.values import from_microseconds, to_microseconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def cut_evenly(numbers: NDArray[np.float64], n_parts: int, *, is_date: bool) -> NDArray[np.float64]:
    """Cut the range of a column into parts of equal width, at numbers that are short to print."""
    cuts = equal_width_cuts(numbers, n_parts)
    # Dates are whole microseconds, so no date changes sides when its cut is rounded down.
    return np.unique(np.floor(cuts)) if is_date else shorten_cuts(cuts, numbers)


def cut_at_quantiles(
    numbers: NDArray[np.float64], n_parts: int, *, is_date: bool
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
    between = shortest_moment if is_date else shortest_number
    pairs = zip(values[is_inner].tolist(), known[above[is_inner]].tolist(), strict=True)
    return np.array([between(low, high) for low, high in pairs], np.float64)


def shortest_number(low: float, high: float) -> float:
    """Return the number with the fewest digits from `low` up to, not including, `high`.

    Of several, the one nearest to the middle.

    Examples
    --------
    >>> shortest_number(41.0, 42.0), shortest_number(0.12, 0.34), shortest_number(980.0, 1101.0)
    (41.0, 0.2, 1000.0)
    """
    middle = low / 2 + high / 2
    with np.errstate(over="ignore"):
        width = np.float64(high) - low
    power = floor(log10(width)) + 1 if np.isfinite(width) else 308
    for exponent in range(power, power - 20, -1):
        rounded = [round_to(middle, exponent, floor), round_to(middle, exponent, ceil)]
        inside = [number for number in rounded if low <= number < high]
        if inside:
            return min(inside, key=lambda number: (abs(number - middle), number))
    return low


def round_to(number: float, exponent: int, rounding: Callable[[float], int]) -> float:
    """Round to a multiple of a power of ten; infinite where it would be too large.

    The digits are put together as text, because a product would bring rounding noise.
    """
    try:
        return float(f"{rounding(number / 10.0**exponent)}e{exponent}") + 0.0
    except (OverflowError, ZeroDivisionError):
        return float("inf")


def shortest_moment(low: float, high: float) -> float:
    """Return the roundest moment from `low` up to, not including, `high`; all in microseconds."""
    last = from_microseconds(high) - timedelta(microseconds=1)
    second = last.replace(microsecond=0)
    minute = second.replace(second=0)
    hour = minute.replace(minute=0)
    day = hour.replace(hour=0)
    month = day.replace(day=1)
    for start in (month.replace(month=1), month, day, hour, minute, second):
        moment = float(to_microseconds(start))
        if moment >= low:
            return moment
    return low


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


def shorten_cuts(cuts: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round cuts to 12 digits, unless a number of the column would change sides.

    This takes away float noise, so that a cut can be printed exactly and still be read.
    """
    return np.unique([_shorten(cut, numbers) for cut in cuts.tolist()])


def _shorten(cut: float, numbers: NDArray[np.float64]) -> float:
    short = float(f"{cut:.12g}")
    low, high = min(cut, short), max(cut, short)
    return cut if low < high and ((low < numbers) & (numbers <= high)).any() else short
