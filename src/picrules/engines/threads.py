"""Plain threads over blocks of work; the kernels release the lock that Python holds."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

# How long the main thread sleeps before it looks for an interrupt, in seconds.
_WATCH = 0.1


class Watch:
    """The link between a long search and who waits for it.

    `report` is called with the share of the work that was just done.
    """

    def __init__(self, report: Callable[[float], None] | None = None) -> None:
        # Kernels in other threads look at this array, and return early when it is set.
        self.is_stopped: NDArray[np.uint8] = np.zeros(1, np.uint8)
        self._report = report

    def stop(self) -> None:
        """Ask the kernels to return early."""
        self.is_stopped[0] = 1

    def report(self, share: float) -> None:
        """Tell that a share of the work is done."""
        if self._report is not None:
            self._report(share)


def split_evenly(n_items: int, n_parts: int) -> list[tuple[int, int]]:
    """Cut a range into consecutive parts that are not empty."""
    n_parts = max(1, min(n_parts, n_items))
    ends = [n_items * part // n_parts for part in range(n_parts + 1)]
    return list(pairwise(ends))


def run_blocks(
    work: Callable[[int, int, int], None],
    blocks: list[tuple[int, int]],
    n_threads: int,
    watch: Watch | None = None,
    share: float = 0.0,
) -> None:
    """Call `work(thread, start, stop)` for each block; each thread takes blocks in order.

    With one thread, and nobody watching, the caller's own thread works. The watch is told what is
    done, with `share` for each step of a block, and stopped when the caller is interrupted.
    """
    n_threads = min(n_threads, len(blocks))
    left = iter(blocks)
    lock = threading.Lock()
    watch_or_new = watch or Watch()

    def take(thread: int) -> None:
        while not watch_or_new.is_stopped[0]:
            with lock:
                block = next(left, None)
            if block is None:
                return
            work(thread, *block)
            with lock:
                watch_or_new.report((block[1] - block[0]) * share)

    if n_threads <= 1 and watch is None:
        take(0)
        return
    with ThreadPoolExecutor(max(1, n_threads)) as pool:
        running = [pool.submit(take, thread) for thread in range(n_threads)]
        try:
            # Waiting in short steps lets an interrupt through on every system.
            while wait(running, timeout=_WATCH, return_when=FIRST_EXCEPTION).not_done:
                if any(task.done() and task.exception() for task in running):
                    break
        finally:
            if not all(task.done() for task in running):
                watch_or_new.stop()
    for task in running:
        task.result()
