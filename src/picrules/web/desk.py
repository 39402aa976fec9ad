"""Where questions are answered: what is served now, the threads that search, and the log."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar

from picrules.explain.cases import Details
from picrules.web.log import Answer
from picrules.web.pool import Batcher, Job, Pool, Stopped
from picrules.web.problems import Problem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from fastapi import Request

    from picrules.explain.explanations import Explanations
    from picrules.web.guard import Limits
    from picrules.web.learning import Learner
    from picrules.web.log import DecisionLog
    from picrules.web.rows import Cells
    from picrules.web.served import Served

Result = TypeVar("Result")

# Threads for longer searches; single rows have one of their own.
_THREADS = 2

# How often the progress of long work is told, in seconds.
_TELL = 0.2


@dataclass
class Desk:
    """Answers questions about the model that is served now."""

    limits: Limits
    served: Served | None = None
    log: DecisionLog | None = None
    learner: Learner | None = None  # what learns from tables that are uploaded
    trouble: str = ""  # why a changed model file was not taken

    def __post_init__(self) -> None:
        self.pool = Pool(_THREADS, self.limits.jobs)
        self.batcher = Batcher(self.limits.waiting)

    def close(self) -> None:
        """Finish what runs."""
        self.pool.close()
        self.batcher.close()
        if self.log is not None:
            self.log.close()

    def get(self) -> Served:
        """Return what is served; a request keeps it to its end, whatever comes after."""
        if self.served is None:
            raise Problem(HTTPStatus.CONFLICT, "there is no model yet; learn one first")
        return self.served

    async def answer(
        self,
        served: Served,
        rows: Sequence[Cells],
        finish: Callable[[Explanations, int], Any],
        request: Request | None = None,
        details: dict[str, Any] | None = None,
    ) -> tuple[list[Any], list[int] | None]:
        """Answer rows: one together with others that wait; several, or with details, as a job.

        Returns the answers, and their numbers in the log, if there is one.
        """
        keep = Keeping(served, finish, is_logged=self.log is not None)
        if len(rows) == 1 and not details:
            found = [await self.batcher.ask(served, rows[0], partial(keep, rows[0]))]
        else:
            found = await self.run(partial(keep.all, rows, details or {}), request)
        if self.log is None:
            return [done for done, _ in found], None
        numbers = await self.log.append([kept for _, kept in found if kept is not None])
        return [done for done, _ in found], numbers

    async def run(self, work: Callable[[], Result], request: Request | None = None) -> Result:
        """Do longer work; it stops when the client leaves."""
        job = Job(work)
        future = self.pool.start(job)
        if request is None:
            return await future
        leaving = asyncio.ensure_future(_wait_for_leaving(request))
        either: set[asyncio.Future[Any]] = {future, leaving}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not future.done():
                raise Problem(_CLOSED, "the client left")
            return future.result()
        finally:
            leaving.cancel()
            job.stop()
            future.add_done_callback(_forget)

    async def follow(self, work: Callable[[], Result]) -> AsyncIterator[float | Result]:
        """Give the share that is done, again and again, and at last the result.

        The work stops when nobody follows any more.
        """
        job = Job(work)
        future = self.pool.start(job)
        try:
            while not (await asyncio.wait({future}, timeout=_TELL))[0]:
                yield job.share
            yield future.result()
        finally:
            job.stop()
            future.add_done_callback(_forget)


@dataclass(frozen=True, slots=True)
class Keeping:
    """Makes the answer of a row, and what the log keeps of it."""

    served: Served
    finish: Callable[[Explanations, int], Any]
    is_logged: bool

    def __call__(
        self, cells: Cells, explanations: Explanations, number: int
    ) -> tuple[Any, Answer | None]:
        """Answer one row."""
        done = self.finish(explanations, number)
        if not self.is_logged:
            return done, None
        explanation = explanations[number]
        kept = Answer(
            self.served.fingerprint,
            self.served.to_row(cells),
            explanation.prediction,
            str(explanation.rule),
            explanation.confidence,
        )
        return done, kept

    def all(
        self, rows: Sequence[Cells], details: dict[str, Any]
    ) -> list[tuple[Any, Answer | None]]:
        """Answer several rows."""
        explanations = self.served.explain(rows, Details(**details))
        return [self(cells, explanations, number) for number, cells in enumerate(rows)]


_CLOSED = 499  # nobody reads it


async def _wait_for_leaving(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _forget(future: asyncio.Future[Any]) -> None:
    """Look at the end of a job that nobody waits for, so that asyncio does not complain."""
    if not future.cancelled() and isinstance(future.exception(), Stopped):
        return
