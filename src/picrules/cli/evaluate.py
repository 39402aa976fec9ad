"""`picrules evaluate`: how good the rules are on rows that were not learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

import picrules
from picrules.cli import options, output
from picrules.rules.text import plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from picrules.cli.tables.kinds import TrainingFile

EXAMPLE = "picrules evaluate people.csv --target income --folds 5 --repeats 3"


def run(
    data: options.Data,
    *,
    target: options.Target,
    estimator: options.Estimator = options.DEFAULT_ESTIMATOR,
    alpha: options.Alpha = None,
    max_length: options.MaxLength = None,
    bins: options.Bins = None,
    categorical: options.Categorical = None,
    numeric: options.Numeric = None,
    ignore: options.Ignore = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the table.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, help="How often it is cut into parts.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Decides which rows go together.")] = 0,
    jobs: options.Jobs = -1,
    form: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    missing: options.Missing = None,
    as_json: options.Json = False,
) -> None:
    """Cross-validate on a table, beside a tree and a forest."""
    from picrules.cli.tables.kinds import Choice, read_training
    from picrules.cli.tables.source import open_source

    choice = Choice(target, categorical or [], numeric or [], ignore or [])
    with open_source(data, options.to_reading(form, delimiter, encoding, missing)) as source:
        training = read_training(source, choice)
    if len(training.y) < folds:
        raise typer.BadParameter(
            f"--folds is {folds}, and the file has {plural(len(training.y), 'row')}; "
            "at most one part per row is accepted"
        )
    settings = options.to_settings(estimator, alpha, max_length, bins, jobs)
    clf = getattr(picrules, options.ESTIMATORS[estimator])(**settings)
    results = _evaluate(clf, estimator, training, folds, repeats, seed)
    content = {"rows": len(training.y), "folds": folds, "repeats": repeats, "models": results}
    output.show(content, _to_lines, as_json=as_json)


def _evaluate(
    clf: Any, name: str, training: TrainingFile, n_folds: int, n_repeats: int, seed: int
) -> dict[str, dict[str, Any]]:
    import numpy as np

    from picrules.cli.folds import note_small_classes, split_stratified, to_labels
    from picrules.cli.rivals import evaluate_rivals, to_matrix

    for note in note_small_classes(training.y, n_folds):
        output.tell(f"Note: {note}.")
    truth, labels = to_labels(training.y)
    matrix = to_matrix(training.X)
    rng = np.random.default_rng(seed)
    figures: dict[str, list[dict[str, float]]] = {}
    with output.show_bar("parts", n_folds * n_repeats) as report:
        for _ in range(n_repeats):
            for train, test in split_stratified(labels, n_folds, rng):
                figures.setdefault(name, []).append(_measure(clf, training, truth, train, test))
                rivals = evaluate_rivals(matrix, truth, train, test, seed, clf.n_jobs)
                for rival, found in rivals.items():
                    figures.setdefault(rival, []).append(found)
                report(1)
    return {model: _average(found) for model, found in figures.items()}


def _measure(
    clf: Any,
    training: TrainingFile,
    truth: NDArray[Any],
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> dict[str, float]:
    import time

    import numpy as np

    from picrules.cli.folds import measure

    start = time.perf_counter()
    fresh = type(clf)(**clf.get_params()).fit(training.X.take(train), truth[train])
    X = training.X.take(test)
    explanations, which = fresh.explain(X).distinct()
    probabilities = fresh.predict_proba(X)
    seconds = time.perf_counter() - start
    predicted = np.array([explanation.prediction for explanation in explanations], object)[which]
    lengths = np.array([explanation.rule.length for explanation in explanations])[which]
    return {
        **measure(truth[test], predicted, probabilities, fresh.classes_),
        "rules": float(len({explanation.rule for explanation in explanations})),
        "rule_length": float(lengths.mean()),
        "seconds": seconds,
    }


def _average(found: list[dict[str, float]]) -> dict[str, Any]:
    """Return the mean of each figure, and how much the accuracy varies between parts."""
    from statistics import mean, pstdev

    means = {name: mean(figures[name] for figures in found) for name in found[0]}
    return {**means, "accuracy_deviation": pstdev(figures["accuracy"] for figures in found)}


def _to_lines(content: dict[str, Any]) -> list[str]:
    width = max(map(len, content["models"]))
    lines = [
        (
            f"{plural(content['rows'], 'row')}, {content['folds']}-fold cross-validation, "
            f"{plural(content['repeats'], 'time')}"
        ),
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
    "length: conditions a prediction rests on, in all trees; seconds: to learn and predict a part.",
]
