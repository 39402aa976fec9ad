"""`picrules compact`: a few of the rules in use that answer most rows as the model does."""

from __future__ import annotations

from typing import Annotated

import typer

from picrules.cli import options, output

EXAMPLE = "picrules compact income.pic new.csv --max-rules 10"


def run(
    model: options.Model,
    data: options.Data,
    *,
    target: options.KnownTarget = None,
    max_rules: Annotated[
        int, typer.Option(min=1, help="The most rules, beside the class for all other rows.")
    ] = 20,
    sql: Annotated[bool, typer.Option("--sql", help="Print the list as a SQL CASE.")] = False,
    jobs: options.Jobs = -1,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Choose a few rules that answer most rows as the model does."""
    from picrules.cli.model_rows import ModelRows
    from picrules.cli.tables.source import open_source

    with open_source(data, reading) as source:
        rows = ModelRows(model, source, jobs, target)
        _, X, y = rows.whole()
    compact = rows.clf.compact_rules(X, y, max_rules)
    text = compact.to_sql() if sql else str(compact)
    content = {**compact.to_dict(), "sql": compact.to_sql()} if sql else compact.to_dict()
    output.show(content, lambda _: [text], as_json=as_json)
