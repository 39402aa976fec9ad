"""Tell a person who waits that kernels are being compiled, which happens once."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

# Loading a kernel from the cache takes less than this, compiling it more, in seconds.
_PATIENCE = 0.7

# Names of the kernels that were told of.
_told: set[str] = set()

# Kernels of which one is known to be compiled: to ask them takes as long as to call them.
_ready: set[tuple[Any, ...]] = set()


@contextmanager
def tell_compiling(*kernels: Any) -> Iterator[None]:
    """Say on a terminal's stderr, once, that the kernels called in the block are being compiled.

    The block calls one of them.
    """
    if kernels in _ready or _is_told(kernels) or not sys.stderr.isatty():
        yield
        return
    if _any_ready(kernels):
        _ready.add(kernels)
        yield
        return
    timer = threading.Timer(_PATIENCE, _tell, [kernels])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _names(kernels: tuple[Any, ...]) -> set[str]:
    return {getattr(kernel, "__name__", "") for kernel in kernels}


def _is_told(kernels: tuple[Any, ...]) -> bool:
    return _names(kernels) <= _told


def _any_ready(kernels: tuple[Any, ...]) -> bool:
    # Without the JIT there is nothing to compile, and no list of compiled signatures.
    return any(getattr(kernel, "signatures", True) for kernel in kernels)


def _tell(kernels: tuple[Any, ...]) -> None:
    if not _is_told(kernels) and not _any_ready(kernels):
        _told.update(_names(kernels))
        print(  # noqa: T201
            "picrules: compiling for this machine; this happens once and takes some seconds",
            file=sys.stderr,
            flush=True,
        )
