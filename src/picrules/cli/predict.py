"""`picrules predict`: class, confidence and rule of each row of a file, in chunks."""

from __future__ import annotations

from typing import Annotated

import typer

from picrules.cli import options, output
from picrules.rules.text import plural

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
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add the probability of each class.")
    ] = False,
    safe_csv: options.SafeCsv = False,
    chunk_rows: options.ChunkRows = None,
    jobs: options.Jobs = -1,
    cluster: options.Cluster = None,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Predict each row of a table, with the rule that is the reason."""
    from picrules.cli.answering import COLUMNS, Answering
    from picrules.cli.behind import write_behind
    from picrules.cli.model_rows import ModelRows
    from picrules.cli.tables.source import open_source
    from picrules.cli.write import check_output, choose_format, open_writer

    files = options.find_files(data)
    options.check_cluster(cluster, files)
    out_form = choose_format(out, "jsonl" if as_json and out_format is None else out_format)
    if out is not None:
        check_output(out, [model, *files])
    with open_source(data, reading, may_be_empty=True) as source:
        rows = ModelRows(model, source, jobs)
        options.check_columns("--keep", keep or [], source.names)
        shares = [f"probability_{one}" for one in rows.clf.classes_] if probabilities else []
        for name in keep or []:
            if name in COLUMNS or name in shares:
                raise typer.BadParameter(
                    f"--keep names the column {name!r}, which the output has itself; rename it"
                )
        with (
            open_writer(out, out_form, is_safe=safe_csv) as writer,
            write_behind(writer.write) as write,
            output.show_bar("rows", None) as report,
        ):
            answered = Answering(keep or [], shares, chunk_rows)
            every = (
                answered.here(rows)
                if cluster is None
                else answered.by_cluster(cluster, rows, files, reading)
            )
            for table in every:
                write(table)
                report(len(table))
    rows.tell_unseen()
    if out is not None:
        output.tell(f"Wrote {plural(rows.n_rows, 'row')} to {out}.")
