"""One HTML file about a model and a table: made from a plain dict, needing nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from picrules.encoding.tables import MAX_ROWS
from picrules.errors import BadParameter
from picrules.estimators.parameters import check_whole
from picrules.persist.atomic import write_atomically
from picrules.reports.about import describe
from picrules.reports.asked import Asked, ask, check_estimator
from picrules.reports.case_cards import pack_cards
from picrules.reports.content import collect
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Mapping

_STYLES = ("page.css", "card.css", "colours.css")
_SCRIPTS = (
    "draw.js", "overview.js", "model.js", "rules.js", "card.js", "cases.js", "start.js",
)  # fmt: skip
# What the page needs of a case before it is opened; the rest stands in its card.
_OF_CASES = ("row", "rule", "class", "confidence", "flags")


def report(
    clf: Any,
    X: Any,
    y: Any = None,
    path: str | os.PathLike[str] = "report.html",
    *,
    max_cases: int = 10_000,
    first_row: int = 0,
    about: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Write a report of a model and a table to one HTML file.

    The file needs no network and no other file. It is written beside the path and renamed when
    it is complete.

    Parameters
    ----------
    clf : estimator
        A fitted estimator of this library.
    X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
        Rows with the columns of the training table.
    y : array of shape (n_rows,), default=None
        Their classes, where they are known; then the report has the accuracy on them.
    path : str or path, default="report.html"
        The file to write.
    max_cases : int, default=10_000
        The most rows that are listed one by one: first those with a warning or a wrong
        prediction. All other numbers count every row.
    first_row : int, default=0
        The number that the first row of a table has in the report.
    about : dict, default=None
        What the head of the page calls the `model`, the `target` and the `data`, and the `date`.
        Without them it has the class of the estimator, the name of y if that is a column, and
        today.

    Returns
    -------
    dict
        All numbers of the report as plain values; docs/report.md says what they are.

    Examples
    --------
    >>> import picrules, tempfile, pathlib
    >>> X, y = [["red"], ["red"], ["blue"], ["blue"]], ["stop", "stop", "go", "go"]
    >>> clf = picrules.FPICClassifier().fit(X, y)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> picrules.report(clf, X, y, path)["performance"][0]["accuracy"]
    1.0
    """
    check_estimator(clf)
    if isinstance(y, str | os.PathLike):
        raise BadParameter(
            f"y is {show(os.fspath(y))}; the classes of the rows or None are accepted, and the "
            "file to write comes after them: report(clf, X, None, path)"
        )
    target = _check_path(path)
    max_cases = check_whole(max_cases, "max_cases", 1, MAX_ROWS)
    first_row = check_whole(first_row, "first_row", 0, MAX_ROWS)
    told = describe(about, clf, y)
    return write_report(ask(clf, X, y), target, max_cases, first_row, told)


def write_report(
    asked: Asked, target: Path, max_cases: int, first_row: int, about: dict[str, str | None]
) -> dict[str, Any]:
    """Write a report of a table that a model was asked about (see `report`)."""
    content = {"about": about, **collect(asked, max_cases, first_row)}
    page = draw_page(content, pack_cards(asked, content)).encode()
    with write_atomically(target) as file:
        file.write(page)
    return content


def draw_page(content: dict[str, Any], cards: list[str]) -> str:
    """Return the page that shows a report; its script is the only one that the page lets run.

    `cards` are those of its cases, packed.
    """
    script = _read(*_SCRIPTS)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "@hash@": f"sha256-{digest}",
        "@style@": _read(*_STYLES),
        "@script@": script,
        "@cards@": "\n".join(map(_hold, range(len(cards)), cards)),
        "@content@": to_script_json(to_page(content)),
    }
    page = _read("page.html")
    for mark, text in parts.items():  # the data last: marks in it are not looked at
        page = page.replace(mark, text)
    return page


def _hold(number: int, pack: str) -> str:
    """Put a pack into an element of its own: one that holds megabytes would take long to read."""
    return f'<script type="text/plain" id="cards-{number}">{pack}</script>'


def to_page(content: dict[str, Any]) -> dict[str, Any]:
    """Return what a page draws at once: without rules that decide no row, and details of cases.

    Rules in use come first, so that those that are left keep their numbers.
    """
    cases = content["cases"]
    return {
        **content,
        "rules": [rule for rule in content["rules"] if rule["rows"]],
        "cases": {name: cases[name] for name in _OF_CASES},
        "is_scorecard": cases["scorecard"] is not None,
    }


def to_script_json(content: Any) -> str:
    r"""Write JSON in ASCII that can stand in a script element: nothing in it ends or opens one.

    Examples
    --------
    >>> print(to_script_json("</script><!--"))
    "\u003c/script\u003e\u003c!--"
    """
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.translate({ord(character): f"\\u{ord(character):04x}" for character in "<>&"})


def _read(*names: str) -> str:
    folder = files("picrules.reports").joinpath("templates")
    return "\n".join(folder.joinpath(name).read_text("utf-8") for name in names)


def _check_path(path: Any) -> Path:
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
