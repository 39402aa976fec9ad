"""`picrules rules`: the rules that a file's predictions use."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from picrules.cli import options, output
from picrules.rules.text import plural

EXAMPLE = "picrules rules income.pic new.csv --top 20"


def run(
    model: options.Model,
    data: options.Data,
    *,
    top: Annotated[
        int | None, typer.Option(min=1, help="Show at most this many rules, the most used first.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="A file to write the rules to: .csv, .jsonl or .parquet."
        ),
    ] = None,
    is_sql: Annotated[
        bool, typer.Option("--sql", help="Add each rule as a condition of SQL.")
    ] = False,
    safe_csv: options.SafeCsv = False,
    chunk_rows: options.ChunkRows = None,
    jobs: options.Jobs = -1,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """List the rules in use, and how many rows each decides."""
    import pyarrow as pa

    from picrules.cli.model_rows import ModelRows
    from picrules.cli.tables.source import open_source
    from picrules.cli.write import check_output, choose_format, open_writer
    from picrules.explain.summary import Summary

    form = choose_format(out, None)
    if out is not None:
        check_output(out, [model, *options.find_files(data)])
    with open_source(data, reading) as source:
        rows, summary = ModelRows(model, source, jobs), Summary()
        with output.show_bar("rows", None) as report:
            for table, X, _ in rows.chunks(chunk_rows):
                summary += rows.ask(table, X).summary
                report(len(table))
    rows.tell_unseen()
    content = summary.to_dict()
    content["rules"] = content["rules"][:top]
    if is_sql:
        # Values that training never saw satisfy no condition, which a database cannot know.
        known = {
            feature.name: feature.categories
            for feature in rows.clf.schema_.features
            if hasattr(feature, "categories")
        }
        for entry, use in zip(content["rules"], summary.uses, strict=False):
            entry["sql"] = use.rule.to_sql(known)
    if out is not None:
        with open_writer(out, form, is_safe=safe_csv) as writer:
            writer.write(pa.Table.from_pylist(content["rules"]))
        output.tell(f"Wrote {plural(len(content['rules']), 'rule')} to {out}.")
    output.show(content, lambda _: _to_lines(content, summary.to_lines(top)), as_json=as_json)


def _to_lines(content: dict[str, Any], lines: list[str]) -> list[str]:
    """List the rules; or, where they are wanted as SQL, a query for each."""
    if "sql" not in content["rules"][0]:
        return lines
    return [f"{entry['sql']}  -- {entry['rule']}" for entry in content["rules"]]
