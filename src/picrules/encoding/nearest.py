"""Values inside the cells of a number feature: near a given value, and short to read."""

from __future__ import annotations

from math import floor, inf, isfinite, isinf, isnan, log10, nextafter
from typing import TYPE_CHECKING

import numpy as np

from picrules.encoding.cells import LAST_MOMENT
from picrules.encoding.columns import Kind
from picrules.encoding.cuts import round_to, shortest_moment, shortest_number
from picrules.rules.values import EXACT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from picrules.encoding.schema import NumberFeature

# From the lowest to the highest accepted number, both included.
Span = tuple[float, float]
ANY_NUMBER: Span = (-inf, inf)

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_UNITS = (_DAY, 3_600 * _SECOND, 60 * _SECOND, _SECOND)

# Less than this, relative to the number, is the noise of arithmetic.
_NOISE = 1e-9


def cell_span(feature: NumberFeature, code: int, within: Span = ANY_NUMBER) -> Span | None:
    """Return the lowest and the highest number of a cell that lie in a range; None without any."""
    upper = feature.cuts[code] if code < len(feature.cuts) else inf
    low = max(_number_after(feature, _lower_end(feature, code)), within[0])
    high = min(upper, within[1])
    return (low, high) if low <= high and low < inf else None


def nearest_number(
    feature: NumberFeature, code: int, current: float, within: Span = ANY_NUMBER
) -> float:
    """Return a number of a cell and a range that is near the current one, and short to read.

    Below the current number it is the upper end of the cell; above it, where there is no
    nearest one, a short number just over the lower end. Where the column seems to hold whole
    numbers or whole days only, it is one of these if the cell has one. Where the current number is
    missing (NaN) it is the shortest of the cell. The current number lies in another cell.

    Examples
    --------
    >>> from picrules.encoding.schema import NumberFeature
    >>> age, size = NumberFeature("age", (17.0, 41.0)), NumberFeature("size", (1.25, 4.7))
    >>> nearest_number(age, 1, 60.0), nearest_number(age, 2, 39.0), nearest_number(size, 1, 0.3)
    (41.0, 42.0, 1.3)
    """
    span = cell_span(feature, code, within)
    assert span is not None, "the cell has no number in the range"
    low, high = span
    lower = _lower_end(feature, code)
    # Where the range begins within the cell, its own lowest number is the nearest.
    cut = lower if low == _number_after(feature, lower) else None
    numbers = _numbers_inside(feature, current, span, cut)
    highest = min(high, LAST_MOMENT) if feature.kind is Kind.DATE else high
    return next(number for number in numbers if low <= number <= highest and isfinite(number))


def seems_whole(feature: NumberFeature, current: float) -> bool:
    """Tell whether a column may hold whole numbers only, by its cuts and one of its values.

    The cuts of such a column are whole where they lie at quantiles. Where they lie evenly, they
    are whole after multiplication with the number of parts.
    """
    cuts = np.array(feature.cuts)
    # Larger floats are all whole.
    steps = cuts[np.abs(cuts) < EXACT_LIMIT] * feature.n_codes
    noise = _NOISE * np.maximum(np.abs(steps), 1)
    is_even = bool((np.abs(steps - np.round(steps)) <= noise).all())
    return is_even and (isnan(current) or float(current).is_integer())


def _numbers_inside(
    feature: NumberFeature, current: float, span: Span, cut: float | None
) -> Iterator[float]:
    """Give numbers to try, the best first; some may lie outside of the span."""
    low, high = span
    if feature.kind is Kind.DATE:
        unit, is_whole = _DAY, isnan(current) or current % _DAY == 0
    else:
        unit, is_whole = 1, seems_whole(feature, current)
    if current > high:
        if is_whole:
            yield high // unit * unit
        yield high
    elif isnan(current) and isfinite(high):
        if isfinite(low) and low < high:
            if feature.kind is Kind.DATE:
                yield shortest_moment(low, high, zone=feature.zone)
            else:  # it takes the lower end in and leaves the upper one out; a cell does the reverse
                yield -shortest_number(-high, -nextafter(low, -inf))
        yield high
    elif isinf(low):
        yield min(0.0, high)
    else:
        if is_whole:
            yield -(-low // unit) * unit + 0.0  # never -0.0
        if cut is not None:
            yield from _just_over(feature, cut, high)
        yield low


def _just_over(feature: NumberFeature, cut: float, high: float) -> Iterator[float]:
    """Give short numbers over a cut, at first within a tenth of the cell's width."""
    if feature.kind is Kind.DATE:
        yield from ((cut // unit + 1) * unit for unit in _UNITS)
        return
    width = high - cut
    if isinf(width):
        gaps = np.diff(feature.cuts)
        width = float(np.median(gaps)) if len(gaps) else abs(cut) or 1.0
    power = floor(log10(width)) - 1 if isfinite(width) else 0
    for exponent in range(power, power - 20, -1):
        # A quotient can be a bit too low; then the next number is the cut itself.
        yield round_to(cut, exponent, lambda number: floor(number) + 1)
        yield round_to(cut, exponent, lambda number: floor(number) + 2)


def _lower_end(feature: NumberFeature, code: int) -> float:
    return feature.cuts[code - 1] if code else -inf


def _number_after(feature: NumberFeature, lower: float) -> float:
    """Return the lowest number above a cut; dates go by whole microseconds."""
    if isinf(lower):
        return lower
    following = nextafter(lower, inf)
    return max(lower + 1, following) if feature.kind is Kind.DATE else following
