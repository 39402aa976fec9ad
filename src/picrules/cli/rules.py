"""`picrules rules`: the rules that a file's predictions use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from picrules.cli import options, output

if TYPE_CHECKING:
    from picrules.explain.explanation import Explanation
    from picrules.rules.rule import Rule

EXAMPLE = "picrules rules income.pic new.csv --top 20"


def run(
    model: options.Model,
    data: options.Data,
    *,
    top: Annotated[
        int | None, typer.Option(min=1, help="Show only so many rules, the most used first.")
    ] = None,
    chunk_rows: options.ChunkRows = None,
    jobs: options.Jobs = -1,
    form: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    missing: options.Missing = None,
    as_json: options.Json = False,
) -> None:
    """List the rules in use, and how many rows each decides."""
    from picrules.cli.answerer import Answerer
    from picrules.cli.tables.source import open_source

    uses: dict[Rule, int] = {}
    found: dict[Rule, Explanation] = {}
    with open_source(data, options.to_reading(form, delimiter, encoding, missing)) as source:
        answerer = Answerer(model, source, jobs)
        with output.show_bar("rows", None) as report:
            for table, X, _ in answerer.chunks(chunk_rows):
                _count(answerer.clf, X, uses, found)
                report(len(table))
    answerer.tell_unseen()
    content = _to_content(uses, found, answerer.n_rows)
    n_rules = len(content["rules"])
    content["rules"] = content["rules"][:top]
    if as_json:
        output.show_json({**content, "n_rules": n_rules})
    else:
        output.show_lines(_to_lines(content, n_rules))


def _count(clf: Any, X: Any, uses: dict[Rule, int], found: dict[Rule, Explanation]) -> None:
    import numpy as np

    explanations, places = clf.explain(X).distinct()
    counts = np.bincount(places, minlength=len(explanations))
    for explanation, count in zip(explanations, counts.tolist(), strict=True):
        rule = explanation.rule
        uses[rule] = uses.get(rule, 0) + count
        found.setdefault(rule, explanation)


def _to_content(
    uses: dict[Rule, int], found: dict[Rule, Explanation], n_rows: int
) -> dict[str, Any]:
    from picrules.cli.answers import numbers_of

    # Rules that decide as many rows stand in the order of their texts, whatever the chunks.
    texts = sorted((-count, str(rule), rule) for rule, count in uses.items())
    rules = [
        {
            "rule": text,
            "prediction": rule.label,
            "rows": -count,
            "share": -count / n_rows,
            **numbers_of(found[rule]),
        }
        for count, text, rule in texts
    ]
    mean = sum(entry["rows"] * entry["length"] for entry in rules) / n_rows
    return {"rows": n_rows, "mean_length": mean, "rules": rules}


def _to_lines(content: dict[str, Any], n_rules: int) -> list[str]:
    lines = [
        ", ".join(
            [
                output.plural(content["rows"], "row"),
                output.plural(n_rules, "rule"),
                f"{content['mean_length']:.2f} conditions a row on average",
            ]
        ),
        "",
        "   rows  share  precision   cover  rule",
    ]
    lines += [
        f"{entry['rows']:7,} {entry['share']:6.1%} {entry['precision']:10.1%} "
        f"{entry['cover_size']:7,}  {entry['rule']}"
        for entry in content["rules"]
    ]
    if len(content["rules"]) < n_rules:
        lines.append(f"        ... and {n_rules - len(content['rules'])} more")
    return lines
