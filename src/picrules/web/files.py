"""What is served, read from files: by the readers of the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from picrules.cli.align import align_classes
from picrules.cli.model_rows import ModelRows, open_model
from picrules.cli.options import Reading, check_columns
from picrules.cli.tables.kinds import read_target
from picrules.cli.tables.source import open_source
from picrules.web.served import Served, find_fingerprint

if TYPE_CHECKING:
    from picrules.reports.asked import Asked

_ALL_ROWS = 2**31


@dataclass(frozen=True, slots=True)
class Files:
    """A model file, and the file of the table to work through."""

    model: Path
    data: str | None = None
    target: str | None = None
    reading: Reading = field(default_factory=Reading)

    def open(self) -> Served:
        """Read both, whole."""
        fingerprint = find_fingerprint(self.model)
        if self.data is None:
            clf = open_model(str(self.model)).set_params(n_jobs=1)
            return Served(clf, self.model.stem, fingerprint)
        clf, asked = self._ask(self.data)
        name = Path(self.data).name
        return Served(clf, self.model.stem, fingerprint, asked, name, self.target)

    def _ask(self, data: str) -> tuple[Any, Asked]:
        with open_source(data, self.reading) as source:
            target = self.target
            check_columns("--target", [] if target is None else [target], source.names)
            rows = ModelRows(str(self.model), source, 1, target)
            ((table, X, _),) = rows.chunks(_ALL_ROWS)
            y = None
            if target is not None:
                classes = read_target(target, table.column(target))
                y = align_classes(target, classes, rows.clf.classes_.tolist())
        return rows.clf, rows.ask(table, X, y)

    def stamp(self) -> tuple[int, ...] | None:
        """Return what changes when the model file does; None while there is none."""
        try:
            found = self.model.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
