"""The results: one row per fit in an SQLite file, so that a study can be killed and go on."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import astuple
from typing import TYPE_CHECKING, Self

import pandas as pd

from experiments.fit import KEEPS_RULES
from experiments.rivals.rule import FoundRule, Item

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from experiments.fit import Outcome, Task

KEY = ("dataset", "method", "repeat", "fold")
MEASURED = ("status", "accuracy", "n_rules", "length", "fit_seconds", "predict_seconds", "note")
# A write-ahead log: a killed process loses nothing, and a fit is stored without waiting for a disk.
SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS fits (
    dataset TEXT, method TEXT, repeat INTEGER, fold INTEGER,
    status TEXT, accuracy REAL, n_rules REAL, length REAL,
    fit_seconds REAL, predict_seconds REAL, note TEXT, limit_seconds REAL,
    PRIMARY KEY ({", ".join(KEY)}));
CREATE TABLE IF NOT EXISTS rules (
    dataset TEXT, method TEXT, repeat INTEGER, fold INTEGER,
    items TEXT, label TEXT, n_rows INTEGER);
"""


class Store:
    """Reads and writes the fits of a study."""

    def __init__(self, path: Path | str) -> None:
        self.connection = sqlite3.connect(path)
        self.connection.executescript(SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def write(self, task: Task, outcome: Outcome, limit: float) -> None:
        """Keep a result, in place of an earlier one; all of it or, when killed, nothing."""
        key = tuple(getattr(task, name) for name in KEY)
        values = tuple(getattr(outcome, name) for name in MEASURED)
        places = ", ".join("?" * (len(key) + len(values) + 1))
        with self.connection:
            self.forget(task)
            self.connection.execute(
                f"INSERT INTO fits VALUES ({places})",
                (*key, *values, limit),
            )
            self.connection.executemany(
                "INSERT INTO rules VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *key,
                        json.dumps([astuple(i) for i in sorted(u.rule.items)]),
                        str(u.rule.label),
                        u.n_rows,
                    )
                    for u in outcome.rules
                ],
            )

    def forget(self, task: Task) -> None:
        """Remove a result, if it is there."""
        key = tuple(getattr(task, name) for name in KEY)
        where = " AND ".join(f"{name} = ?" for name in KEY)
        for table in ("fits", "rules"):
            self.connection.execute(f"DELETE FROM {table} WHERE {where}", key)

    def missing(self, tasks: Iterable[Task], limit: float) -> list[Task]:
        """The tasks that are still to be done: never run, failed, or given less time before."""
        settled = set(
            self.connection.execute(
                f"SELECT {', '.join(KEY)} FROM fits "
                "WHERE status = 'done' OR (status = 'late' AND limit_seconds >= ?)",
                (limit,),
            )
        )
        return [task for task in tasks if tuple(getattr(task, k) for k in KEY) not in settled]

    def take_over(self, path: Path) -> None:
        """Start an empty store with the fits of a file that `paper` wrote.

        Rules are not in that file, so fits whose rules are told are run again.
        """
        is_empty = not self.connection.execute("SELECT COUNT(*) FROM fits").fetchone()[0]
        if is_empty and path.is_file():
            fits = pd.read_csv(path)
            has_rules = fits["dataset"].isin(KEEPS_RULES) & (fits["repeat"] == 0)
            kept = fits[~has_rules & (fits["status"] == "done")]
            with self.connection:
                kept.to_sql("fits", self.connection, if_exists="append", index=False)

    def fits(self) -> pd.DataFrame:
        """All results, in the order of their keys."""
        query = f"SELECT * FROM fits ORDER BY {', '.join(KEY)}"
        return pd.read_sql_query(query, self.connection)

    def rules(self) -> pd.DataFrame:
        """All stored rules, as `FoundRule`, with the rows they cover."""
        query = "SELECT * FROM rules ORDER BY dataset, method, repeat, fold, label, items"
        rules = pd.read_sql_query(query, self.connection)
        rules["rule"] = [
            FoundRule(frozenset(Item(*item) for item in json.loads(items)), label)
            for items, label in zip(rules["items"], rules["label"], strict=True)
        ]
        return rules.drop(columns=["items", "label"])
