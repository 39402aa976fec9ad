"""Find rows of the table: by number, words, class, confidence, outcome, mark or rule."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np

from picrules.rules.text import format_value
from picrules.web.problems import BadField
from picrules.web.served import FIRST_ROW

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from picrules.web.served import Served

# Rows on one page.
PAGE = 50


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are asked for, as the address says it; an empty text asks for all."""

    q: str = ""
    prediction: str = ""
    under: str = ""
    outcome: str = ""
    flag: str = ""
    rule: str = ""
    sort: str = "row"
    page: int = 1

    def to_link(self, **change: Any) -> str:
        """Return the address that asks for something else; the first page, unless it is named."""
        given = asdict(self) | {"page": 1} | change
        said = {key: value for key, value in given.items() if value not in ("", 1)}
        return f"/cases?{urlencode(said)}"


@dataclass(frozen=True, slots=True)
class Found:
    """The numbers of the rows on one page, and how many there are in all."""

    numbers: list[int]
    n_found: int
    page: int
    n_pages: int


def find_rows(served: Served, wanted: Wanted) -> Found:
    """Find the rows that are asked for."""
    rows = order_rows(served, wanted.sort, np.flatnonzero(_is_wanted(served, wanted)))
    n_pages = max(1, -(-len(rows) // PAGE))
    page = min(max(wanted.page, 1), n_pages)
    shown = rows[(page - 1) * PAGE : page * PAGE]
    return Found((shown + FIRST_ROW).tolist(), len(rows), page, n_pages)


def _is_wanted(served: Served, wanted: Wanted) -> NDArray[np.bool_]:
    assert served.asked is not None
    is_wanted = np.ones(served.n_rows, np.bool_)
    if wanted.prediction:
        names = [format_value(name) for name in served.classes]
        is_class = np.array([name == wanted.prediction for name in names])
        is_wanted &= is_class[served.asked.explanations.labels]
    if wanted.under:
        is_wanted &= served.confidences < _read_number("under", wanted.under, float)
    if wanted.outcome and served.asked.truth is not None:
        is_right = served.asked.truth == served.asked.explanations.labels
        is_wanted &= is_right if wanted.outcome == "right" else ~is_right
    if wanted.flag:
        is_wanted &= served.flags >> _read_number("flag", wanted.flag, int) % 64 & 1 > 0
    if wanted.rule:
        is_wanted &= served.places == _read_number("rule", wanted.rule, int)
    for word in wanted.q.lower().split():
        is_wanted &= _has_word(served, word)
    return is_wanted


def _has_word(served: Served, word: str) -> NDArray[np.bool_]:
    """Tell which rows have the number, or a word in their rule."""
    has_word = np.array([word in rule["rule"].lower() for rule in served.rules])[served.places]
    row = int(word) - FIRST_ROW if word.isascii() and word.isdecimal() and len(word) < 10 else -1
    if 0 <= row < served.n_rows:
        has_word[row] = True
    return has_word


def order_rows(served: Served, sort: str, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sort rows; equal ones stay in the order of the table."""
    assert served.asked is not None
    keys = {
        "unsure": served.confidences,
        "sure": -served.confidences,
        "prediction": served.asked.explanations.labels,
        "rule": served.places,
    }
    return rows[np.argsort(keys[sort][rows], kind="stable")] if sort in keys else rows


def _read_number(name: str, text: str, kind: Any) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise BadField(name, f"{name} is {text!r}; a number is accepted") from None
