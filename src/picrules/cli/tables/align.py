"""Bring the columns of a file to those of a model: order, names and types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from picrules.cli.output import show_names
from picrules.cli.tables import cells
from picrules.encoding.columns import Kind
from picrules.encoding.schema import CategoryFeature
from picrules.errors import BadDataFile

if TYPE_CHECKING:
    from picrules.encoding.schema import NumberFeature

_BOOLEANS = {"true": True, "false": False}


class Alignment:
    """The way from the columns of a file to the features of a model."""

    def __init__(self, clf: Any, names: list[str]) -> None:
        self.features = clf.schema_.features
        has_names = hasattr(clf, "feature_names_in_")
        wanted = [feature.name for feature in self.features]
        given = set(names)
        absent = [name for name in wanted if name not in given]
        # A model that knows no names takes columns in their order.
        self.is_by_position = bool(absent) and not has_names and len(names) == len(wanted)
        if absent and not self.is_by_position:
            raise _absent(absent, wanted, names)
        self.sources = names if self.is_by_position else wanted
        used = set(self.sources)
        self.extra = [name for name in names if name not in used]
        # An array holds what no column of one type can; a model without names takes arrays alone.
        self.is_array = not has_names or any(map(_needs_objects, self.features))

    def align(self, table: pa.Table, first_row: int = 1) -> Any:
        """Return the features of a chunk as the model takes them: a table, or an array of objects.

        `first_row` is the number of its first row, for errors.
        """
        columns = [
            _align(feature, source, table.column(source), first_row)
            for feature, source in zip(self.features, self.sources, strict=True)
        ]
        if not self.is_array:
            return pa.Table.from_arrays(columns, [feature.name for feature in self.features])
        return np.array([_to_list(column) for column in columns], object).T


def align_classes(name: str, values: list[Any], classes: list[Any]) -> list[Any]:
    """Write classes as the model writes them: 5 and "5", true and "True" are the same class.

    A class that the model does not know is kept if it is of the same type as the others.
    """
    known = {_key(one): one for one in classes}
    aligned = [known.get(_key(value), value) for value in values]
    if isinstance(classes[0], str):
        return [str(value) for value in aligned]
    for value in aligned:
        if type(value) is not type(classes[0]):
            raise BadDataFile(
                f"the column {name!r} holds the class {value!r}; the classes of the model are "
                f"{', '.join(map(repr, classes[:10]))}{', ...' if len(classes) > 10 else ''}"
            )
    return aligned


def _needs_objects(feature: CategoryFeature | NumberFeature) -> bool:
    """Whether a feature has categories of several types, or too large for a column of integers."""
    if not isinstance(feature, CategoryFeature):
        return False
    whole = [value for value in feature.categories if isinstance(value, int)]
    return len(set(map(type, feature.categories))) > 1 or any(abs(v) >= 2**63 for v in whole)


def _align(
    feature: CategoryFeature | NumberFeature, source: str, column: pa.ChunkedArray, first_row: int
) -> Any:
    column = cells.plain(column)
    if isinstance(feature, CategoryFeature):
        return _to_categories(feature, column)
    if cells.is_empty(column) or not cells.is_text(column):
        return column
    if feature.kind is Kind.DATE:
        return cells.to_dates(source, column, first_row)
    return cells.to_numbers(source, column, first_row)


def _to_categories(feature: CategoryFeature, column: pa.ChunkedArray) -> Any:
    """Write cells as training wrote them: 5 and "5", true and "True" are the same category."""
    are_texts = all(isinstance(category, str) for category in feature.categories)
    has_texts = any(isinstance(category, str) for category in feature.categories)
    is_text = cells.is_text(column)
    if cells.is_empty(column) or (is_text and are_texts) or not (is_text or has_texts):
        return column
    known = {_key(category): category for category in feature.categories}
    coded = cells.to_texts(column).combine_chunks().dictionary_encode()
    # A text that no category is like was never seen, which counts as missing.
    values = [known.get(_key(text)) for text in coded.dictionary.to_pylist()]
    if _needs_objects(feature):
        indices = coded.indices.to_pylist()
        return [None if index is None else values[index] for index in indices]
    return pa.chunked_array([pa.array(values).take(coded.indices)])


def _to_list(column: Any) -> list[Any]:
    return column if isinstance(column, list) else list(column.to_pylist())


def _key(value: Any) -> str:
    """Write equal values alike: 5, 5.0 and "5"; True and "true"."""
    text = str(value).strip()
    if text.lower() in _BOOLEANS:
        return text.lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return repr(number) if "_" not in text else text


def _absent(absent: list[str], wanted: list[str], names: list[str]) -> BadDataFile:
    if len(names) == 1 and len(wanted) > 1:
        hint = "; if that is a whole line, say what separates the cells with --delimiter"
    else:
        hint = "; add or rename the columns"
    return BadDataFile(
        f"it lacks {len(absent)} of the {len(wanted)} columns that the model needs: "
        f"{show_names(absent)}; it has {show_names(names)}{hint}"
    )
