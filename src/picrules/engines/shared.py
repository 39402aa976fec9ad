"""Work that several threads share, and work that is done ahead of who wants it."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from picrules.engines.threads import Watch, run_blocks, split_evenly

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

Raw = TypeVar("Raw")
Item = TypeVar("Item")
Result = TypeVar("Result")

_END: Any = object()

# Items that are made ahead.
READ_AHEAD = 4


class Shared(Generic[Raw, Item]):
    """Items that are made of pieces of work; each iteration takes pieces that no other has taken.

    Pieces are iterables themselves, and an iteration takes one at a time. What it takes goes
    through `make`, so that the items are made by the thread that wants them.
    """

    def __init__(
        self,
        pieces: Iterable[Iterable[Raw]],
        make: Callable[[Iterator[Raw]], Generator[Item, None, None]],
        n_pieces: int,
    ) -> None:
        self._pieces, self._make, self._n_pieces = iter(pieces), make, n_pieces
        self._lock = Lock()

    def __iter__(self) -> Iterator[Item]:
        return self._make(self._take())

    def _take(self) -> Iterator[Raw]:
        while True:
            with self._lock:
                piece = next(self._pieces, _END)
            if piece is _END:
                return
            yield from piece

    def split(self, n_threads: int) -> list[Generator[Item, None, None]]:
        """Return iterations for at most so many threads."""
        n_streams = max(1, min(n_threads, self._n_pieces))
        return [self._make(self._take()) for _ in range(n_streams)]


def run_streams(
    work: Callable[[Iterable[Item]], Result], streams: Sequence[Iterable[Item]]
) -> list[Result]:
    """Work on each stream in a thread of its own; none goes on when one has failed."""
    if len(streams) == 1:
        return [work(streams[0])]
    results: list[Any] = [None] * len(streams)
    watch = Watch()

    def give(stream: Iterable[Item]) -> Iterator[Item]:
        for each in stream:
            if watch.is_stopped[0]:
                return
            yield each

    def work_on(_: int, start: int, stop: int) -> None:
        for at in range(start, stop):
            results[at] = work(give(streams[at]))

    run_blocks(work_on, split_evenly(len(streams), len(streams)), len(streams), watch)
    return results


def read_ahead(
    items: Generator[Item, None, None], most: int = READ_AHEAD
) -> Generator[Item, None, None]:
    """Give items in their order; up to so many are made ahead by another thread."""
    with closing(items), ThreadPoolExecutor(1) as pool:
        waiting = deque(pool.submit(next, items, _END) for _ in range(most))
        try:
            while (item := waiting.popleft().result()) is not _END:
                waiting.append(pool.submit(next, items, _END))
                yield item
        finally:
            pool.shutdown(cancel_futures=True)
