"""Answer the rows of files chunk by chunk, here or by the workers of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from picrules.cli import output
from picrules.cli.model_rows import ModelRows
from picrules.cli.tables.source import open_source
from picrules.engines.shared import read_ahead

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from picrules.cli.options import Reading
    from picrules.distributed.asker import TravellingModel
    from picrules.reports.asked import Asked

# Of a rule, and so of all rows that it decides.
RULE_COLUMNS = ("prediction", "rule", "length", "score", "precision", "recall", "cover_size")
COLUMNS = ("row", "prediction", "confidence", *RULE_COLUMNS[1:], "silent")


@dataclass(frozen=True)
class Answering:
    """What is told about each row."""

    keep: list[str]  # columns of the files to repeat
    shares: list[str]  # the names of the probabilities, if these are told
    chunk_rows: int | None

    def here(self, rows: ModelRows) -> Iterator[pa.Table]:
        """Answer rows by this process."""
        for table, X, first_row in read_ahead(rows.chunks(self.chunk_rows), 1):
            yield to_table(rows.ask(table, X), table.select(self.keep), first_row, self.shares)

    def by_cluster(
        self, address: str, rows: ModelRows, files: list[str], reading: Reading
    ) -> Iterator[pa.Table]:
        """Answer rows by the workers of a Dask scheduler, which read the files."""
        from picrules.distributed.asker import TravellingModel
        from picrules.distributed.dask_tasks import connect, run_in_order

        work = _Reader(self, reading)
        paths = [str(Path(path).resolve()) for path in files]
        with connect(address) as client:
            for answered in run_in_order(client, paths, work, TravellingModel.of(rows.clf)):
                for table in answered.tables:
                    numbers = pc.add(table.column("row"), rows.n_rows)
                    yield table.set_column(0, "row", numbers)
                rows.n_rows += answered.n_rows
                rows.n_unseen.update(answered.n_unseen)


@dataclass(frozen=True)
class _Answered:
    """What is told about the rows of a file, counted from 1."""

    tables: list[pa.Table]
    n_rows: int
    n_unseen: Counter[str]


@dataclass(frozen=True)
class _Reader:
    """Answers the rows of a file where a worker reads it."""

    answering: Answering
    reading: Reading

    def __call__(self, model: TravellingModel, path: str) -> _Answered:
        with (
            output.silence(is_quiet=True),
            open_source([path], self.reading, may_be_empty=True) as source,
        ):
            rows = ModelRows(model.open(), source, None)
            tables = list(self.answering.here(rows))
        return _Answered(tables, rows.n_rows, rows.n_unseen)


def _to_confidences(asked: Asked) -> pa.Array:
    """Return the confidence of each row; missing where the estimator does not know it."""
    if not asked.explanations.cases.model.has_confidence:
        return pa.nulls(asked.n_rows, pa.float64())
    return pa.array(asked.explanations.confidences)


def to_table(asked: Asked, kept: pa.Table, first_row: int, shares: list[str]) -> pa.Table:
    """Write class, confidence, rule and its numbers as one line per row, in the same order."""
    # The columns of a rule share their codes, so that each rule's text is written once.
    known, which = asked.explanations.tell_rules()
    codes = pa.array(which.astype(np.int32))
    classes = pa.array(asked.clf.classes_.tolist())
    types = {"prediction": classes.type, "rule": pa.string()}
    columns = {
        "row": pa.array(np.arange(first_row, first_row + asked.n_rows)),
        "confidence": _to_confidences(asked),
    }
    for name in RULE_COLUMNS:
        values = pa.array(known[name], types.get(name))
        columns[name] = pa.DictionaryArray.from_arrays(codes, values)
    texts, own = asked.explanations.name_silent()
    columns["silent"] = pa.DictionaryArray.from_arrays(own.astype(np.int32), pa.array(texts))
    columns |= zip(kept.column_names, kept.columns, strict=True)
    if shares:
        columns |= zip(shares, map(pa.array, asked.explanations.probabilities.T), strict=True)
    names = ["row", *kept.column_names, *COLUMNS[1:], *shares]
    return pa.table({name: columns[name] for name in names})
