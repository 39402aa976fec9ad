"""Files of the report: CSV, Markdown, SVG and PNG."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


@dataclass
class Pages:
    """Writes into one folder and remembers what it wrote."""

    folder: Path
    files: list[Path] = field(default_factory=list)

    def write(
        self, name: str, title: str, table: pd.DataFrame, *, text: str = "", long: Any = None
    ) -> None:
        """Write a table as Markdown and as CSV; the CSV may be a longer form of it."""
        parts = [f"# {title}", text, to_markdown(table)]
        self._add(f"{name}.md").write_text("\n\n".join(part for part in parts if part) + "\n")
        self.write_csv(name, table if long is None else long)

    def write_csv(self, name: str, table: pd.DataFrame) -> None:
        table.to_csv(self._add(f"{name}.csv"), index=False, float_format="%.6g")

    def draw(self, name: str, figure: Figure) -> None:
        """Save a figure as SVG and PNG; the same figure is the same file, bit by bit."""
        figure.savefig(self._add(f"{name}.svg"), metadata={"Date": None}, bbox_inches="tight")
        figure.savefig(
            self._add(f"{name}.png"), metadata={"Software": None}, dpi=120, bbox_inches="tight"
        )

    def _add(self, name: str) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / name
        self.files.append(path)
        return path


def new_figure(width: float, height: float, n_panels: int = 1) -> tuple[Figure, list[Any]]:
    """A figure without a window, with its axes in a list."""
    import matplotlib as mpl  # noqa: PLC0415  (only figures need it)
    from matplotlib.figure import Figure  # noqa: PLC0415

    mpl.rcParams["svg.hashsalt"] = "picrules"  # else ids in the file are random
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, n_panels, squeeze=False)[0]
    return figure, list(axes)


def to_markdown(table: pd.DataFrame) -> str:
    """Write a data frame as a Markdown table; numbers are on the right."""
    numeric = [pd.api.types.is_numeric_dtype(table[column]) for column in table]
    rows = [table.columns, *table.itertuples(index=False)]
    header, *body = ("| " + " | ".join(map(_to_cell, row)) + " |" for row in rows)
    ruler = "|" + "|".join("---:" if is_number else "---" for is_number in numeric) + "|"
    return "\n".join([header, ruler, *body])


def _to_cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and pd.isna(value)):
        return ""
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "\\|")
