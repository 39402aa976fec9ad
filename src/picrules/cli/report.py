"""`picrules report`: one HTML file about a model and a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from picrules.cli import options, output
from picrules.rules.text import format_share, list_names, plural

EXAMPLE = "picrules report income.pic new.csv --target income -o report.html"

# What `--json` prints of a report: the entries that count all rows.
_TOTALS = ("rows", "model", "classes", "columns", "performance", "mean_length", "warnings")


def run(
    model: options.Model,
    data: options.Data,
    *,
    out: Annotated[str, typer.Option("--output", "-o", help="The HTML file to write.")],
    target: options.KnownTarget = None,
    max_cases: Annotated[
        int, typer.Option(min=1, help="The most rows that are listed one by one.")
    ] = 10_000,
    jobs: options.Jobs = -1,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Write a report for people: accuracy, warnings, rules in use, and every case."""
    from picrules.cli.model_rows import ModelRows
    from picrules.cli.tables.source import open_source
    from picrules.cli.write import check_output
    from picrules.encoding.tables import MAX_ROWS
    from picrules.estimators.parameters import check_whole
    from picrules.reports.about import describe
    from picrules.reports.page import write_report

    check_output(out, [model, *options.find_files(data)])
    max_cases = check_whole(max_cases, "max_cases", 1, MAX_ROWS)
    with open_source(data, reading) as source:
        rows = ModelRows(model, source, jobs, target)
        table, X, y = rows.whole()
    names = {"model": Path(model).name, "data": _name_files(data)}
    about = describe(names | ({} if target is None else {"target": target}), rows.clf)
    content = write_report(rows.ask(table, X, y), Path(out), max_cases, 1, about)
    rows.tell_unseen()
    output.tell(f"Wrote {out} with {plural(len(content['cases']['row']), 'case')}.")
    output.show(_to_totals(content), _to_lines, as_json=as_json)


def _name_files(data: list[str]) -> str:
    """Write what the files are called, the first few of them."""
    names = ["standard input" if path == "-" else Path(path).name for path in data]
    return list_names(names, 3)


def _to_totals(content: dict[str, Any]) -> dict[str, Any]:
    """Return what counts all rows, without the cases and the rules of other classes."""
    rules = [rule for rule in content["rules"] if rule["rows"]]
    return {
        **{name: content[name] for name in _TOTALS},
        "n_rules": len(rules),
        "n_weak_rules": sum(bool(rule["weak"]) for rule in rules),
        "n_cases": len(content["cases"]["row"]),
    }


def _to_lines(totals: dict[str, Any]) -> list[str]:
    rules = f"{plural(totals['n_rules'], 'rule')} in use"
    mean = f"{totals['mean_length']:.2f} conditions per row on average"
    lines = [f"Rows      {totals['rows']:,}, {rules}, {mean}"]
    for judged in totals["performance"]:
        right, lower, upper = map(format_share, (judged["accuracy"], *judged["interval"]))
        how = _tell_how(judged, totals["model"]["rows"])
        lines.append(f"Accuracy  {right} {how} (95% interval {lower} to {upper})")
    told = _tell_warnings(totals["warnings"]) or ["none"]
    words = ["Warnings"] + ["        "] * len(told)
    return lines + [f"{word}  {text}" for word, text in zip(words, told, strict=False)]


def _tell_how(judged: dict[str, Any], n_training: int) -> str:
    """Say which rows an accuracy was measured on."""
    if "is_training" not in judged:
        return "by leave-one-out"
    n_rows, n_known = judged["n_rows"], judged["n_training_rows"]
    if judged["is_training"] and n_rows == n_training:
        return "on the rows it was learned from, which flatters"
    if 2 * n_known > n_rows:
        which = f"{n_known:,} of its {plural(n_rows, 'row')}"
        return f"on this table, with {which} like training rows, which may flatter"
    return "on this table"


def _tell_warnings(warnings: dict[str, Any]) -> list[str]:
    unknown = {"flag": "class never seen in training", "rows": warnings["unknown_class"]}
    return [
        f"{plural(entry['rows'], 'row')}: {entry['flag']}"
        for entry in [*warnings["rows"], unknown]
        if entry["rows"]
    ]
