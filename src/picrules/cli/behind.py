"""Work that goes on in another thread: one chunk is written while the next one is answered."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Item = TypeVar("Item")


@contextmanager
def write_behind(write: Callable[[Item], None]) -> Iterator[Callable[[Item], None]]:
    """Give a function that has another thread write, once what came before is written."""
    with ThreadPoolExecutor(1) as thread:
        going: Future[Any] = thread.submit(int)

        def hand_over(item: Item) -> None:
            nonlocal going
            going.result()
            going = thread.submit(write, item)

        yield hand_over
        going.result()
