"""How a file of rows is to be read; nothing heavy is imported here."""

from __future__ import annotations

from dataclasses import dataclass

FORMATS = {
    "csv": (".csv", ".tsv", ".txt", ".data"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet", ".pq"),
    "feather": (".feather", ".arrow", ".ipc"),
}
MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>")


# Cells of a CSV or JSON file that are Python objects at one time, about 100 bytes each.
_CELLS_AT_ONCE = 2**19
_MOST_ROWS = 2**13


def rows_at_once(n_columns: int) -> int:
    """Return how many rows of a file are read in one step; fewer where rows are long."""
    return max(1, min(_MOST_ROWS, _CELLS_AT_ONCE // n_columns))


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read."""

    format: str | None = None  # a key of `FORMATS`; None goes by its name or first bytes
    delimiter: str | None = None  # of a CSV file; None finds out
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()  # further texts that stand for a missing value
