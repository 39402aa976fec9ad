"""`picrules importances`: what is lost without each column."""

from __future__ import annotations

from typing import Annotated

import typer

from picrules.cli import options, output

EXAMPLE = "picrules importances income.pic new.csv --target income"


def run(
    model: options.Model,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]", help="Rows whose classes are known; the training rows if not given."
        ),
    ] = None,
    *,
    target: options.KnownTarget = None,
    jobs: options.Jobs = -1,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Tell how much accuracy is lost without each column, and how often rules use it."""
    from picrules.cli.model_rows import ModelRows, open_model
    from picrules.cli.tables.source import open_source

    if (data is None) != (target is None):
        raise typer.BadParameter("say both DATA and --target, or none for the training rows")
    if data is None:
        clf, X, y = open_model(model).set_params(n_jobs=jobs), None, None
    else:
        with open_source(data, reading) as source:
            rows = ModelRows(model, source, jobs, target)
            _, X, y = rows.whole()
        clf = rows.clf
    importances = clf.importances(X, y)
    output.show(importances.to_dict(), lambda _: [str(importances)], as_json=as_json)
