"""`picrules evaluate`: how good the rules are on rows that were not learned from."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from picrules.cli import options, output
from picrules.rules.text import plural

EXAMPLE = "picrules evaluate people.csv --target income --folds 5 --repeats 3"


def run(
    data: options.Data,
    *,
    learning: options.Learning,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the table.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is cut into parts.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Decides which rows go together.")] = 0,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Cross-validate on a table, beside a tree, a forest and the most frequent class."""
    from picrules.cli.folds import MAJORITY, compare_with_rivals, note_small_classes
    from picrules.cli.tables.source import open_source
    from picrules.cli.training import read_training

    clf = learning.make_estimator()
    with open_source(data, reading) as source:
        training = read_training(source, learning)
    if len(training.y) < folds:
        raise typer.BadParameter(
            f"--folds is {folds}, and the file has {plural(len(training.y), 'row')}; "
            "at most one part per row is accepted"
        )
    for note in note_small_classes(Counter(training.y.tolist()), folds):
        output.tell(f"Note: {note}.")
    with output.show_bar("parts", folds * repeats) as report:
        results = compare_with_rivals(
            clf, learning.estimator, training, folds, repeats, seed, report
        )
    content = {"rows": len(training.y), "folds": folds, "repeats": repeats, "models": results}
    output.show(content, _to_lines, as_json=as_json)
    _tell_useless(results, learning.estimator, MAJORITY)


def _tell_useless(results: dict[str, dict[str, float]], own: str, majority: str) -> None:
    """Warn where rules are no better than saying the most frequent class of all rows."""
    least = results[majority]["accuracy"]
    better = [name for name, figures in results.items() if figures["accuracy"] > least]
    if not better:
        output.tell(
            f"Warning: nothing is right more often than saying the most frequent class ({least:.3f}"
            "); these columns may say nothing about it."
        )
    elif own not in better:
        output.tell(
            f"Warning: {own} is not right more often than saying the most frequent class "
            f"({least:.3f}); {better[0]} is."
        )


def _to_lines(content: dict[str, Any]) -> list[str]:
    width = max(map(len, content["models"]))
    rows, times = plural(content["rows"], "row"), plural(content["repeats"], "time")
    lines = [
        f"{rows}, {content['folds']}-fold cross-validation, {times}",
        "",
        f"{'':{width}}  accuracy         balanced  log loss  rules  length  seconds",
    ]
    for name, figures in content["models"].items():
        lines.append(
            f"{name:{width}}  {figures['accuracy']:.3f} +- {figures['accuracy_deviation']:.3f}  "
            f"{figures['balanced_accuracy']:8.3f}  {figures['log_loss']:8.3f}  "
            f"{figures['rules']:5.0f}  {figures['rule_length']:6.2f}  {figures['seconds']:7.2f}"
        )
    return [*lines, "", *_REMARKS]


_REMARKS = [
    "rules: different rules that a part's predictions use (paths, for the tree and forest);",
    "length: conditions a prediction rests on, in all trees; seconds: to learn and predict a part;",
    "majority: says the most frequent class, whatever the row.",
]
