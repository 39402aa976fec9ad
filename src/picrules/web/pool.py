"""Searches run in threads beside the event loop: as many as fit; others wait, or are refused.

Single rows that wait at the same time are searched together: the engine answers a hundred rows
nearly as fast as one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from picrules.estimators.progress import listen
from picrules.web.problems import Busy

if TYPE_CHECKING:
    from collections.abc import Callable

    from picrules.explain.explanations import Explanations
    from picrules.web.rows import Cells
    from picrules.web.served import Served

Result = TypeVar("Result")

# Rows that are searched together at most.
MOST_TOGETHER = 256


class Stopped(Exception):
    """The work is no longer wanted."""


class Job(Generic[Result]):
    """Work in a thread that tells how far it is, and stops when nobody waits for it any more."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work, self._is_stopped = work, Event()
        self.share = 0.0

    def stop(self) -> None:
        """Let the work end at its next step."""
        self._is_stopped.set()

    def run(self) -> Result:
        """Do the work."""
        if self._is_stopped.is_set():
            raise Stopped
        with listen(self._hear):
            return self._work()

    def _hear(self, share: float, _: str) -> None:
        self.share = share
        if self._is_stopped.is_set():
            raise Stopped


class Pool:
    """A few threads for longer work."""

    def __init__(self, n_threads: int, most_waiting: int) -> None:
        self._threads = ThreadPoolExecutor(n_threads, "picrules-search")
        self._most = n_threads + most_waiting
        self._n_taken = 0

    def start(self, job: Job[Result]) -> asyncio.Future[Result]:
        """Begin a job as soon as a thread is free; refuse it when too many wait."""
        if self._n_taken >= self._most:
            raise Busy
        self._n_taken += 1
        future = asyncio.get_running_loop().run_in_executor(self._threads, job.run)
        future.add_done_callback(self._leave)
        return future

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do some work; if who waits is cancelled, it is stopped."""
        job = Job(work)
        try:
            return await self.start(job)
        finally:
            job.stop()

    def _leave(self, _: Any) -> None:
        self._n_taken -= 1

    def close(self) -> None:
        """Wait for what runs."""
        self._threads.shutdown(cancel_futures=True)


@dataclass(slots=True)
class _Asked:
    """A row that waits for its answer."""

    served: Served
    cells: Cells
    finish: Callable[[Explanations, int], Any]
    future: asyncio.Future[Any]


class Batcher:
    """Searches single rows together that wait at the same time."""

    def __init__(self, most_waiting: int) -> None:
        self._thread = ThreadPoolExecutor(1, "picrules-rows")
        self._waiting: deque[_Asked] = deque()
        self._most = most_waiting
        self._task: asyncio.Task[None] | None = None

    async def ask(
        self, served: Served, cells: Cells, finish: Callable[[Explanations, int], Result]
    ) -> Result:
        """Explain one row; `finish` makes the answer, in the thread that searched."""
        if len(self._waiting) >= self._most:
            raise Busy
        loop = asyncio.get_running_loop()
        asked = _Asked(served, cells, finish, loop.create_future())
        self._waiting.append(asked)
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._answer_all())
        result: Result = await asked.future
        return result

    async def _answer_all(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            together = self._take()
            try:
                answers = await loop.run_in_executor(self._thread, _answer, together)
            except BaseException as error:  # noqa: BLE001  (each one who waits gets it)
                answers = [error] * len(together)
            for asked, answer in zip(together, answers, strict=True):
                if asked.future.done():
                    continue
                if isinstance(answer, BaseException):
                    asked.future.set_exception(answer)
                else:
                    asked.future.set_result(answer)

    def _take(self) -> list[_Asked]:
        """Take rows that are asked of one model."""
        together = [self._waiting.popleft()]
        while self._waiting and len(together) < MOST_TOGETHER:
            if self._waiting[0].served is not together[0].served:
                break
            together.append(self._waiting.popleft())
        return [asked for asked in together if not asked.future.done()] or together

    def close(self) -> None:
        """Wait for what runs."""
        self._thread.shutdown()


def _answer(together: list[_Asked]) -> list[Any]:
    explanations = together[0].served.explain([asked.cells for asked in together])
    answers: list[Any] = []
    for number, asked in enumerate(together):
        try:
            answers.append(asked.finish(explanations, number))
        except Exception as error:  # noqa: BLE001  (of one row; the others have their answers)
            answers.append(error)
    return answers
