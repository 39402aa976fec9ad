"""`picrules predict`: class, confidence and rule of each row of a file, in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from picrules.cli import options, output
from picrules.rules.text import plural

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLE = "picrules predict income.pic new.csv --keep id -o answers.csv"


def run(
    model: options.Model,
    data: options.Data,
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="The file to write: .csv, .jsonl or .parquet; standard output if not said.",
        ),
    ] = None,
    out_format: Annotated[
        str | None, typer.Option("--output-format", help="csv, jsonl or parquet.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A column of DATA to repeat in the output; repeatable."),
    ] = None,
    chunk_rows: options.ChunkRows = None,
    jobs: options.Jobs = -1,
    form: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    missing: options.Missing = None,
    as_json: options.Json = False,
) -> None:
    """Predict each row of a table, with the rule that is the reason."""
    from picrules.cli.answerer import Answerer
    from picrules.cli.tables.source import open_source
    from picrules.cli.tables.write import choose_format, open_writer

    out_form = choose_format(out, "jsonl" if as_json and out_format is None else out_format)
    reading = options.to_reading(form, delimiter, encoding, missing)
    with open_source(data, reading) as source:
        answerer = Answerer(model, source, jobs)
        answerer.check_kept(keep or [])
        with open_writer(out, out_form) as writer, output.show_bar("rows", None) as report:
            for table, X, first_row in answerer.chunks(chunk_rows):
                writer.write(_answer(answerer.clf, X, table.select(keep or []), first_row))
                report(len(table))
    answerer.tell_unseen()
    if out is not None:
        output.tell(f"Wrote {plural(answerer.n_rows, 'row')} to {out}.")


def _answer(clf: Any, X: Any, kept: pa.Table, first_row: int) -> pa.Table:
    from picrules.cli.answers import to_columns

    answers = to_columns(clf, X, first_row)
    for place, name in enumerate(kept.column_names, start=1):
        answers = answers.add_column(place, name, kept.column(name))
    return answers
