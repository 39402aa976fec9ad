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
    """How a file is to be read.

    Attributes
    ----------
    format : str or None
        A key of `FORMATS`; None goes by the name of the file or by its first bytes.
    delimiter : str or None
        What separates the columns of a CSV file; None finds out.
    encoding : str
        How the text of a CSV file is written.
    missing : tuple of str
        Further texts that stand for a missing value.
    """

    format: str | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()
