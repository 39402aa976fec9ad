"""`picrules forget`: take rows away from a model file."""

from __future__ import annotations

from picrules.cli import options  # noqa: TC001  (typer reads the annotations)

EXAMPLE = "picrules forget income.pic gone.csv --target income"


def run(
    model: options.Model,
    data: options.Data,
    *,
    target: options.Target,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Take rows away from a model, as if it had been fitted without them; its settings stay."""
    from picrules.cli.growing import grow

    grow(model, data, target, reading, "forget", as_json=as_json)
