"""Checks of the classes to learn."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from picrules.encoding.cells import is_boolean, is_missing, is_number
from picrules.encoding.tables import (
    check_target,
    is_frame,
    is_series,
    names_of,
    split_column,
    without_dictionary,
)
from picrules.errors import BadTarget
from picrules.rules.text import list_names, show

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ACCEPTED = "text, booleans or whole numbers are accepted as classes"
_REFUSED = {"M": "dates", "m": "durations", "S": "bytes"}  # by the kind of the dtype


def split_target(X: Any, y: Any) -> tuple[Any, Any]:
    """Return a table without the column that `y` names, and that column; or both as they are."""
    if not isinstance(y, str):
        return X, y
    if not is_frame(X):
        raise BadTarget(
            f"y is {show(y)}, the name of a column, and X is no table with named columns; the "
            "class of each row is accepted, too"
        )
    check_target(y, names_of(X))
    return split_column(X, y)


def encode_target(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the distinct classes in sorted order, and each row's position among them.

    `y` is an array, list or series of text, booleans or whole numbers, all of one kind.
    """
    if y is None:
        raise BadTarget("fit requires y to be passed, but the target y is None")
    classes = _to_array(y)
    if len(classes) != n_rows:
        raise BadTarget(
            f"X has {n_rows} rows and y has {len(classes)}; inconsistent numbers of samples, "
            "one class per row is accepted"
        )
    if classes.dtype.kind in "OT":
        values = classes.tolist()
        encoded = _encode_texts(values)
        if encoded is not None:
            return encoded
        classes = _read_objects(values)
    _check_classes(classes)
    unique, labels = np.unique(classes, return_inverse=True)
    return unique, labels.astype(np.int64)


def place_classes(classes: NDArray[Any], known: NDArray[Any]) -> NDArray[np.int64]:
    """Return the position of each class among those that are known; -1 where it is none."""
    label_of = {value: label for label, value in enumerate(known.tolist())}
    return np.array([label_of.get(value, -1) for value in classes.tolist()], np.int64)


def encode_known(y: Any, n_rows: int, known: NDArray[Any]) -> NDArray[np.int64]:
    """Return each row's position among the classes that all rows were found to have."""
    classes, labels = encode_target(y, n_rows)
    places = place_classes(classes, known)
    if len(places) and places.min() < 0:
        raise came_later(classes.tolist()[int(places.argmin())])
    return places[labels]


def came_later(value: Any) -> BadTarget:
    """Return what says that rows changed while they were counted."""
    return BadTarget(
        f"there are rows of the class {show(value)}, and were none when classes were looked for; "
        "rows that stay the same while they are counted are accepted"
    )


def read_truth(classes: NDArray[Any], y: Any, n_rows: int) -> tuple[NDArray[np.int64], list[Any]]:
    """Return the label of each row, and the classes that the model does not know.

    The labels of unknown classes follow those of `classes`, which the model knows.
    """
    names, labels = encode_target(y, n_rows)
    if not len(names):
        raise BadTarget("X and y have no rows; at least one row is accepted")
    known = classes.tolist()
    unknown = [name for name in names.tolist() if name not in known]
    if len(unknown) == len(names):
        # Most likely other spellings: an accuracy of 0% would blame the model.
        raise BadTarget(
            f"y holds the classes {list_names(list(map(show, unknown)))}, none of which the model "
            f"knows; its classes are {list_names(list(map(show, known)))}"
        )
    label_of = {name: label for label, name in enumerate([*known, *unknown])}
    return np.array([label_of[name] for name in names.tolist()])[labels], unknown


def _encode_texts(values: list[Any]) -> tuple[NDArray[Any], NDArray[np.int64]] | None:
    """Encode classes that are all text, as most are; sorting all rows takes 20 times as long."""
    try:
        distinct = set(values)
    except TypeError:  # lists and the like, which are refused later
        return None
    if set(map(type, distinct)) != {str}:
        return None
    label_of = {value: label for label, value in enumerate(sorted(distinct))}
    labels = np.fromiter(map(label_of.__getitem__, values), np.int64, len(values))
    return np.array(list(label_of), object), labels


def _to_array(y: Any) -> NDArray[Any]:
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise _missing_class("a masked cell", int(np.ma.getmaskarray(y).argmax()))
    # NumPy would write all of ["x", 1, nan] as text.
    is_mixed = isinstance(y, list | tuple) and len(set(map(type, y))) > 1
    y = without_dictionary(y)
    try:
        array: NDArray[Any] = column_or_1d(np.asarray(y, object if is_mixed else None), warn=True)
    except (ValueError, TypeError) as error:
        raise BadTarget(f"{error}") from error
    # Texts of a frame's column are objects, whichever library has made the frame.
    return array.astype(object) if array.dtype.kind == "U" and is_series(y) else array


def _read_objects(values: list[Any]) -> NDArray[Any]:
    """Turn Python objects, all of one kind, into an array."""
    first_of: dict[str, Any] = {}
    for row, value in enumerate(values):
        if is_missing(value):
            raise _missing_class(repr(value), row)
        first_of.setdefault(_kind(value, row), value)
    if len(first_of) > 1:
        kinds, examples = " and ".join(first_of), " and ".join(map(repr, first_of.values()))
        raise BadTarget(f"y mixes {kinds} ({examples}); classes of one kind are accepted")
    if "text" in first_of:
        return np.array([str.__str__(value) for value in values], object)
    if "booleans" in first_of:
        return np.array(values)
    is_whole = all(isinstance(value, Integral) for value in values)
    try:
        return np.array(values, np.int64 if is_whole else np.float64)
    except OverflowError:
        raise BadTarget(
            "y holds a number of more than 64 bits; write such classes as text"
        ) from None


def _kind(value: Any, row: int) -> str:
    if isinstance(value, str):
        return "text"
    if is_boolean(value):
        return "booleans"
    if is_number(value):
        return "numbers"
    raise BadTarget(f"y holds {value!r} ({type(value).__name__}) in row {row}; {_ACCEPTED}")


def _check_classes(classes: NDArray[Any]) -> None:
    kind = classes.dtype.kind
    if kind in _REFUSED:
        raise BadTarget(f"y holds {_REFUSED[kind]}; {_ACCEPTED}")
    if kind == "f" and np.isnan(classes).any():
        raise _missing_class("NaN", int(np.isnan(classes).argmax()))
    try:
        assert_all_finite(classes, input_name="y")
        check_classification_targets(classes)
    except (ValueError, TypeError) as error:
        raise BadTarget(f"{error}") from error


def _missing_class(what: str, row: int) -> BadTarget:
    return BadTarget(f"y holds {what} in row {row}; every row must have a class")
