"""`picrules update`: add rows to a model file."""

from __future__ import annotations

from picrules.cli import options  # noqa: TC001  (typer reads the annotations)

EXAMPLE = "picrules update income.pic new.csv --target income"


def run(
    model: options.Model,
    data: options.Data,
    *,
    target: options.Target,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Add rows to a model, as if it had been fitted with them; its settings stay."""
    from picrules.cli.growing import grow

    grow(model, data, target, reading, "partial_fit", as_json=as_json)
