"""The decisions log: every answer, and what people made of it, in a file that survives a crash.

SQLite with a write-ahead log and full synchronisation: what was acknowledged is on the disk.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from picrules.errors import PicrulesError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_TABLES = """
CREATE TABLE IF NOT EXISTS answers (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    model TEXT NOT NULL,
    input TEXT NOT NULL,
    prediction TEXT NOT NULL,
    rule TEXT NOT NULL,
    confidence REAL
);
CREATE TABLE IF NOT EXISTS decisions (
    id INTEGER PRIMARY KEY,
    answer INTEGER NOT NULL REFERENCES answers (id),
    time TEXT NOT NULL,
    decision TEXT NOT NULL,
    is_overruled INTEGER NOT NULL,
    note TEXT NOT NULL
);
"""
_EXPORT = """
SELECT answers.id, answers.time, answers.model, input, prediction, rule, confidence,
       decisions.time, decision, is_overruled, note
FROM answers LEFT JOIN decisions ON decisions.answer = answers.id
ORDER BY answers.id, decisions.id
"""
_BY_RULE = """
SELECT rule, COUNT(*), SUM(is_overruled)
FROM decisions JOIN answers ON answers.id = decisions.answer
GROUP BY rule ORDER BY SUM(is_overruled) DESC, COUNT(*) DESC, rule
"""
_RECENT = """
SELECT decisions.time, prediction, rule, decision, is_overruled, note
FROM decisions JOIN answers ON answers.id = decisions.answer
ORDER BY decisions.id DESC LIMIT ?
"""
COLUMNS = (
    "answer", "time", "model", "input", "prediction", "rule", "confidence", "decision_time",
    "decision", "is_overruled", "note",
)  # fmt: skip

# What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class BadLog(PicrulesError, ValueError):
    """A file is not a decisions log, or cannot be written."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, as it is kept."""

    model: str  # fingerprint
    row: dict[str, Any]
    prediction: Any
    rule: str
    confidence: float | None


@dataclass(frozen=True, slots=True)
class RuleDecisions:
    """How often people decided about cases of one rule, and against it."""

    rule: str
    n_decided: int
    n_overruled: int


class DecisionLog:
    """A log file. One thread writes; whoever waits meanwhile is written in one step."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = ThreadPoolExecutor(1, "picrules-log")
        self._waiting: list[tuple[list[Answer], asyncio.Future[list[int]]]] = []
        self._thread.submit(self._open).result()

    def _open(self) -> None:
        file = None
        try:
            file = sqlite3.connect(self.path, isolation_level=None)
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = FULL")
            file.executescript(_TABLES)
        except sqlite3.Error as error:
            if file is not None:
                file.close()
            raise BadLog(
                f"{self.path} cannot be used as a decisions log: {error}; a new file, or a log "
                "that was begun before, is accepted"
            ) from None
        self._file = file

    async def append(self, answers: Sequence[Answer]) -> list[int]:
        """Keep answers, and return their numbers when they are on the disk."""
        future: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        self._waiting.append((list(answers), future))
        if len(self._waiting) == 1:
            asyncio.get_running_loop().create_task(self._write_all())
        return await future

    async def _write_all(self) -> None:
        await asyncio.sleep(0)  # lets others that are ready join
        waiting, self._waiting = self._waiting, []
        loop = asyncio.get_running_loop()
        try:
            numbers = await loop.run_in_executor(
                self._thread, self._insert, [answers for answers, _ in waiting]
            )
        except BaseException as error:  # noqa: BLE001  (each one who waits gets it)
            for _, future in waiting:
                if not future.done():
                    future.set_exception(error)
            return
        for own, (_, future) in zip(numbers, waiting, strict=True):
            if not future.done():
                future.set_result(own)

    def _insert(self, groups: list[list[Answer]]) -> list[list[int]]:
        time = _now()
        self._file.execute("BEGIN IMMEDIATE")
        try:
            numbers = [[self._insert_one(time, each) for each in answers] for answers in groups]
        except BaseException:
            self._file.execute("ROLLBACK")
            raise
        self._file.execute("COMMIT")
        return numbers

    def _insert_one(self, time: str, answer: Answer) -> int:
        row, prediction = _to_json(answer.row), _to_json(answer.prediction)
        rule = _storable(answer.rule)
        values = (time, answer.model, row, prediction, rule, answer.confidence)
        done = self._file.execute(
            "INSERT INTO answers (time, model, input, prediction, rule, confidence) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            values,
        )
        assert done.lastrowid is not None
        return done.lastrowid

    async def decide(self, answer: int, decision: Any, note: str) -> bool | None:
        """Keep what a person decided about an answer: whether it overrules; None if unknown."""
        kept: bool | None = await self._run(
            self._decide, answer, _to_json(decision), _storable(note)
        )
        return kept

    def _decide(self, answer: int, decision: str, note: str) -> bool | None:
        found = self._file.execute(
            "SELECT prediction FROM answers WHERE id = ?", (answer,)
        ).fetchone()
        if found is None:
            return None
        is_overruled = bool(found[0] != decision)
        self._file.execute(
            "INSERT INTO decisions (answer, time, decision, is_overruled, note) "
            "VALUES (?, ?, ?, ?, ?)",
            (answer, _now(), decision, is_overruled, note),
        )
        return is_overruled

    async def by_rule(self) -> list[RuleDecisions]:
        """Return how often each rule was decided about, the most overruled first."""
        rows = await self._run(self._fetch, _BY_RULE)
        return [RuleDecisions(*row) for row in rows]

    async def recent(self, most: int) -> list[tuple[Any, ...]]:
        """Return the last decisions: time, prediction, rule, decision, is_overruled, note."""
        rows = await self._run(self._fetch, _RECENT, most)
        return [(row[0], json.loads(row[1]), row[2], json.loads(row[3]), *row[4:]) for row in rows]

    async def export(self) -> str:
        """Return all answers and decisions as CSV."""
        rows = await self._run(self._fetch, _EXPORT)
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        writer.writerows([defuse(cell) for cell in row] for row in rows)
        return text.getvalue()

    def _fetch(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._file.execute(query, values).fetchall()

    async def _run(self, work: Any, *values: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *values)

    def close(self) -> None:
        """Write what waits, and close the file."""
        self._thread.submit(self._file.close).result()
        self._thread.shutdown()


def defuse(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula.

    Examples
    --------
    >>> defuse("=1+1"), defuse("fine"), defuse(-1.5)
    ("'=1+1", 'fine', -1.5)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _to_json(value: Any) -> str:
    # Half a surrogate pair can be in a JSON text but in no file.
    return _storable(json.dumps(value, ensure_ascii=False, default=str))


def _storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
