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


def setting(which: str, dataset: str) -> int:
    """A setting that the paper gives by data set: bins, PIC_max_length or fPIC_max_length."""
    values = paper_tables()["settings"][which]
    return values.get(dataset, values["default"])
