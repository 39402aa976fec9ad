"""Spark: data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def batches(frame: Any) -> Iterator[Any]:
    """Give the rows of a frame in parts, as tables in memory."""
    yield frame.toArrow()
