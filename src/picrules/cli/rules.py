"""`picrules rules`: the rules that a file's predictions use."""

from __future__ import annotations

from typing import Annotated

import typer

from picrules.cli import options, output

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
        rows, summary = ModelRows(model, source, jobs), Summary()
        with output.show_bar("rows", None) as report:
            for table, X, _ in rows.chunks(chunk_rows):
                summary += rows.ask(table, X).summary
                report(len(table))
    rows.tell_unseen()
    content = summary.to_dict()
    shown = {**content, "rules": content["rules"][:top]}
    output.show(shown, lambda _: summary.to_lines(top), as_json=as_json)
