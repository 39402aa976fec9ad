"""Dask: data frames, counted and answered by its workers partition by partition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from picrules.distributed.dask_tasks import run_tasks
from picrules.distributed.part_source import PartSource, join_lists
from picrules.errors import BadTable
from picrules.rules.text import list_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from picrules.distributed.asker import Asker

Result = TypeVar("Result")

_NUMBERS = "iuf"  # kinds of types


def source(frame: Any, target: str) -> PartSource:
    """Return the rows of a data frame as those to learn from."""
    return PartSource(DaskParts(frame), target)


@dataclass(frozen=True)
class DaskParts:
    """The partitions of a data frame, as `Parts`."""

    frame: Any

    @property
    def names(self) -> list[str]:
        """The columns."""
        return list(self.frame.columns)

    def run(
        self,
        work: Callable[[Iterable[Any]], Result],
        merge: Callable[[Sequence[Result]], Result],
    ) -> Result:
        """Do some work on each partition where it lies, and return the merged results."""
        checked = partial(_check_and, work, dict(self.frame.dtypes))
        parts = self.frame.to_delayed()
        return run_tasks(parts, checked, merge, [f"partition {at}" for at in range(len(parts))])

    def collect(self) -> Any:
        """Return all partitions as one table in memory."""
        import pandas as pd  # noqa: PLC0415

        return pd.concat(self.run(list, join_lists), ignore_index=True)


def _check_and(
    work: Callable[[Iterable[Any]], Result], dtypes: dict[str, Any], part: Any
) -> Result:
    """Do some work on a partition that has the columns that the data frame promises."""
    for name, dtype in dtypes.items():
        if name not in part:
            raise BadTable(f"it lacks the column {name!r}; it has {list_names(list(part))}")
        if not _is_like(part.dtypes[name], dtype):
            raise BadTable(
                f"its column {name!r} has the type {part.dtypes[name]}; it is {dtype} in the data "
                "frame"
            )
    return work([part])


def _is_like(dtype: Any, promised: Any) -> bool:
    """Whether a column of a partition can be what the data frame promises.

    Integers and booleans become floats and objects in partitions where some are missing.
    """
    given, wanted = str(dtype.kind), str(promised.kind)
    return given in _NUMBERS if wanted in _NUMBERS else wanted != "M" or given == "M"


def answer(frame: Any, asker: Asker) -> Any:
    """Return a data frame of the answers; the model travels once to each worker."""
    import dask  # noqa: PLC0415

    kept = asker.split(list(frame.columns))
    meta = _answer_partition(frame._meta, asker, kept)  # noqa: SLF001
    # A task of its own: each worker fetches its result, the model, once.
    model = dask.delayed(asker)
    return frame.map_partitions(_answer_partition, model, kept, meta=meta)


def _answer_partition(rows: Any, asker: Asker, kept: list[str]) -> Any:
    told = asker(rows[asker.features]).to_pandas().set_axis(rows.index)
    return rows[kept].assign(**told)
