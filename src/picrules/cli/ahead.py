"""Work that goes on in another thread: the next chunk is read while one is answered."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Item = TypeVar("Item")

_END: Any = object()


def read_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Give items in their order; each is made by another thread while the one before is used."""
    source = iter(items)
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, source, _END)
        while (item := coming.result()) is not _END:
            coming = thread.submit(next, source, _END)
            yield item


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
