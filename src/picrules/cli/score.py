"""`picrules score`: how rules of one's own do on a table."""

from __future__ import annotations

from typing import Annotated

import typer

from picrules.cli import options, output

EXAMPLE = 'picrules score people.csv --target income --rule "if age > 40 then high"'


def run(
    data: options.Data,
    *,
    target: options.Target,
    rule: Annotated[
        list[str],
        typer.Option(metavar="TEXT", help="A rule, as other commands print them; repeatable."),
    ],
    alpha: options.Alpha = 0.9,
    categorical: options.Categorical = [],  # noqa: B006  (typer reads it, and makes its own)
    numeric: options.Numeric = [],  # noqa: B006
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Tell how rules of your own do on a table whose classes are known."""
    import picrules
    from picrules.cli.tables.source import open_source
    from picrules.cli.training import read_training

    learning = options.Learning(target, categorical=categorical, numeric=numeric)
    with open_source(data, reading) as source:
        training = read_training(source, learning)
    scores = [picrules.score_rule(text, training.X, training.y, alpha=alpha) for text in rule]
    content = [score.to_dict() for score in scores]
    output.show(content, lambda _: [str(score) for score in scores], as_json=as_json)
