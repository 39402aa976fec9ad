"""Rules of one's own, held against a table."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from picrules.encoding.columns import CategoryColumn, Column, Kind, read_columns
from picrules.encoding.schema import CategoryFeature, Feature, Schema, learn_schema
from picrules.encoding.tables import check_table
from picrules.errors import BadRule
from picrules.estimators.parameters import check_alpha
from picrules.estimators.target import encode_target
from picrules.explain.rule_score import RuleScore
from picrules.rules.condition import Interval
from picrules.rules.parse import parse_rule
from picrules.rules.rule import Rule
from picrules.rules.text import list_names, show
from picrules.scoring import measures


def score_rule(rule: Rule | str, X: Any, y: Any, *, alpha: float = 0.9) -> RuleScore:
    """Tell how a rule of one's own does on rows whose classes are known.

    Parameters
    ----------
    rule : Rule or str
        The rule, or its text: `"if age > 40 and job = cook then ill"`. A condition `=`, `!=` or
        `in` takes a column of numbers for categories.
    X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
        The rows. A missing value satisfies no condition.
    y : array of shape (n_rows,)
        The class of each row.
    alpha : float, default=0.9
        Weight of precision in the score; recall has the rest.

    Returns
    -------
    RuleScore
        Class counts, precision with its interval, recall, lift, and how many rows are covered.

    Examples
    --------
    >>> from picrules import score_rule
    >>> X = [[20, "a"], [30, "a"], [50, "b"], [60, "a"]]
    >>> print(score_rule("if x0 > 25 and x1 = a then yes", X, ["no", "no", "yes", "yes"]))
    if x0 > 25 and x1 = a then yes
      covers 2 of 4 rows (50.0%); 1 of them are yes: precision 50.0% (95% interval 9.5% to 90.5%),
      1.00 times the share of yes (50.0%); recall 50.0%; score 0.500.
    """
    alpha = check_alpha(alpha)
    rule = parse_rule(rule) if isinstance(rule, str) else rule
    columns = read_columns(check_table(X))
    classes, labels = encode_target(y, len(columns[0]))
    schema = _describe(columns, rule)
    rule = schema.check_rule(rule)
    names = classes.tolist()
    if rule.label not in names:
        raise BadRule(
            f"'{rule}' predicts {show(rule.label)}; the classes of y are "
            f"{list_names(list(map(show, names)))}"
        )
    covered = rule.covers(schema.read(columns), len(labels))
    counts, sizes = (np.bincount(each, minlength=len(names)) for each in (labels[covered], labels))
    hits, own = int(counts[names.index(rule.label)]), int(sizes[names.index(rule.label)])
    score = measures.score(hits, int(counts.sum()), own, alpha) if counts.sum() else nan
    covered_rows, all_rows = (
        dict(zip(names, each.tolist(), strict=True)) for each in (counts, sizes)
    )
    return RuleScore(rule, score, covered_rows, all_rows)


def _describe(columns: list[Column], rule: Rule) -> Schema:
    """Take columns for what they hold, or for categories where the rule asks for values."""
    conditions = rule.conditions if isinstance(rule, Rule) else ()
    named = {each.feature for each in conditions if not isinstance(each, Interval)}
    categorical = {
        position
        for position, column in enumerate(columns)
        if column.kind is Kind.CATEGORY or column.name in named
    }
    schema = learn_schema(columns, [1] * len(columns), categorical)
    pairs = zip(schema.features, columns, strict=True)
    return Schema(tuple(_with_all_categories(feature, column) for feature, column in pairs))


def _with_all_categories(feature: Feature, column: Column) -> Feature:
    """Let a feature know the whole order that its column tells, not only what the rows hold."""
    if isinstance(feature, CategoryFeature) and isinstance(column, CategoryColumn) and column.order:
        return replace(feature, categories=column.order)
    return feature
