"""Plain values: what a rule holds, whatever NumPy, pandas or an enumeration handed in."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np

from picrules.errors import BadRule
from picrules.rules.text import Bound, Value, show
from picrules.rules.zones import to_zone

# Up to here every whole number is a float64 of its own; beyond, floats merge some.
EXACT_LIMIT = 2**53

_PLAIN = frozenset({str, bool, int, float})
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  (dates are kept in UTC without a zone)


def to_name(feature: object) -> str:
    """Return the name of a feature as a plain `str`."""
    name = _to_plain(feature)
    if isinstance(name, str):
        return name
    raise _refusal("the feature of a condition", feature, "the name of a column as a text")


def to_value(value: object, role: str) -> Value:
    """Return a category or a class as an equal plain value; `role` names it in the error."""
    plain = _to_plain(value)
    if isinstance(plain, str | bool):
        return plain
    if isinstance(plain, int | float) and is_finite(plain):
        return plain + 0  # -0.0 equals 0.0 and becomes it, so that equal values print alike
    raise _refusal(role, value, "a text, a boolean or a finite number")


def is_finite(number: float) -> bool:
    """Whether a number is finite and a float can hold it."""
    try:
        return math.isfinite(number)
    except OverflowError:
        # No cell of a column of numbers equals such an integer, and the longest cannot be printed.
        return False


def to_bound(bound: object, feature: str) -> Bound:
    """Return an end of an interval as a float, a text or a moment, which keeps its offset."""
    plain = bound if type(bound) is float else _to_plain_bound(bound)
    if isinstance(plain, datetime | str):
        return plain
    if isinstance(plain, float) and not math.isnan(plain):
        return plain + 0.0  # -0.0 becomes 0.0, as in `to_value`
    accepted = "a number that a float holds, a moment in the years 1 to 9999 of UTC or a text"
    raise _refusal(f"an end of the interval of {feature!r}", bound, accepted)


def to_moment(day: date) -> datetime:
    """Return a date, or a moment with or without a zone, as a moment in UTC without a zone.

    Raises OverflowError or ValueError where that is outside the years 1 to 9999.
    """
    if not isinstance(day, datetime):
        return datetime(day.year, day.month, day.day)  # noqa: DTZ001
    moment = day if day.tzinfo is None else day.astimezone(UTC)
    # Rebuilt, because `replace` keeps a subclass such as pandas' Timestamp.
    time = (moment.hour, moment.minute, moment.second, moment.microsecond)
    return datetime(moment.year, moment.month, moment.day, *time)  # noqa: DTZ001


def to_microseconds(moment: datetime) -> int:
    """Count the microseconds from 1970 to a moment; without a zone it is in UTC."""
    utc = moment if moment.tzinfo is None else to_moment(moment)
    return (utc - _EPOCH) // timedelta(microseconds=1)


def from_microseconds(count: float, zone: str = "") -> datetime:
    """Return the moment that many microseconds after 1970, in UTC or with a named zone."""
    return to_zone(_EPOCH + timedelta(microseconds=int(count)), zone)


def _to_plain(value: object) -> object:
    # Most values are plain already, and a rule is built for each predicted row.
    if type(value) in _PLAIN:
        return value
    # Not by class: a NumPy duration counts as an integer there.
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    if isinstance(value, str):
        return str.__str__(value)  # an enumeration's own `str` may add the name of its class
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)  # `item` leaves a long double as it is
    return value


def _to_plain_bound(bound: object) -> object:
    """Return a float or a moment; anything else stays as it is or becomes None."""
    try:
        if isinstance(bound, np.datetime64):
            moment = bound.astype("datetime64[us]").item()
            return moment if isinstance(moment, datetime) else None
        if isinstance(bound, date):
            return _keep_offset(to_moment(bound), bound)
        plain = _to_plain(bound)
        return float(plain) if type(plain) is int else plain
    except (OverflowError, TypeError, ValueError):
        # Too large a number, a moment outside the years 1 to 9999 in UTC, or pandas' NaT.
        return None


def _keep_offset(moment: datetime, day: date) -> datetime:
    """Return a moment in UTC with the offset of the one that it was made of, if that has one.

    Not with its zone: Python holds equal moments of two zones to differ where a clock is put back.
    """
    offset = day.utcoffset() if isinstance(day, datetime) else None
    if offset is None:
        return moment
    return moment.replace(tzinfo=UTC).astimezone(timezone(offset))


def _refusal(role: str, value: object, accepted: str) -> BadRule:
    kind = type(value).__name__
    return BadRule(f"{role} is {show(value)} ({kind}); {accepted} is accepted")
