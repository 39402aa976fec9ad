"""`picrules explain`: one case in full, as a person reads it."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated, Any

import typer

from picrules.cli import options, output
from picrules.rules.text import format_bound, format_name, format_share, format_value, plural, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from picrules.cli.model_rows import ModelRows
    from picrules.explain.explanation import Explanation
    from picrules.explain.explanations import Explanations

EXAMPLE = 'picrules explain income.pic new.csv --where "id=1815"'

_BAR = 20
_N_CONTRAST = 5


def run(
    model: options.Model,
    data: options.Data,
    *,
    row: Annotated[
        list[int] | None,
        typer.Option(min=1, help="The number of a row; the first is 1; repeatable."),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="COL=VALUE", help="A cell of the row; repeatable, then all must fit."),
    ] = None,
    most: Annotated[
        int, typer.Option(min=1, help="How many of the rows that fit are explained.")
    ] = 1,
    simplify: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="How much precision may be given for a shorter rule: 0.02."
        ),
    ] = 0.0,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Explain a row, or several: its class, the rule, and the numbers behind it."""
    from picrules.cli.model_rows import ModelRows
    from picrules.cli.tables.source import open_source

    if (not row) == (not where):
        raise typer.BadParameter("say which row: --row N, or --where COL=VALUE, and not both")
    with open_source(data, reading) as source:
        cells = dict(_read_cell(text, source.names) for text in where or [])
        rows = ModelRows(model, source, 1)
        found = list(_explain(rows, set(row or []), cells, most, simplify))
    if len(row or []) <= 1 and most == 1:
        ((content, explanations),) = found
        output.show(content, lambda content: _to_lines(content, explanations), as_json=as_json)
    else:
        texts = "\n\n\n".join("\n".join(_to_lines(*one)) for one in found)
        output.show([content for content, _ in found], lambda _: [texts], as_json=as_json)


def _read_cell(text: str, names: list[str]) -> tuple[str, str]:
    """Part COL=VALUE; a name may hold "=" itself, so the longest name that fits is meant."""
    fitting = [name for name in names if text.startswith(f"{name}=")]
    if fitting:
        name = max(fitting, key=len)
        return name, text[len(name) + 1 :].strip()
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"--where is {show(text)}; COL=VALUE is accepted")
    options.check_columns("--where", [name.strip()], names)
    return name.strip(), value.strip()


def _explain(
    rows: ModelRows, wanted: set[int], wanted_cells: dict[str, str], most: int, simplify: float
) -> Iterator[tuple[dict[str, Any], Explanations]]:
    """Explain the rows with these numbers, or the first with these cells.

    Gives plain values, and the explanations of one row.
    """
    n_left = len(wanted) or most
    for table, X, first_row in rows.chunks(None):
        numbers = [number - first_row for number in sorted(wanted) if number >= first_row]
        fitting = [position for position in numbers if position < len(table)]
        positions = fitting if wanted else _find_like(table, wanted_cells)
        if len(positions) > n_left:
            told = f"several rows fit; this is the first, row {first_row + positions[0]}"
            told = told if most == 1 else f"more than {most} rows fit"
            output.tell(f"Note: {told}; --most shows others.")
        for position in positions[:n_left]:
            one = X.slice(position, 1) if hasattr(X, "slice") else X[position : position + 1]
            explanations = rows.clf.explain(one, simplify=simplify)
            probabilities = explanations.probabilities[0].tolist()
            cells = rows.cells(table, X, position)
            content = _to_content(explanations[0], probabilities, cells)
            yield {"row": first_row + position, **content}, explanations
        n_left -= len(positions[:n_left])
        if n_left == 0:
            return
    if wanted:
        raise typer.BadParameter(
            f"--row is {max(wanted)}; the file has the rows 1 to {rows.n_rows}"
        )
    if n_left == most:
        texts = " and ".join(f"{name}={text}" for name, text in wanted_cells.items())
        raise typer.BadParameter(f"--where is {show(texts)}; none of the {rows.n_rows} rows fits")


def _find_like(table: pa.Table, wanted_cells: dict[str, str]) -> list[int]:
    """Return the positions of the rows that have these cells."""
    from picrules.cli.tables.cells import to_texts

    texts = {name: to_texts(table.column(name)).to_pylist() for name in wanted_cells}
    return [
        position
        for position in range(len(table))
        if all(_is_like(texts[name][position], text) for name, text in wanted_cells.items())
    ]


def _is_like(cell: str | None, text: str) -> bool:
    """Whether a cell is the text, or the same number; an empty text means a missing cell."""
    if cell is None or text == "":
        return cell is None and text == ""
    return cell.strip() == text or _number(cell) == _number(text) is not None


def _number(text: str) -> Decimal | None:
    """Read a number as exactly as it is written, so that long ones are told apart."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _to_content(
    explanation: Explanation, probabilities: list[float], cells: dict[str, Any]
) -> dict[str, Any]:
    """Return all that is known about one prediction, with the row's cell for each feature."""
    content = explanation.to_dict()
    conditions = [{**one, "cell": cells[one["feature"]]} for one in content["conditions"]]
    classes = [
        {**one, "probability": probability}
        for one, probability in zip(content["classes"], probabilities, strict=True)
    ]
    return {**content, "conditions": conditions, "classes": classes, "cells": cells}


def _to_lines(content: dict[str, Any], explanations: Explanations) -> list[str]:
    from picrules.explain.by_cost import tell_by_cost
    from picrules.explain.silent import tell_silent
    from picrules.explain.simplified import tell_simplified
    from picrules.explain.trust import ONE_CLASS, tell_class, tell_remark

    name = output.style(format_value(content["prediction"]), bold=True)
    lines = [f"Row {content['row']}: {tell_class(name, content['confidence'])}", ""]
    lines += _condition_lines(content, explanations[0])
    like = "" if not content["conditions"] else " like this"
    cells = {format_name(name): cell for name, cell in content["cells"].items()}
    width = max(map(len, cells))
    told = (
        tell_remark(content), tell_simplified(content), tell_by_cost(content),
        tell_silent(content["silent"]),
    )  # fmt: skip
    precision, recall = (format_share(content[share]) for share in ("precision", "recall"))
    lines += ["", f"Training rows{like}: {content['cover_size']:,}", *_class_lines(content), ""]
    shares = [
        *_confidence_line(content["confidence"]),
        f"  precision  {precision:>10}  share of these rows that are {name}",
        f"  recall     {recall:>10}  share of all {name} rows that are among them",
        f"  score      {content['score']:10.3f}  {_best_of(explanations)}".rstrip(),
    ]
    lines += [
        *([f"  {ONE_CLASS}"] if len(content["classes"]) == 1 else shares),
        *(f"  {each}" for each in told if each),
        *_deciding_lines(explanations[0]),
        *_contrast_lines(content["contrast"]),
        "",
        "The row:",
        *(f"  {name:{width}}  {_show(cell)}" for name, cell in cells.items()),
    ]
    return lines


def _confidence_line(confidence: float | None) -> list[str]:
    """Show what to trust, where it is known."""
    if confidence is None:
        return []
    return [
        f"  confidence {format_share(confidence):>10}  share of such predictions that are right"
    ]


def _best_of(explanations: Explanations) -> str:
    """Say what the score was compared with."""
    explanation = explanations[0]
    if explanation.rule.length == 0 or explanation.alike is not None or explanation.simplified:
        return ""
    looked_at = (
        f"of the rules looked at, of up to {plural(explanations.cases.depth_of(0), 'condition')}"
    )
    is_best = explanation.overruled is None and explanation.by_cost is None
    if is_best and explanation.n_rules == 1:
        return f"the best {looked_at}"
    if explanation.overruled is None:
        return f"the best of its class {looked_at}"
    return f"the best of its class {looked_at}. {explanation.tell_overruled()}"


def _deciding_lines(explanation: Explanation) -> list[str]:
    """Show the look-alikes and the scorecard, where these decide."""
    lines = ["", explanation.tell_alike()] if explanation.alike is not None else []
    if explanation.scorecard is not None:
        lines += ["", *explanation.scorecard.to_lines()]
    return lines


def _condition_lines(content: dict[str, Any], explanation: Explanation) -> list[str]:
    if not content["conditions"]:
        why = explanation.tell_no_rule()
        return [f"  {why[0].upper()}{why[1:]}."]
    texts = [condition["text"] for condition in content["conditions"]]
    width = max(map(len, texts))
    words = ["because"] + ["    and"] * (len(texts) - 1)
    added = [
        f"without it {one['hits']:,} of {one['cover_size']:,}" for one in content["contributions"]
    ]
    return [
        f"  {word} {output.style(f'{text:{width}}', fg='cyan')}  (here {_show(condition['cell'])}; "
        f"{without})"
        for word, text, condition, without in zip(
            words, texts, content["conditions"], added, strict=True
        )
    ]


def _class_lines(content: dict[str, Any]) -> list[str]:
    names = [format_value(entry["class"]) for entry in content["classes"]]
    width = max(map(len, names))
    most = max(entry["count"] for entry in content["classes"])
    lines = []
    for name, entry in zip(names, content["classes"], strict=True):
        length = round(_BAR * entry["count"] / most)
        bar = output.style("#" * length, fg="green") + " " * (_BAR - length)
        probability = f"  probability {format_share(entry['probability'])}"
        told = probability if len(names) > 1 else ""  # of one class nothing is known
        lines.append(f"  {name:{width}}  {entry['count']:7,}  {bar}{told}")
    return lines


def _contrast_lines(others: list[dict[str, Any]]) -> list[str]:
    """Show the best rules for the other classes."""
    if not others:
        return []
    lines = ["", "The best case for another class:"]
    for other in others[:_N_CONTRAST]:
        name = format_value(other["class"])
        lines.append(f"  {other['rule']}")
        lines.append(
            f"    {other['hits']:,} of {other['cover_size']:,} are {name} "
            f"({format_share(other['precision'])}); score {other['score']:.3f}"
        )
    if len(others) > _N_CONTRAST:
        lines.append(f"  ... and {len(others) - _N_CONTRAST} more classes")
    return lines


def _show(cell: Any) -> str:
    if isinstance(cell, datetime | float):
        return format_bound(cell)
    return "missing" if cell is None else format_value(cell)
