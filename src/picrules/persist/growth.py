"""What follows from training rows, and how these came and went since tuning, as JSON and back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.tables import MAX_ROWS
from picrules.errors import BadModelFile
from picrules.estimators import parameters
from picrules.estimators.fingerprint import Fingerprint
from picrules.estimators.settling import AS_IT_IS, Growth, Settled
from picrules.persist import contents
from picrules.persist.contents import LARGEST
from picrules.persist.fields import is_finite, is_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.model.calibration import Calibration
    from picrules.persist.fields import Fields

# More rows than this never come or go.
_MANY = 2**62

_NUMBER = re.compile("[0-9a-f]{16}", re.ASCII)


def growth_to_content(growth: Growth, *, has_counts: bool) -> dict[str, Any]:
    """Write how rows came and went, and of rows that are not in the file their fingerprint."""
    settled, mark = growth.settled, growth.fingerprint
    tuned = {
        "classes": contents.classes_to_content(growth.classes),
        "class_weights": growth.class_weights.tolist(),
        "class_offset": settled.offset.tolist(),
        "calibration": contents.calibration_to_content(settled.calibration),
    }
    if settled.accuracy is not None:
        tuned["accuracy"] = settled.accuracy
    content = {
        "n_rows": growth.n_rows,
        "n_added": growth.n_added,
        "n_forgotten": growth.n_forgotten,
        "fingerprint": _to_texts(mark),
        "has_offset": growth.has_offset,
        "tuned": tuned,
    }
    if has_counts and growth.now is not None:
        content["now"] = _to_texts(growth.now)
    return content | ({} if growth.line == AS_IT_IS else {"line": growth.line})


def read_growth(fields: Fields, n_rows: int, scoring: str) -> Growth:
    """Read how rows came and went until there were so many."""
    tuned = fields.fields("tuned")
    classes = contents.read_classes(tuned.fields("classes"))
    weights, offset, calibration = read_settled(tuned, len(classes), scoring)
    accuracy = tuned.number("accuracy", 0, 1) if "accuracy" in tuned else None
    tuned.finish()
    now = _read_mark(fields, "now") if "now" in fields else None
    growth = Growth(
        classes, weights, Settled(offset, calibration, accuracy),
        _read_mark(fields, "fingerprint"), fields.whole("n_rows", 1, MAX_ROWS),
        fields.flag("has_offset"), _read_line(fields),
        fields.whole("n_added", 0, _MANY), fields.whole("n_forgotten", 0, _MANY), now,
    )  # fmt: skip
    fields.finish()
    if growth.n_rows + growth.n_added - growth.n_forgotten != n_rows:
        raise BadModelFile(f"{fields.where} has rows that came and went to others than {n_rows}")
    return growth


def read_settled(
    fields: Fields, n_classes: int, scoring: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], Calibration]:
    """Read the weights of the classes, their offsets, and how often predictions are right."""
    weights = fields.numbers("class_weights", n_classes)
    # A weight that balances the classes is at most the number of rows.
    heaviest = max(parameters.MAX_WEIGHT, MAX_ROWS)
    if not parameters.MIN_WEIGHT <= weights.min() <= weights.max() <= heaviest:
        raise BadModelFile(
            f"its class_weights are not from {parameters.MIN_WEIGHT:g} to {heaviest:g}"
        )
    offset = fields.numbers("class_offset", n_classes)
    if np.abs(offset).max() > LARGEST:
        raise BadModelFile(f"its class_offset is not from {-LARGEST:g} to {LARGEST:g}")
    calibration = contents.read_calibration(fields.fields("calibration"), n_classes)
    is_weighted = scoring == "balanced_accuracy" or weights.min() < weights.max()
    if not calibration.is_peaked and not is_weighted:
        raise BadModelFile(
            "its calibration.is_peaked is false, which weights of classes and balanced accuracy "
            "alone make it"
        )
    return weights, offset, calibration


def _read_line(fields: Fields) -> tuple[float, float]:
    if "line" not in fields:
        return AS_IT_IS
    line = fields.items("line", is_finite, "numbers")
    if len(line) != 2 or not (abs(line[0]) <= LARGEST and 0 <= line[1] <= LARGEST):
        raise BadModelFile(
            f"{fields.where}.line is {line}; a number up to {LARGEST:g} and one from 0 are expected"
        )
    return float(line[0]), float(line[1])


def _to_texts(mark: Fingerprint) -> list[str]:
    return [f"{number:016x}" for number in (mark.first, mark.second)]


def _read_mark(fields: Fields, key: str) -> Fingerprint:
    marks = fields.items(key, _is_number, "numbers of 16 digits to the base of 16")
    if len(marks) != 2:
        raise BadModelFile(f"{fields.where}.{key} has {len(marks)} numbers; 2 are expected")
    return Fingerprint(*(int(mark, 16) for mark in marks))


def _is_number(value: Any) -> bool:
    return is_text(value) and _NUMBER.fullmatch(value) is not None
