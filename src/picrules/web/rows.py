"""Rows from outside, as JSON or as texts of a form, turned into cells that a model takes."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from picrules.encoding.columns import Kind, read_arrays
from picrules.encoding.row import plain_cell, read_cell
from picrules.encoding.schema import CategoryFeature
from picrules.errors import PicrulesError
from picrules.rules.text import format_bound, list_names, show
from picrules.rules.values import EXACT_LIMIT
from picrules.web.problems import BadField

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from picrules.encoding.columns import Column
    from picrules.encoding.schema import Feature, Schema

Cells: TypeAlias = "list[Any]"  # of one row, in column order; None is missing


class RowReader:
    """Reads rows by the schema of a model; what it refuses, it names."""

    def __init__(self, schema: Schema) -> None:
        self.features = schema.features
        self.names = [feature.name for feature in schema.features]
        self._known = set(self.names)
        self._by_text = {
            feature.name: {str(value): value for value in feature.categories}
            for feature in schema.features
            if isinstance(feature, CategoryFeature)
        }

    def read(self, row: Mapping[str, Any], where: str = "row") -> Cells:
        """Read a row with one cell for each column; `where` is its place in the request."""
        for name in row:
            if name not in self._known:
                raise BadField(
                    f"{where}.{name}",
                    f"there is no column {show(name)}; the columns are {list_names(self.names)}",
                )
        cells = []
        for feature in self.features:
            if feature.name not in row:
                raise BadField(
                    f"{where}.{feature.name}",
                    f"the cell {show(feature.name)} is not there; one for each column is "
                    "accepted, null where it is missing",
                )
            cells.append(self.read_cell(feature, row[feature.name], where))
        return cells

    def read_all(self, rows: Sequence[Mapping[str, Any]]) -> list[Cells]:
        """Read several rows."""
        return [self.read(row, f"rows.{number}") for number, row in enumerate(rows)]

    def read_texts(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Read cells of a form by column name; an empty text is missing, and so are others."""
        feature_of = {feature.name: feature for feature in self.features}
        for name in texts:
            if name not in feature_of:
                raise BadField(name, f"there is no column {show(name)}")
        return {
            name: self.read_cell(feature_of[name], text.strip() or None, "case")
            for name, text in texts.items()
        }

    def read_cell(self, feature: Feature, cell: Any, where: str) -> Any:
        """Read one cell as the model would, or say that it cannot be read."""
        if cell is None or cell != cell:  # noqa: PLR0124  (NaN is missing)
            return None
        if isinstance(feature, CategoryFeature):
            by_text = self._by_text[feature.name]
            return by_text.get(cell, cell) if isinstance(cell, str) else cell
        # What follows is what the model would do, only quicker for the usual cell.
        is_number = type(cell) is int or type(cell) is float
        if is_number and feature.kind is Kind.NUMBER and abs(cell) < EXACT_LIMIT:
            return cell
        try:
            return plain_cell(feature, read_cell(feature.name, _to_date(feature, cell)))
        except (PicrulesError, OverflowError) as error:
            raise BadField(f"{where}.{feature.name}", str(error)) from None

    def make_example(self) -> Cells:
        """Return a row of cells that the model knows."""
        return [_make_cell(feature) for feature in self.features]

    def to_columns(self, rows: Sequence[Cells]) -> list[Column]:
        """Return rows as columns."""
        array = np.empty((len(rows), len(self.names)), object)
        for number, cells in enumerate(rows):
            array[number] = cells
        return read_arrays(self.names, array)


def _make_cell(feature: Feature) -> Any:
    if isinstance(feature, CategoryFeature):
        return feature.categories[0] if feature.categories else None
    condition: Any = feature.condition(0) if feature.cuts else None
    return None if condition is None else condition.upper


def _to_date(feature: Feature, cell: Any) -> Any:
    """Read a text in a column of dates: JSON and forms have no dates."""
    if feature.kind is not Kind.DATE or not isinstance(cell, str):
        return cell
    try:
        return datetime.fromisoformat(cell)
    except ValueError:
        return cell


def to_text(cell: Any) -> str:
    """Write a cell as a form holds it."""
    if cell is None:
        return ""
    if isinstance(cell, datetime):
        return format_bound(cell)
    if isinstance(cell, date):
        return cell.isoformat()
    return str(cell)
