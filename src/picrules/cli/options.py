"""Options that several commands share, each written once."""

from __future__ import annotations

from typing import Annotated

import typer

from picrules.cli.tables.reading import FORMATS, Reading

# The estimators by their names on the command line; the values are public names of picrules.
ESTIMATORS = {
    "personal": "PersonalRuleClassifier",
    "pic": "PICClassifier",
    "fpic": "FPICClassifier",
}
DEFAULT_ESTIMATOR = "personal"

# The least that `personal` cuts a column into; the others may leave it whole.
LEAST_CUTS = 2


def _check_estimator(name: str) -> str:
    if name not in ESTIMATORS:
        raise typer.BadParameter(f"{name!r}; one of {', '.join(ESTIMATORS)} is accepted")
    return name


def _check_format(name: str | None) -> str | None:
    if name is not None and name not in FORMATS:
        raise typer.BadParameter(f"{name!r}; one of {', '.join(FORMATS)} is accepted")
    return name


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Rows as CSV, JSON lines, Parquet or Feather, also in gzip; - is standard input.",
    ),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file that 'fit' wrote.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column of the classes.")]
Estimator = Annotated[
    str,
    typer.Option(
        help=f"One of {', '.join(ESTIMATORS)}.",
        callback=_check_estimator,
        autocompletion=lambda: list(ESTIMATORS),
    ),
]
Alpha = Annotated[
    float | None,
    typer.Option(help="Weight of precision in the score, 0 to 1; recall has the rest."),
]
MaxLength = Annotated[int | None, typer.Option(help="The longest rules that are looked at.")]
Bins = Annotated[int | None, typer.Option(help="Into how many parts columns of numbers are cut.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores.")]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="COL", help="A column of categories, whatever it looks like; repeatable."),
]
Numeric = Annotated[
    list[str] | None, typer.Option(metavar="COL", help="A column of numbers; repeatable.")
]
Ignore = Annotated[
    list[str] | None, typer.Option(metavar="COL", help="A column to leave out; repeatable.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help=f"How DATA is written: {', '.join(FORMATS)}; by its name or first bytes if not said.",
        callback=_check_format,
        autocompletion=lambda: list(FORMATS),
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(help="What separates the cells of a CSV file; found out if not said."),
]
Encoding = Annotated[str, typer.Option(help="How the text of a CSV file is written.")]
Missing = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="A further text for a missing cell; repeatable."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
ChunkRows = Annotated[
    int | None,
    typer.Option(min=1, help="Rows in memory at once; 50,000, or fewer if rows are long."),
]


def to_reading(
    form: str | None, delimiter: str | None, encoding: str, missing: list[str] | None
) -> Reading:
    """Collect how a file is to be read."""
    return Reading(form, delimiter, encoding, tuple(missing or ()))


def to_settings(
    estimator: str, alpha: float | None, max_length: int | None, bins: int | None, jobs: int
) -> dict[str, float | int]:
    """Collect the parameters of an estimator that were given; it has defaults for the others."""
    parts = "cuts" if estimator == "personal" else "bins"
    if parts == "cuts" and bins is not None and bins < LEAST_CUTS:
        raise typer.BadParameter(
            f"--bins is {bins}; the estimator 'personal' accepts whole numbers from {LEAST_CUTS}"
        )
    given = {"alpha": alpha, "max_length": max_length, parts: bins, "n_jobs": jobs}
    return {name: value for name, value in given.items() if value is not None}
