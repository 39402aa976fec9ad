"""What users give to reports and plots: checked, and the classes read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.errors import BadParameter, BadTarget
from picrules.estimators.rule_classifier import RuleClassifier
from picrules.estimators.target import encode_target
from picrules.rules.text import show

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Classes that an error names.
_CLASSES_NAMED = 10


def check_estimator(clf: Any) -> None:
    """Refuse what is not an estimator of this library; only these know rules."""
    if not isinstance(clf, RuleClassifier):
        raise BadParameter(
            f"clf is {show(clf)} ({type(clf).__name__}); a fitted estimator of this library, "
            "such as PersonalRuleClassifier, is accepted"
        )


def check_path(path: Any) -> Path:
    """Return where to write, a file in a folder that exists; or say why that cannot be."""
    if not isinstance(path, str | os.PathLike):
        raise BadParameter(f"path is {show(path)}; a str or a path is accepted")
    target = Path(path)
    if target.is_dir():
        raise BadParameter(f"path is {str(path)!r}, which is a folder; a file in it is accepted")
    if not target.parent.is_dir():
        raise BadParameter(
            f"path is {str(path)!r}; there is no folder {str(target.parent)!r} to write it to"
        )
    return target


def check_is_no_path(y: Any) -> None:
    """Refuse a path that was given where the classes belong."""
    if isinstance(y, str | os.PathLike):
        raise BadParameter(
            f"y is {show(os.fspath(y))}; the classes of the rows or None are accepted, and the "
            "file to write comes after them: report(clf, X, None, path)"
        )


def read_truth(clf: Any, y: Any, n_rows: int) -> tuple[NDArray[np.int64], list[Any]]:
    """Return the label of each row, and the classes that the model does not know.

    The labels of unknown classes follow those of `clf.classes_`.
    """
    names, labels = encode_target(y, n_rows)
    known = clf.classes_.tolist()
    label_of = {name: label for label, name in enumerate(known)}
    unknown = [name for name in names.tolist() if name not in label_of]
    if len(unknown) == len(names):
        # Most likely other spellings: an accuracy of 0% would blame the model.
        raise BadTarget(
            f"y holds the classes {_name(unknown)}, none of which the model knows; "
            f"its classes are {_name(known)}"
        )
    for name in unknown:
        label_of[name] = len(label_of)
    return np.array([label_of[name] for name in names.tolist()])[labels], unknown


def _name(classes: list[Any]) -> str:
    shown = ", ".join(map(show, classes[:_CLASSES_NAMED]))
    return shown if len(classes) <= _CLASSES_NAMED else f"{shown}, ..."
