"""Plain threads over chunks of work; the kernels release the lock that Python holds."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def split_evenly(n_items: int, n_parts: int) -> list[tuple[int, int]]:
    """Cut a range into consecutive parts that are not empty."""
    n_parts = max(1, min(n_parts, n_items))
    ends = [n_items * part // n_parts for part in range(n_parts + 1)]
    return list(itertools.pairwise(ends))


def run_parts(work: Callable[[int, int], None], n_items: int, n_threads: int) -> None:
    """Call `work(start, stop)` for consecutive parts of a range, one thread a part."""
    parts = split_evenly(n_items, n_threads)
    if len(parts) == 1:
        work(*parts[0])
        return
    with ThreadPoolExecutor(len(parts)) as pool:
        for done in [pool.submit(work, start, stop) for start, stop in parts]:
            done.result()
