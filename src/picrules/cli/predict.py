"""`picrules predict`: class, confidence and rule of each row of a file, in chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from picrules.cli import options, output
from picrules.rules.text import plural

if TYPE_CHECKING:
    import pyarrow as pa

    from picrules.reports.asked import Asked

EXAMPLE = "picrules predict income.pic new.csv --keep id -o answers.csv"

# Of a rule, and so of all rows that it decides.
_RULE_COLUMNS = ("prediction", "rule", "length", "score", "precision", "recall", "cover_size")
_COLUMNS = ("row", "prediction", "confidence", *_RULE_COLUMNS[1:], "silent")


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
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Predict each row of a table, with the rule that is the reason."""
    from picrules.cli.ahead import read_ahead, write_behind
    from picrules.cli.model_rows import ModelRows
    from picrules.cli.tables.source import open_source
    from picrules.cli.write import check_output, choose_format, open_writer

    out_form = choose_format(out, "jsonl" if as_json and out_format is None else out_format)
    if out is not None:
        check_output(out, [model, *options.find_files(data)])
    with open_source(data, reading, may_be_empty=True) as source:
        rows = ModelRows(model, source, jobs)
        options.check_columns("--keep", keep or [], source.names)
        shares = [f"probability_{one}" for one in rows.clf.classes_] if probabilities else []
        for name in keep or []:
            if name in _COLUMNS or name in shares:
                raise typer.BadParameter(
                    f"--keep names the column {name!r}, which the output has itself; rename it"
                )
        with (
            open_writer(out, out_form, is_safe=safe_csv) as writer,
            write_behind(writer.write) as write,
            output.show_bar("rows", None) as report,
        ):
            for table, X, first_row in read_ahead(rows.chunks(chunk_rows)):
                asked = rows.ask(table, X)
                write(_to_table(asked, table.select(keep or []), first_row, shares))
                report(len(table))
    rows.tell_unseen()
    if out is not None:
        output.tell(f"Wrote {plural(rows.n_rows, 'row')} to {out}.")


def _to_confidences(asked: Asked) -> pa.Array:
    """Return the confidence of each row; missing where the estimator does not know it."""
    import pyarrow as pa

    if not asked.explanations.cases.model.has_confidence:
        return pa.nulls(asked.n_rows, pa.float64())
    return pa.array(asked.explanations.confidences)


def _to_table(asked: Asked, kept: pa.Table, first_row: int, shares: list[str]) -> pa.Table:
    """Write class, confidence, rule and its numbers as one line per row, in the same order."""
    import numpy as np
    import pyarrow as pa

    # The columns of a rule share their codes, so that each rule's text is written once.
    known, which = asked.explanations.tell_rules()
    codes = pa.array(which.astype(np.int32))
    classes = pa.array(asked.clf.classes_.tolist())
    types = {"prediction": classes.type, "rule": pa.string()}
    columns = {
        "row": pa.array(np.arange(first_row, first_row + asked.n_rows)),
        "confidence": _to_confidences(asked),
    }
    for name in _RULE_COLUMNS:
        values = pa.array(known[name], types.get(name))
        columns[name] = pa.DictionaryArray.from_arrays(codes, values)
    texts, own = asked.explanations.name_silent()
    columns["silent"] = pa.DictionaryArray.from_arrays(own.astype(np.int32), pa.array(texts))
    columns |= zip(kept.column_names, kept.columns, strict=True)
    if shares:
        columns |= zip(shares, map(pa.array, asked.explanations.probabilities.T), strict=True)
    names = ["row", *kept.column_names, *_COLUMNS[1:], *shares]
    return pa.table({name: columns[name] for name in names})
