"""Ibis: tables of many databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def batches(table: Any) -> Iterator[Any]:
    """Give the rows of a table in parts, as tables in memory."""
    yield table.to_pyarrow()
