"""Find out how the columns of a CSV file are separated."""

from __future__ import annotations

import csv

CANDIDATES = (",", ";", "\t", "|")
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

_N_LINES = 20


def find_delimiter(head: str) -> str:
    r"""Return the delimiter that cuts the first lines of a file into most columns alike.

    Parameters
    ----------
    head : str
        The first lines; the last may be cut off.

    Returns
    -------
    str
        One of the candidates; a comma where none cuts anything.

    Examples
    --------
    >>> find_delimiter("age;name\n41;Lovelace, Ada\n")
    ';'
    """
    lines = head.splitlines()
    lines = (lines[:-1] if len(lines) > 1 and not head.endswith("\n") else lines)[:_N_LINES]
    return max(CANDIDATES, key=lambda delimiter: _quality(lines, delimiter))


def _quality(lines: list[str], delimiter: str) -> tuple[bool, int]:
    """Whether all lines have the same number of cells, more than one; and this number."""
    try:
        counts = [len(cells) for cells in csv.reader(lines, delimiter=delimiter) if cells]
    except csv.Error:
        return False, 0
    if not counts or counts[0] == 1:
        return False, 0
    return len(set(counts)) == 1, counts[0]
