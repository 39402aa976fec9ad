"""`picrules rules`: the rules that a file's predictions use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from picrules.cli import options, output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from picrules.cli.model_rows import ModelRows
    from picrules.explain.summary import Summary

EXAMPLE = "picrules rules income.pic new.csv --top 20"


def run(
    model: options.Model,
    data: options.Data,
    *,
    top: Annotated[
        int | None, typer.Option(min=1, help="Show at most this many rules, the most used first.")
    ] = None,
    chunk_rows: options.ChunkRows = None,
    jobs: options.Jobs = -1,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """List the rules in use, and how many rows each decides."""
    from picrules.cli.model_rows import ModelRows
    from picrules.cli.tables.source import open_source
    from picrules.explain.summary import Summary

    with open_source(data, reading) as source:
        rows = ModelRows(model, source, jobs)
        with output.show_bar("rows", None) as report:
            summary = Summary.total(_summarize(rows, chunk_rows, report))
    rows.tell_unseen()
    content = summary.to_dict()
    shown = {**content, "rules": content["rules"][:top]}
    output.show(shown, lambda _: summary.to_lines(top), as_json=as_json)


def _summarize(
    rows: ModelRows, chunk_rows: int | None, report: Callable[[int], None]
) -> Iterator[Summary]:
    for table, X, _ in rows.chunks(chunk_rows):
        yield rows.ask(table, X).summary
        report(len(table))
