"""Work in processes of its own: in parallel, with a time limit, and safe from crashes.

A fit that hangs in compiled code cannot be interrupted from within; its process is killed and
another one takes its place. The limit is of processor time: a fit is not late because the machine
does other work too. One that waits for something for long is ended by the clock.
"""

from __future__ import annotations

import multiprocessing
import os
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.process import BaseProcess

WAITING = 10  # how many times the limit a task may take by the clock
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Late:
    """Stands for the result of a task that took longer than its limit."""

    limit: float


@dataclass(frozen=True)
class Crashed:
    """Stands for the result of a task whose process ended: killed, or out of memory."""

    exit_code: int | None


def _serve(connection: Connection, function: Callable[[Any], Any]) -> None:
    """Answer tasks until the other side closes; ready when everything is imported."""
    Thread(target=_end_with_parent, daemon=True).start()
    connection.send("ready")
    with suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        while True:
            connection.send(function(connection.recv()))


def _end_with_parent() -> None:
    """Leave no process at work when the study is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class Worker:
    """A process that does one task at a time."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process: BaseProcess = context.Process(
            target=_serve, args=(other, function), daemon=True
        )
        self.process.start()
        other.close()
        self.is_ready = False
        self.rest()

    def give(self, task: Any, limit: float) -> None:
        self.task = task
        self.seconds_end = self.seconds() + limit
        self.end_of_waiting = monotonic() + WAITING * limit
        self.deadline = monotonic() + limit
        self.connection.send(task)

    def rest(self) -> None:
        """Have no task, and so no deadline."""
        self.task: Any = None
        self.deadline = float("inf")

    def seconds(self) -> float:
        """Processor time of the process so far."""
        times = psutil.Process(self.process.pid).cpu_times()
        return times.user + times.system

    def is_late(self) -> bool:
        """Whether the time of the task is over; if not, look again when it may be."""
        now = monotonic()
        if now < self.deadline:
            return False
        left = min(self.seconds_end - self.seconds(), self.end_of_waiting - now)
        self.deadline = now + max(left, 0.0)
        return left <= 0

    def end(self) -> int | None:
        """Kill the process, whatever it is doing; return its exit code."""
        self.connection.close()
        self.process.kill()
        self.process.join()
        return self.process.exitcode


def do_all(
    function: Callable[[Any], Any], tasks: Iterable[Any], n_workers: int, limit: float
) -> Iterator[tuple[Any, Any]]:
    """Do all tasks; yield each with its result, `Late` or `Crashed`, as they end."""
    for name in ONE_THREAD:  # read by the libraries of the new processes
        os.environ.setdefault(name, "1")
    left = list(reversed(list(tasks)))
    workers = [Worker(function) for _ in range(min(n_workers, len(left)))]
    try:
        while workers:
            for worker in [w for w in workers if w.is_ready and w.task is None]:
                if left:
                    worker.give(left.pop(), limit)
                else:
                    worker.end()
                    workers.remove(worker)
            yield from _collect(workers, function, limit)
    finally:
        for worker in workers:
            worker.end()


def _collect(
    workers: list[Worker], function: Callable[[Any], Any], limit: float
) -> Iterator[tuple[Any, Any]]:
    """Wait until a worker answers or is late; replace those that are or that died."""
    if not workers:
        return
    patience = max(0.0, min(worker.deadline for worker in workers) - monotonic())
    answered = wait([w.connection for w in workers], None if patience == float("inf") else patience)
    for place, worker in enumerate(workers):
        if worker.connection in answered:
            try:
                answer = worker.connection.recv()
            except (EOFError, ConnectionResetError):
                exit_code, task = worker.end(), worker.task
                if task is None:
                    raise RuntimeError(
                        f"a worker ended with code {exit_code} before it was given a task"
                    ) from None
                workers[place] = Worker(function)
                yield task, Crashed(exit_code)
                continue
            task = worker.task
            worker.rest()
            if not worker.is_ready:
                worker.is_ready = True
            else:
                yield task, answer
        elif worker.is_late():
            worker.end()
            workers[place] = Worker(function)
            yield worker.task, Late(limit)
