"""What errors cost, read from a small JSON file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from picrules.rules.text import format_value, show

if TYPE_CHECKING:
    from collections.abc import Iterable


def read_costs(path: str, classes: Iterable[Any]) -> dict[Any, Any]:
    """Read `{"true class": {"predicted class": cost}}`; numbers of classes stand there as texts."""
    try:
        costs = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise typer.BadParameter(
            f"--costs is {path}, which cannot be read ({error}); a JSON file is accepted"
        ) from None
    if not isinstance(costs, dict) or not all(isinstance(row, dict) for row in costs.values()):
        raise typer.BadParameter(
            f"--costs is {path}, which holds {show(costs)}; an object of objects such as "
            '{"true class": {"predicted class": 5}} is accepted'
        )
    class_of = {text: name for name in classes for text in (str(name), format_value(name))}
    return {
        class_of.get(true, true): {class_of.get(each, each): cost for each, cost in row.items()}
        for true, row in costs.items()
    }
