"""Time zones by name: `America/New_York`, `+05:30` or `UTC`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

# Names are short and plain, whoever wrote them: they come from model files, too.
_NAME = re.compile(
    r"[+-](?:[01]\d|2[0-3]):[0-5]\d|[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,3}"
)
_LONGEST = 64


def is_zone(name: object) -> bool:
    """Whether a value can be the name of a zone."""
    return isinstance(name, str) and len(name) <= _LONGEST and bool(_NAME.fullmatch(name))


def name_zone(zone: tzinfo | str | None) -> str:
    """Return the name of a zone as libraries give it; "" for none.

    A zone that has neither a name nor one offset is called UTC: moments are shown there.
    """
    if zone is None:
        return ""
    # Python's zones have a key, those of pytz, which older versions of pandas use, a zone.
    name = zone if isinstance(zone, str) else getattr(zone, "key", getattr(zone, "zone", None))
    if name is None and isinstance(zone, tzinfo):
        name = _name_offset(zone.utcoffset(None))
    return str(name) if is_zone(name) else "UTC"


def _name_offset(offset: timedelta | None) -> str | None:
    if not offset:
        return None
    minutes = offset // timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


@lru_cache(maxsize=64)
def find_zone(name: str) -> tzinfo:
    """Return a zone by its name; UTC where this machine does not know it."""
    if name[0] in "+-":
        sign = -1 if name[0] == "-" else 1
        return timezone(sign * timedelta(hours=int(name[1:3]), minutes=int(name[4:])))
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # not a name, a folder of names, or none that is known
        return UTC


def to_zone(moment: datetime, zone: str) -> datetime:
    """Return a moment that is in UTC without a zone as one of a named zone; "" leaves it."""
    if not zone:
        return moment
    aware = moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(find_zone(zone))
    except OverflowError:  # at the ends of the years 1 to 9999
        return aware
