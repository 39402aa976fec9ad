"""Options that several commands share, each written once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from picrules.cli.tables.reading import FORMATS, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# The estimators by their names on the command line; the values are public names of picrules.
ESTIMATORS = {
    "personal": "PersonalRuleClassifier",
    "pic": "PICClassifier",
    "fpic": "FPICClassifier",
}
DEFAULT_ESTIMATOR = "personal"

# The least parts that `personal` cuts a column into; the others may leave it whole.
_LEAST_CUTS = 2


def _one_of(accepted: Iterable[str]) -> Callable[[str | None], str | None]:
    """Make a check that an option, if it is given, is one of some names."""

    def check(name: str | None) -> str | None:
        if name is not None and name not in accepted:
            raise typer.BadParameter(f"{name!r}; one of {', '.join(accepted)} is accepted")
        return name

    return check


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
        callback=_one_of(ESTIMATORS),
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
        callback=_one_of(FORMATS),
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


def make_estimator(
    name: str, alpha: float | None, max_length: int | None, bins: int | None, jobs: int
) -> Any:
    """Make an estimator with the parameters that were given; it has defaults for the others."""
    import picrules

    parts = "cuts" if name == "personal" else "bins"
    if parts == "cuts" and bins is not None and bins < _LEAST_CUTS:
        raise typer.BadParameter(
            f"--bins is {bins}; the estimator 'personal' accepts whole numbers from {_LEAST_CUTS}"
        )
    given = {"alpha": alpha, "max_length": max_length, parts: bins, "n_jobs": jobs}
    settings = {option: value for option, value in given.items() if value is not None}
    return getattr(picrules, ESTIMATORS[name])(**settings)
