"""Options that several commands share, each written once."""

from __future__ import annotations

import codecs
import re
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from functools import wraps
from glob import glob
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from picrules.cli.output import show_names, silence
from picrules.rules.text import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# The estimators by their names on the command line; the values are public names of picrules.
ESTIMATORS = {
    "personal": "PersonalRuleClassifier",
    "pic": "PICClassifier",
    "fpic": "FPICClassifier",
}
DEFAULT_ESTIMATOR = "personal"

# What may be said about the training rows of a model, and the parameter `keep_rows` for it.
KEEP_ROWS: dict[str, bool | str] = {"auto": "auto", "yes": True, "no": False}

STDIN = "-"  # as the name of a file

# How files of rows can be written, and how their names end then.
FORMATS = {
    "csv": (".csv", ".tsv", ".txt", ".data"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "parquet": (".parquet", ".pq"),
    "feather": (".feather", ".arrow", ".ipc"),
}

# The least parts that `personal` cuts a column into; the others may leave it whole.
_LEAST_CUTS = 2


def _one_of(accepted: Iterable[str], *names: str, text: str) -> Any:
    """Make an option whose value, if it is given, is one of some names."""

    def check(name: str | None) -> str | None:
        if name is not None and name not in accepted:
            known = list(map(repr, accepted)) if "," in accepted else accepted
            raise typer.BadParameter(f"{name!r}; one of {', '.join(known)} is accepted")
        return name

    return typer.Option(*names, help=text, callback=check, autocompletion=lambda: list(accepted))


def find_files(patterns: list[str]) -> list[str]:
    """Return the files that were named, and those that fit a pattern such as `part-*.csv`."""
    paths: dict[str, None] = {}
    for pattern in patterns:
        is_name = pattern == STDIN or Path(pattern).exists()
        found = [] if is_name else sorted(glob(pattern, recursive=True))  # noqa: PTH207
        paths |= dict.fromkeys(found or [pattern])
    for path in paths:
        if path != STDIN and not (Path(path).is_file() or Path(path).is_fifo()):
            what = "is a folder" if Path(path).is_dir() else "is not there"
            raise typer.BadParameter(
                f"{path} {what}; a file, a pattern such as 'part-*.csv', or - for standard input, "
                "is accepted"
            )
    return list(paths)


def is_read_once(path: str) -> bool:
    """Whether what was read of a file is gone: standard input and pipes."""
    return path == STDIN or Path(path).is_fifo()


def check_cluster(address: str | None, files: list[str]) -> None:
    """Refuse standard input and pipes where the workers of a cluster are to read."""
    if address is not None and any(map(is_read_once, files)):
        raise typer.BadParameter(
            "--cluster is given with standard input or a pipe; it is accepted with files that the "
            "workers see"
        )


def check_columns(option: str, wanted: Iterable[str], names: list[str]) -> None:
    """Say which of the named columns is not there, and which ones are."""
    for name in wanted:
        if name not in names:
            close = get_close_matches(name, names, 1, 0.6)
            guess = f" Did you mean {show(close[0])}?" if close else ""
            raise typer.BadParameter(
                f"{option} names the column {show(name)}; the file has {show_names(names)}.{guess}"
            )


Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA",
        help="Files of rows as CSV, JSON, Parquet or Feather, also packed by gzip, bz2 or zstd; "
        "patterns such as 'part-*.csv'; - is standard input.",
    ),
]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file that 'fit' wrote.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
_Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print results and errors, no notes and no progress.")
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv", help="Put ' before texts of CSV that a spreadsheet takes for formulas."
    ),
]
ChunkRows = Annotated[
    int | None,
    typer.Option(min=1, help="Rows in memory at once; 65,536, or fewer if rows are long."),
]
Target = Annotated[str, typer.Option("--target", "-t", help="The column of the classes.")]
KnownTarget = Annotated[
    str | None,
    typer.Option("--target", "-t", help="The column of the classes, where DATA has it."),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A Dask scheduler such as tcp://10.0.0.1:8786, whose workers read the files of DATA.",
    ),
]
_ALPHA = "Weight of precision in the score, 0 to 1; recall has the rest."
Alpha = Annotated[float, typer.Option(help=_ALPHA)]
Categorical = Annotated[
    list[str],
    typer.Option(metavar="COL", help="A column of categories, whatever it looks like; repeatable."),
]
Numeric = Annotated[list[str], typer.Option(metavar="COL", help="A column of numbers; repeatable.")]


@dataclass(frozen=True, slots=True)
class Learning:
    """What to learn from which columns, and how."""

    target: Target
    estimator: Annotated[str, _one_of(ESTIMATORS, text=f"One of {', '.join(ESTIMATORS)}.")] = (
        DEFAULT_ESTIMATOR
    )
    alpha: Annotated[float | None, typer.Option(help=_ALPHA)] = None
    max_length: Annotated[
        int | None, typer.Option(help="The longest rules that are looked at.")
    ] = None
    bins: Annotated[
        int | None, typer.Option(help="Into how many parts columns of numbers are cut.")
    ] = None
    n_rules: Annotated[
        str | None,
        typer.Option(metavar="N", help="How many rules decide together (personal), or auto."),
    ] = None
    look_alikes: Annotated[
        bool | None,
        typer.Option(
            "--look-alikes/--no-look-alikes",
            help="Whether the rows most like a row may decide (personal); found out if not said.",
        ),
    ] = None
    budget: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="How long settings may be searched for (personal)."),
    ] = None
    keep_rows: Annotated[
        str | None,
        _one_of(
            KEEP_ROWS,
            text="Whether the model keeps its training rows (yes), counts in their place (no), or "
            "rows as long as they fit into memory (auto).",
        ),
    ] = None
    categorical: Categorical = field(default_factory=list)
    numeric: Numeric = field(default_factory=list)
    ignore: Annotated[
        list[str], typer.Option(metavar="COL", help="A column to leave out; repeatable.")
    ] = field(default_factory=list)
    jobs: Jobs = -1

    def make_estimator(self) -> Any:
        """Make the estimator with the parameters that were given; it has defaults for others."""
        import picrules

        parts = "cuts" if self.estimator == "personal" else "bins"
        if parts == "cuts" and self.bins is not None and self.bins < _LEAST_CUTS:
            raise typer.BadParameter(
                f"--bins is {self.bins}; the estimator 'personal' accepts whole numbers from "
                f"{_LEAST_CUTS}"
            )
        given = {
            "alpha": self.alpha, "max_length": self.max_length, parts: self.bins,
            "n_jobs": self.jobs, "n_rules": self._read_n_rules(), "look_alikes": self.look_alikes,
            "tuning_budget": self.budget, "keep_rows": KEEP_ROWS.get(self.keep_rows or ""),
        }  # fmt: skip
        for option in ("n_rules", "look_alikes", "budget"):
            if getattr(self, option) is not None and self.estimator != "personal":
                raise typer.BadParameter(
                    f"--{option.replace('_', '-')} is given with the estimator {self.estimator!r}; "
                    "it is accepted with 'personal'"
                )
        settings = {name: value for name, value in given.items() if value is not None}
        return getattr(picrules, ESTIMATORS[self.estimator])(**settings)

    @property
    def takes_parts(self) -> bool:
        """Whether the estimator can do with some rows in memory at a time."""
        return self.estimator != "personal" or self.keep_rows == "no"

    def check_columns(self, names: list[str]) -> None:
        """Say which of the named columns is not there, and which ones are."""
        if self.target not in names and len(names) == 1:
            raise typer.BadParameter(
                f"--target names the column {show(self.target)}, and the file has one column, "
                f"{show(names[0])}; if that is a whole line, say what separates the cells with "
                "--delimiter"
            )
        for option in ("target", "categorical", "numeric", "ignore"):
            named = getattr(self, option)
            check_columns(f"--{option}", [named] if option == "target" else named, names)
        for name in self.categorical:
            if name in self.numeric:
                raise typer.BadParameter(
                    f"the column {show(name)} stands in --categorical and in --numeric; one is "
                    "accepted"
                )

    def _read_n_rules(self) -> int | str | None:
        if self.n_rules is None or self.n_rules == "auto":
            return self.n_rules
        if not self.n_rules.isdecimal() or int(self.n_rules) == 0:
            raise typer.BadParameter(
                f"--n-rules is {self.n_rules!r}; a whole number from 1, or auto, is accepted"
            )
        return int(self.n_rules)


@dataclass(frozen=True, slots=True)
class Reading:
    """How DATA is to be read."""

    form: Annotated[
        str | None,
        _one_of(
            FORMATS,
            "--format",
            text=f"How DATA is written: {', '.join(FORMATS)}; by its name or first bytes if not "
            "said.",
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(help="What separates the cells of a CSV file; found out if not said."),
    ] = None
    encoding: Annotated[str, typer.Option(help="How the text of a CSV file is written.")] = "utf-8"
    missing: Annotated[
        list[str],
        typer.Option(
            metavar="TEXT",
            help="A text that stands for a missing cell, in place of NA, null and so on; "
            "repeatable.",
        ),
    ] = field(default_factory=list)
    decimal: Annotated[
        str, _one_of((".", ","), text="What stands before the decimals of a number: . or a comma.")
    ] = "."

    def __post_init__(self) -> None:
        """Refuse a delimiter or an encoding that no file is read by."""
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise typer.BadParameter(
                f"--encoding is {self.encoding!r}; a name that Python knows, such as utf-8, "
                "latin-1, cp1252 or utf-16, is accepted"
            ) from None
        cell_end = self.cell_end
        is_usable = cell_end is None or re.fullmatch(r"[\t\x20-\x7e]", cell_end)
        if not is_usable or cell_end in ('"', self.decimal):
            raise typer.BadParameter(
                f"--delimiter is {self.delimiter!r}; one character such as , ; | or the word tab "
                "is accepted, other than that of --decimal"
            )

    @property
    def cell_end(self) -> str | None:
        """The character that `delimiter` names."""
        return "\t" if self.delimiter in ("tab", "\\t") else self.delimiter


def spread(run: Callable[..., None]) -> Callable[..., None]:
    """Make a command whose options are the parameters of `run`, the fields of its groups, and -q.

    A group is a parameter whose type is a dataclass, such as `Reading`.
    """
    parameters: list[Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in signature(run, eval_str=True).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            parameters += _to_parameters(parameter.annotation)
        else:
            parameters.append(parameter)

    parameters.append(Parameter("quiet", Parameter.KEYWORD_ONLY, default=False, annotation=_Quiet))

    @wraps(run)
    def command(*, quiet: bool, **given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{one.name: given.pop(one.name) for one in fields(kind)})
        with silence(is_quiet=quiet):
            run(**given)

    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return command


def _to_parameters(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    parameters = []
    for one in fields(group):
        default = Parameter.empty if one.default is MISSING else one.default
        if one.default_factory is not MISSING:
            default = one.default_factory()
        kind, hint = Parameter.KEYWORD_ONLY, hints[one.name]
        parameters.append(Parameter(one.name, kind, default=default, annotation=hint))
    return parameters
