"""Bring the columns of a file to those of a model: order, names and types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from picrules.cli.output import show_names
from picrules.cli.tables import cells
from picrules.encoding.columns import Kind
from picrules.encoding.schema import CategoryFeature, Feature
from picrules.errors import BadDataFile
from picrules.rules.text import list_names

if TYPE_CHECKING:
    from picrules.cli.tables.source import Source


def find_sources(names: list[str], wanted: list[str], *, has_names: bool) -> list[str]:
    """Return the column of a file for each feature that a model wants.

    A model without names of its own takes columns in their order, if their number is right.
    """
    given = set(names)
    absent = [name for name in wanted if name not in given]
    if not absent:
        return wanted
    if not has_names and len(names) == len(wanted):
        return names
    if len(names) == 1 and len(wanted) > 1:
        hint = "; if that is a whole line, say what separates the cells with --delimiter"
    else:
        hint = "; add or rename the columns"
    raise BadDataFile(
        f"it lacks {len(absent)} of the {len(wanted)} columns that the model needs: "
        f"{show_names(absent)}; it has {show_names(names)}{hint}"
    )


def align_column(
    feature: Feature, name: str, column: pa.ChunkedArray, source: Source, first_row: int
) -> Any:
    """Write a column of a file in the type of a feature: a column, or a list for mixed types."""
    if isinstance(feature, CategoryFeature):
        return _to_categories(feature, column)
    if cells.is_empty(column) or not cells.is_text(column):
        return cells.plain(column)
    return cells.read_texts(name, column, source, first_row, is_date=feature.kind is Kind.DATE)


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
                f"{list_names(list(map(repr, classes)))}"
            )
    return aligned


def needs_objects(feature: Feature) -> bool:
    """Whether a feature has categories of several types, or too large for a column of integers."""
    categories = feature.categories if isinstance(feature, CategoryFeature) else ()
    is_long = any(isinstance(value, int) and abs(value) >= 2**63 for value in categories)
    return is_long or len(set(map(type, categories))) > 1


def _to_categories(feature: CategoryFeature, column: pa.ChunkedArray) -> Any:
    """Write cells as training wrote them: 5 and "5", true and "True" are the same category."""
    are_texts = all(isinstance(category, str) for category in feature.categories)
    has_texts = any(isinstance(category, str) for category in feature.categories)
    is_text = cells.is_text(column)
    if cells.is_empty(column) or not (is_text or has_texts):
        return cells.plain(column)
    if is_text and are_texts:
        return cells.encode(column)
    known = {_key(category): category for category in feature.categories}
    coded = cells.encode(column if is_text else cells.to_texts(column)).combine_chunks()
    # A text that no category is like was never seen, which counts as missing.
    values = [known.get(_key(text)) for text in coded.dictionary.to_pylist()]
    if needs_objects(feature):
        indices = coded.indices.to_pylist()
        return [None if index is None else values[index] for index in indices]
    return pa.chunked_array([pa.array(values).take(coded.indices)])


def _key(value: Any) -> str:
    """Write equal values alike: 5, 5.0 and "5"; True and "true"."""
    text = str(value).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        number = float(text)
    except ValueError:
        return text
    return repr(number) if "_" not in text else text
