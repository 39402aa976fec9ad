"""Dask: work on the parts of a table by many processes, and a tree of sums of the results.

The parts are delayed values: partitions of a data frame, or what reads a file. What is done does
not depend on where or how often, so that a worker that is lost costs time alone.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from picrules.errors import (
    BadParameter,
    BadTable,
    MissingPackage,
    NotEnoughMemory,
    PicrulesError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Result = TypeVar("Result")

# Seconds until a scheduler must have answered.
_PATIENCE = 10

# So many results are merged by one task.
_AT_ONCE = 8


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Let the workers of a scheduler do the work of the block, and give the client."""
    try:
        from distributed import Client  # noqa: PLC0415
        from distributed.comm import get_address_host_port  # noqa: PLC0415
    except ImportError:
        raise MissingPackage("a cluster needs distributed; install 'picrules[dask]'") from None
    try:
        get_address_host_port(address, strict=True)  # a client of no address never ends quietly
        # One that is the default stays it even where nobody answers.
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BadParameter(
            f"no Dask scheduler answers at {address!r}: {_first_line(error)}; an address such as "
            "tcp://10.0.0.1:8786 is accepted"
        ) from None
    with client, client.as_current():
        yield client


def run_in_order(
    client: Any, parts: Iterable[Any], work: Callable[..., Result], shared: Any
) -> Iterator[Result]:
    """Give the results of some work on each part, in order; few parts are worked on ahead."""
    # The result of a task travels once to each worker, and is made again where it is lost.
    given = client.submit(_itself, shared, pure=False)
    n_ahead = 2 * max(1, len(client.scheduler_info()["workers"]))
    waiting: deque[Any] = deque()
    for part in parts:
        waiting.append(client.submit(work, given, part, pure=False))
        if len(waiting) > n_ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _itself(value: Any) -> Any:
    return value


def run_tasks(
    parts: Sequence[Any],
    work: Callable[[Any], Result],
    merge: Callable[[Sequence[Result]], Result],
    names: Sequence[str] | None = None,
) -> Result:
    """Do some work on each part and merge the results; an error names the part.

    Without names the work itself tells in its errors what it is about.
    """
    import dask  # noqa: PLC0415

    shared = dask.delayed(work)  # what the work is about travels once to each worker
    level = [
        dask.delayed(_work)(shared, part, None if names is None else names[at])
        for at, part in enumerate(parts)
    ]
    while len(level) > 1:
        level = [
            dask.delayed(merge)(level[start : start + _AT_ONCE])
            for start in range(0, len(level), _AT_ONCE)
        ]
    try:
        (result,) = dask.compute(level[0])
    except PicrulesError:
        raise
    except Exception as error:
        name = None if names is None else _find_unreadable(parts, names)
        if name is None:
            raise
        raise BadTable(f"{name} cannot be read: {_first_line(error)}") from error
    merged: Result = result
    return merged


def _work(work: Callable[[Any], Result], part: Any, name: str | None) -> Result:
    try:
        return work(part)
    except NotEnoughMemory:  # of all parts together even less
        raise
    except PicrulesError as error:
        if name is None:
            raise
        raise type(error)(f"{name}: {error}") from None


def _find_unreadable(parts: Sequence[Any], names: Sequence[str]) -> str | None:
    """Return the name of the first part that cannot be made at all."""
    import dask  # noqa: PLC0415

    for part, name in zip(parts, names, strict=True):
        try:
            dask.compute(dask.delayed(_forget)(part))
        except Exception:  # noqa: BLE001  (readers raise what they like)
            return name
    return None


def _forget(part: Any) -> None:
    """Make a part, and send nothing of it back."""


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:300]
