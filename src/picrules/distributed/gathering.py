"""Rows that are read and counted in parts, wherever these lie; what parts hold is merged."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from picrules.engines.batches import CodedBatch
    from picrules.engines.holding import Holding
    from picrules.engines.training import Training

# Codes of each feature, and the number of classes.
Shape: TypeAlias = tuple[NDArray[np.int64], int]


def gather_parts(
    run: Callable[..., Training],
    read: Callable[[Any], CodedBatch],
    holding: Holding,
    shape: Shape,
    n_threads: int = 1,
) -> Training:
    """Let `run` count the tables of each part, turned into codes by `read`, and merge the parts.

    A part of which neither rows nor counts fit stops all: those of all parts would fit even less.
    """
    holding.check(*shape)
    own = replace(holding, n_threads=n_threads)
    return run(partial(_gather, read, own, shape), partial(own.merge, n_codes=shape[0]))


def _gather(
    read: Callable[[Any], CodedBatch], holding: Holding, shape: Shape, tables: Iterable[Any]
) -> Training:
    return holding.gather(map(read, tables), *shape)
