"""`picrules fit`: learn from a file, write a model file."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from picrules.cli import options, output
from picrules.rules.text import format_name, format_share, list_names, plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from picrules.cli.training import TrainingFile

EXAMPLE = "picrules fit people.csv --target income --ignore id -o income.pic"

_N_SHOWN = 30

# Bytes of files that are read part by part unless the user says otherwise.
_LARGE = 2**30


def run(
    data: options.Data,
    *,
    model: Annotated[str, typer.Option("--output", "-o", help="The model file to write.")],
    learning: options.Learning,
    folds: Annotated[
        int,
        typer.Option(min=0, help="Parts of the cross-validation of pic and fpic; 0 leaves it out."),
    ] = 5,
    costs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="JSON of what errors cost (personal): {true: {predicted: cost}}."
        ),
    ] = None,
    in_parts: Annotated[
        bool | None,
        typer.Option(
            "--in-parts/--whole",
            help="Whether memory holds some rows of DATA at a time (pic, fpic, personal with "
            "--keep-rows no), and pic and fpic are not cross-validated; by itself from 1 GiB on.",
        ),
    ] = None,
    cluster: options.Cluster = None,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Learn from a table and write a model file."""
    from picrules.cli.write import check_output
    from picrules.explain.scorecard import name_members

    start = time.perf_counter()
    clf = learning.make_estimator()
    if costs is not None and "cost_matrix" not in clf.get_params():
        raise typer.BadParameter(
            f"--costs is given with the estimator {learning.estimator!r}; it is accepted with "
            "'personal'"
        )
    files = options.find_files(data)
    check_output(model, files)
    options.check_cluster(cluster, files)
    if cluster is not None or _is_in_parts(files, learning, in_parts):
        told = _fit_parts(clf, files, learning, reading, costs, cluster)
    else:
        told = _fit_whole(clf, data, learning, reading, costs, folds)
    clf.save(model)
    summary = {
        "model": model,
        "estimator": learning.estimator,
        "classes": output.list_classes(clf),
        **told,
        "most_frequent_class": max(clf.class_sizes_.tolist()) / told["rows"],
        "decided_by": name_members(clf._model),  # noqa: SLF001
        "engine": clf.engine_,
        "engine_reason": clf.plan_.reason,
        "seconds": round(time.perf_counter() - start, 3),
        "peak_memory_bytes": output.peak_memory(),
    }
    output.show(summary, _to_lines, as_json=as_json)


def _is_in_parts(files: list[str], learning: options.Learning, in_parts: bool | None) -> bool:
    """Whether files are read part by part: if that is wanted, or can be and they are large."""
    is_able = learning.takes_parts and not any(map(options.is_read_once, files))
    if in_parts and not is_able:
        raise typer.BadParameter(
            f"--in-parts is given with {_what_is_not_able(files, learning)}; it is accepted with "
            "'pic', 'fpic' and 'personal --keep-rows no', and with files that can be read again"
        )
    if in_parts is None and is_able:
        return sum(Path(path).stat().st_size for path in files) >= _LARGE
    return bool(in_parts)


def _what_is_not_able(files: list[str], learning: options.Learning) -> str:
    """Name what cannot be read part by part."""
    if not learning.takes_parts:
        return f"the estimator {learning.estimator!r}"
    (first, *_) = filter(options.is_read_once, files)
    return "standard input" if first == options.STDIN else f"the pipe {first}"


def _fit_whole(
    clf: Any,
    data: list[str],
    learning: options.Learning,
    reading: options.Reading,
    costs: str | None,
    folds: int,
) -> dict[str, Any]:
    """Learn from all rows at once, and tell the accuracy."""
    from picrules.cli.hints import find_hints
    from picrules.cli.tables.source import open_source
    from picrules.cli.training import read_training

    with open_source(data, reading) as source:
        training = read_training(source, learning)
        _tell_columns(len(training.y), training.kinds, source.first.about)
        for hint in find_hints(training, learning, source):
            output.tell(f"Note: {hint}.")
    _set_costs(clf, costs, set(training.y))
    clf.set_params(verbose=int(output.is_watched())).fit(training.X, training.y)
    clf.set_params(verbose=0)  # whoever opens the model file has not asked for a bar
    judged = _judge(clf, training, folds)
    return {"rows": len(training.y), "columns": training.kinds, **judged}


def _fit_parts(
    clf: Any,
    files: list[str],
    learning: options.Learning,
    reading: options.Reading,
    costs: str | None,
    cluster: str | None,
) -> dict[str, Any]:
    """Learn from files that are read part by part, on this machine or by a cluster."""
    from picrules.cli.parts import fit_parts

    prepare = partial(_set_costs, clf, costs)
    parts = fit_parts(clf, files, learning, reading, cluster, prepare)
    n_rows = int(clf.class_sizes_.sum())
    _tell_columns(n_rows, parts.kinds, parts.about)
    judged = _tell_tuned(clf)
    if judged is None:
        output.tell("Note: rows were read in parts, so accuracy was not measured; 'evaluate' does.")
        judged = {"accuracy": None, "accuracy_by": None}
    return {"rows": n_rows, "columns": parts.kinds, **judged}


def _set_costs(clf: Any, costs: str | None, classes: Iterable[Any]) -> None:
    """Give an estimator what errors cost by a file, if there is one."""
    from picrules.cli.costs import read_costs

    if costs is not None:
        clf.set_params(cost_matrix=read_costs(costs, classes))


def _tell_columns(n_rows: int, kinds: dict[str, str], about: str) -> None:
    output.tell(f"Read {plural(n_rows, 'row')} ({about}). Columns and their kinds:")
    width = max(len(format_name(name)) for name in kinds)
    for name, kind in list(kinds.items())[:_N_SHOWN]:
        output.tell(f"  {format_name(name):{width}}  {kind}")
    if len(kinds) > _N_SHOWN:
        output.tell(f"  ... and {len(kinds) - _N_SHOWN} more")
    output.tell("Where a kind is wrong, say --categorical COL, --numeric COL or --ignore COL.")


def _judge(clf: Any, training: TrainingFile, n_folds: int) -> dict[str, Any]:
    """Tell the accuracy on rows that had no say, and how it was measured."""
    from picrules.cli.folds import cross_validated_accuracy, note_small_classes

    tuned = _tell_tuned(clf)
    rows = dict(zip(clf.classes_.tolist(), clf.class_sizes_.tolist(), strict=True))
    for note in note_small_classes(rows, n_folds if tuned is None else 0):
        output.tell(f"Note: {note}.")
    if tuned is not None:
        return tuned
    n_parts = min(n_folds, len(training.y))
    if n_parts < 2:
        return {"accuracy": None, "accuracy_by": None}
    with output.show_bar("cross-validation", n_parts) as report:
        accuracy = cross_validated_accuracy(clf, training.X, training.y, n_parts, report)
    return {"accuracy": accuracy, "accuracy_by": f"{n_parts}-fold cross-validation"}


def _tell_tuned(clf: Any) -> dict[str, Any] | None:
    """Tell the accuracy that tuning expects; None of an estimator that tunes nothing."""
    tuning = getattr(clf, "tuning_", None)
    by = "mean confidence of left-out rows"
    return None if tuning is None else {"accuracy": tuning.accuracy, "accuracy_by": by}


def _to_lines(summary: dict[str, Any]) -> list[str]:
    from picrules.explain.scorecard import ALL_COLUMNS, tell_members

    shown = [
        f"{format_name(str(entry['class']))} ({entry['rows']:,})" for entry in summary["classes"]
    ]
    memory = summary["peak_memory_bytes"]
    lines = [
        f"Model     {summary['model']}, estimator {summary['estimator']}",
        f"Rows      {summary['rows']:,} with {plural(len(summary['columns']), 'column')}",
        f"Classes   {list_names(shown)}",
    ]
    if summary["accuracy"] is not None:
        right, base = map(format_share, (summary["accuracy"], summary["most_frequent_class"]))
        lines.append(
            f"Accuracy  {right} by {summary['accuracy_by']}; always the most frequent class: {base}"
        )
    if summary["decided_by"] != [ALL_COLUMNS]:
        lines.append(f"Decides   {tell_members(summary['decided_by'])}")
    lines.append(f"Engine    {summary['engine']}: {summary['engine_reason']}")
    used = "" if memory is None else f", at most {memory / 2**20:,.0f} MB of memory"
    lines.append(f"Took      {summary['seconds']:.1f} s{used}")
    return lines
