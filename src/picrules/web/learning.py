"""Learn from a table that was uploaded, in a process of its own that can be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Any

from picrules.cli.options import FORMATS
from picrules.web.files import Files, look_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from picrules.web.files import Looked
    from picrules.web.served import Served

# The longest line that the process may write: a summary of a table with very many columns.
_LONGEST_LINE = 2**24

# From this share of the work on it can be told how long the rest takes.
LEAST_SHARE = 0.05


@dataclass
class Fit:
    """Learning that runs or has ended."""

    target: str
    state: str = "running"  # then "done", "failed" or "cancelled"
    share: float = 0.0  # of the work that is done, by estimate
    doing: str = ""  # what is tried just now
    started: float = field(default_factory=monotonic)
    problem: str = ""
    summary: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        names = ("target", "state", "share", "doing", "problem", "summary")
        return {name: getattr(self, name) for name in names} | {"remaining": self.remaining}

    @property
    def remaining(self) -> int | None:
        """About how many seconds it still takes; None where nothing is known yet."""
        if self.share < LEAST_SHARE:
            return None
        return round((monotonic() - self.started) * (1 / self.share - 1))


class Learner:
    """Keeps one table and the model that is learned from it, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.looked: Looked | None = None
        self.fit: Fit | None = None
        self._table: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def model(self) -> Path:
        """Where the model file is."""
        return self.folder / "model.pic"

    async def take(self, name: str, pieces: AsyncIterator[bytes]) -> Path:
        """Write an uploaded table to the folder; nothing of its name but the ending is used."""
        part = self.folder / "upload.part"
        with part.open("wb") as file:
            async for piece in pieces:
                file.write(piece)
        await self.cancel()
        path = self.folder / f"table{find_ending(name)}"
        part.replace(path)
        self._table, self.looked, self.fit = path, None, None
        return path

    def look(self, path: Path, name: str) -> Looked:
        """Look at an uploaded table."""
        self.looked = look_at(path, PurePosixPath(name).name or "table")
        return self.looked

    async def start(self, target: str, ignore: list[str], serve: Callable[[Served], None]) -> Fit:
        """Begin to learn; the model is given to `serve` when it is done."""
        await self.cancel()
        self.fit = Fit(target)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "picrules.web.fitting", limit=_LONGEST_LINE,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        learning = {"target": target, "ignore": ignore, "jobs": -1}
        asked = {"data": str(self._table), "model": str(self.model), "learning": learning}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked).encode())
        self._process.stdin.close()
        self._task = asyncio.create_task(self._follow(self._process, self.fit, serve))
        return self.fit

    async def _follow(
        self, process: asyncio.subprocess.Process, fit: Fit, serve: Callable[[Served], None]
    ) -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            told = json.loads(line)
            for name, value in told.items():
                setattr(fit, name, value)
        await process.wait()
        if fit.state == "cancelled":
            return
        if not fit.summary:
            fit.state = "failed"
            fit.problem = fit.problem or "the process that learned ended without an answer"
            return
        assert self.looked is not None
        files = Files(self.model, str(self._table), fit.target, name=self.looked.name)
        serve(await asyncio.to_thread(files.open))
        fit.state = "done"

    async def cancel(self) -> None:
        """End what runs, at once."""
        if self._task is None or self._task.done():
            return
        assert self.fit is not None
        assert self._process is not None
        self.fit.state = "cancelled"
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._task


def find_ending(name: str) -> str:
    """Return the ending of a file name if it tells how a table is written, else nothing.

    Examples
    --------
    >>> find_ending("../../etc/people.CSV"), find_ending("x.parquet"), find_ending("a.sh")
    ('.csv', '.parquet', '')
    """
    known = [ending for endings in FORMATS.values() for ending in endings]
    return next((ending for ending in known if name.lower().endswith(ending)), "")
