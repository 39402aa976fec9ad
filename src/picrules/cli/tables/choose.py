"""Find the one row that the user means: by its number, or by its cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from picrules.cli.tables import cells
from picrules.cli.tables.kinds import check_columns
from picrules.rules.text import show

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class WantedRow:
    """Which row is wanted: by its number, or by its cells."""

    row: int | None  # the first row of the file is 1
    cells: dict[str, str]

    def find(self, table: pa.Table, first_row: int) -> list[int]:
        """Return the positions in a chunk of the rows that fit."""
        if self.row is not None:
            position = self.row - first_row
            return [position] if 0 <= position < len(table) else []
        texts = {name: cells.to_texts(table.column(name)).to_pylist() for name in self.cells}
        return [
            position
            for position in range(len(table))
            if all(_is_like(texts[name][position], text) for name, text in self.cells.items())
        ]

    def not_found(self, n_rows: int) -> typer.BadParameter:
        """Say that no row fits."""
        if self.row is not None:
            return typer.BadParameter(f"--row is {self.row}; the file has the rows 1 to {n_rows}")
        wanted = " and ".join(f"{name}={text}" for name, text in self.cells.items())
        return typer.BadParameter(f"--where is {show(wanted)}; none of the {n_rows} rows fits")


def read_wanted(row: int | None, where: list[str], names: list[str]) -> WantedRow:
    """Read the options --row and --where, of which exactly one must be given."""
    if (row is None) == (not where):
        raise typer.BadParameter("say which row: --row N, or --where COL=VALUE, and not both")
    return WantedRow(row, dict(_read_cell(text, names) for text in where))


def _read_cell(text: str, names: list[str]) -> tuple[str, str]:
    """Part COL=VALUE; a name may hold "=" itself, so the longest name that fits is meant."""
    fitting = [name for name in names if text.startswith(f"{name}=")]
    if fitting:
        name = max(fitting, key=len)
        return name, text[len(name) + 1 :].strip()
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"--where is {show(text)}; COL=VALUE is accepted")
    check_columns("--where", [name.strip()], names)
    return name.strip(), value.strip()


def _is_like(cell: str | None, text: str) -> bool:
    """Whether a cell is the text, or the same number; an empty text means a missing cell."""
    if cell is None or text == "":
        return cell is None and text == ""
    return cell.strip() == text or _number(cell) == _number(text) is not None


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return None
