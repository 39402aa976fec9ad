"""Checks of what a user gives to reports and plots."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from picrules.errors import BadParameter
from picrules.estimators.rule_classifier import RuleClassifier
from picrules.rules.text import show


def check_estimator(clf: Any) -> None:
    """Refuse what is not an estimator of this library; only these know rules."""
    if not isinstance(clf, RuleClassifier):
        raise BadParameter(
            f"clf is {show(clf)} ({type(clf).__name__}); a fitted estimator of this library, "
            "such as PersonalRuleClassifier, is accepted"
        )


def check_classes(y: Any) -> None:
    """Refuse a path in the place of the classes."""
    if isinstance(y, str | os.PathLike):
        raise BadParameter(
            f"y is {show(os.fspath(y))}; the classes of the rows or None are accepted, and the "
            "file to write comes after them: report(clf, X, None, path)"
        )


def check_path(path: Any) -> Path:
    """Return where to write, or say why that cannot be.

    Parameters
    ----------
    path : str or path
        What the user gave.

    Returns
    -------
    Path
        A file in a folder that exists.
    """
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
