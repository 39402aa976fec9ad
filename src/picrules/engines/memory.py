"""How much memory there is."""

from __future__ import annotations

import psutil


def free_memory() -> int:
    """Return how many bytes of memory are free on this machine."""
    return int(psutil.virtual_memory().available)
