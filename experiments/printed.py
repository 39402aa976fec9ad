"""The numbers and settings that the paper prints."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

PRINTED = Path(__file__).with_name("printed.json")


@cache
def paper_tables() -> dict[str, Any]:
    """Read the tables of the paper as nested dicts: quantity, data set, method."""
    return json.loads(PRINTED.read_text())


def bins_of(name: str) -> int:
    """Into how many parts the paper cuts the numbers of a data set."""
    bins = paper_tables()["settings"]["bins"]
    return bins.get(name, bins["default"])


def pic_max_length_of(name: str) -> int:
    """The longest rule that the paper lets PIC look at."""
    lengths = paper_tables()["settings"]["PIC_max_length"]
    return lengths.get(name, lengths["default"])
