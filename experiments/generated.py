"""Data sets that follow from their definition: tic-tac-toe end games and the noise-free monks."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip
SQUARES = [
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
]
MONK_VALUES = (3, 3, 2, 3, 4, 2)


def tictactoe() -> pd.DataFrame:
    """All boards on which a game that x began can end; positive where x has won."""
    boards = [board for board in product("xob", repeat=9) if _is_end(board)]
    ordered = sorted(boards, key=lambda board: not _has_line(board, "x"))
    frame = pd.DataFrame(ordered, columns=SQUARES)
    frame["class"] = ["positive" if _has_line(board, "x") else "negative" for board in ordered]
    return frame


def _has_line(board: tuple[str, ...], player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in LINES)


def _is_end(board: tuple[str, ...]) -> bool:
    """Whether play stops here: the last move made a line, or the board is full."""
    n_x, n_o = board.count("x"), board.count("o")
    x_won, o_won = _has_line(board, "x"), _has_line(board, "o")
    if x_won:
        return n_x == n_o + 1 and not o_won
    return n_x == n_o if o_won else n_x == 5 and n_o == 4


def monk_1(a: tuple[int, ...]) -> bool:
    """Head and body of one shape, or a red jacket."""
    return a[0] == a[1] or a[4] == 1


def monk_2(a: tuple[int, ...]) -> bool:
    """Exactly two attributes have their first value."""
    return sum(value == 1 for value in a) == 2


def monk_3(a: tuple[int, ...]) -> bool:
    """A green jacket and a sword, or neither a blue jacket nor an octagonal body."""
    return (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3)


def monks(is_monk: Callable[[tuple[int, ...]], bool]) -> pd.DataFrame:
    """All 432 robots, each with its true class."""
    robots = list(product(*(range(1, count + 1) for count in MONK_VALUES)))
    frame = pd.DataFrame(robots, columns=[f"a{i}" for i in range(1, 7)]).astype(str)
    frame["class"] = [str(int(is_monk(robot))) for robot in robots]
    return frame


GENERATED: dict[str, Callable[[], pd.DataFrame]] = {
    "tictactoe": tictactoe,
    "monks_1": lambda: monks(monk_1),
    "monks_2": lambda: monks(monk_2),
    "monks_3": lambda: monks(monk_3),
}
