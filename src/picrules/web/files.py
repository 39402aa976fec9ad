"""What is served, read from files: by the readers of the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from picrules.cli.align import align_classes
from picrules.cli.model_rows import ModelRows, open_model
from picrules.cli.options import Learning, Reading, check_columns
from picrules.cli.tables.source import open_source
from picrules.cli.training import find_kinds, read_target
from picrules.encoding.columns import read_columns
from picrules.explain.distribution import picture_columns
from picrules.web.served import Served, find_fingerprint

if TYPE_CHECKING:
    from picrules.explain.distribution import Distribution
    from picrules.reports.asked import Asked

_ALL_ROWS = 2**31


@dataclass(frozen=True, slots=True)
class Looked:
    """A table that may be learned from: its columns, their kinds and a first picture of each."""

    name: str
    n_rows: int
    kinds: dict[str, str]
    n_missing: dict[str, int]
    pictures: dict[str, Distribution]


def look_at(path: Path, name: str) -> Looked:
    """Read a table, and picture its columns; `name` is what people call it."""
    with open_source(str(path), Reading()) as source:
        table, kinds = find_kinds(source.whole(), Learning(target=""), source)
    pictures = {found.feature: found for found in picture_columns(read_columns(table))}
    n_missing = {each: table.column(each).null_count for each in kinds}
    return Looked(name, len(table), kinds, n_missing, pictures)


@dataclass(frozen=True, slots=True)
class Files:
    """A model file, and the file of the table to work through."""

    model: Path
    data: str | None = None
    target: str | None = None
    reading: Reading = field(default_factory=Reading)
    name: str = ""  # what people call the table; its file's name if not said

    def open(self) -> Served:
        """Read both, whole."""
        fingerprint = find_fingerprint(self.model) if self.model.is_file() else ""
        if self.data is None:
            clf = open_model(str(self.model)).set_params(n_jobs=1)
            served = Served(clf, self.model.stem, fingerprint)
        else:
            clf, asked = self._ask(self.data)
            name = self.name or Path(self.data).name
            served = Served(clf, self.model.stem, fingerprint, asked, name, self.target)
        served.warm_up()
        return served

    def _ask(self, data: str) -> tuple[Any, Asked]:
        with open_source(data, self.reading) as source:
            target = self.target
            check_columns("--target", [] if target is None else [target], source.names)
            rows = ModelRows(str(self.model), source, 1, target)
            ((table, X, _),) = rows.chunks(_ALL_ROWS)
            y = None
            if target is not None:
                classes = read_target(target, table.column(target)).tolist()
                y = align_classes(target, classes, rows.clf.classes_.tolist())
        return rows.clf, rows.ask(table, X, y)

    def stamp(self) -> tuple[int, ...] | None:
        """Return what changes when the model file does; None while there is none."""
        try:
            found = self.model.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
