"""One short rule per prediction: personalized interpretable classification."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from picrules import errors as errors

if TYPE_CHECKING:  # type checkers see no name that `__getattr__` gives; `as` makes it public
    from picrules.encoding.schema import Schema as Schema
    from picrules.engines.plan import Plan as Plan
    from picrules.errors import PicrulesError as PicrulesError
    from picrules.estimators.candidates import Candidate as Candidate
    from picrules.estimators.candidates import Tuning as Tuning
    from picrules.estimators.fpic import FPICClassifier as FPICClassifier
    from picrules.estimators.own_rules import score_rule as score_rule
    from picrules.estimators.personal import PersonalRuleClassifier as PersonalRuleClassifier
    from picrules.estimators.pic import PICClassifier as PICClassifier
    from picrules.explain.by_cost import ByCost as ByCost
    from picrules.explain.chance.significance import RowSignificance as RowSignificance
    from picrules.explain.chance.significance import Significance as Significance
    from picrules.explain.chance.stability import Stabilities as Stabilities
    from picrules.explain.chance.stability import Stability as Stability
    from picrules.explain.changes.change import Change as Change
    from picrules.explain.changes.change import Changes as Changes
    from picrules.explain.changes.what_if import WhatIf as WhatIf
    from picrules.explain.compact import CompactRule as CompactRule
    from picrules.explain.compact import CompactRules as CompactRules
    from picrules.explain.contributions import Contribution as Contribution
    from picrules.explain.evidence import Evidence as Evidence
    from picrules.explain.explanation import Explanation as Explanation
    from picrules.explain.explanation import Overruled as Overruled
    from picrules.explain.explanations import Explanations as Explanations
    from picrules.explain.importances import Importance as Importance
    from picrules.explain.importances import Importances as Importances
    from picrules.explain.look_alikes import LookAlikes as LookAlikes
    from picrules.explain.others.comparison import Comparison as Comparison
    from picrules.explain.others.comparison import compare_rules as compare_rules
    from picrules.explain.others.read import read_rules as read_rules
    from picrules.explain.rule_score import RuleScore as RuleScore
    from picrules.explain.scorecard import Scorecard as Scorecard
    from picrules.explain.scorecard import ScorecardLine as ScorecardLine
    from picrules.explain.scored_rule import ScoredRule as ScoredRule
    from picrules.explain.search_trace import SearchTrace as SearchTrace
    from picrules.explain.silent import Silent as Silent
    from picrules.explain.simplified import Simplified as Simplified
    from picrules.explain.summary import RuleUse as RuleUse
    from picrules.explain.summary import Summary as Summary
    from picrules.explain.summary import summarize as summarize
    from picrules.explain.tabular import Results as Results
    from picrules.persist.load import load as load
    from picrules.persist.state import trusted_types as trusted_types
    from picrules.reports.page import report as report
    from picrules.reports.plots import plot_calibration as plot_calibration
    from picrules.reports.plots import plot_contrast as plot_contrast
    from picrules.reports.plots import plot_evidence as plot_evidence
    from picrules.reports.plots import plot_rule_usage as plot_rule_usage
    from picrules.reports.plots import plot_tuning as plot_tuning
    from picrules.reports.plots import plot_what_if as plot_what_if
    from picrules.rules.condition import Category as Category
    from picrules.rules.condition import Condition as Condition
    from picrules.rules.condition import Exclusion as Exclusion
    from picrules.rules.condition import Interval as Interval
    from picrules.rules.parse import parse_rule as parse_rule
    from picrules.rules.rule import Rule as Rule

__version__ = "0.1.0"

# Importing Numba and scikit-learn takes two seconds, so each name loads when first used.
_NAMES = {
    "encoding.schema": "Schema",
    "engines.plan": "Plan",
    "errors": "PicrulesError",
    "estimators.candidates": "Candidate Tuning",
    "estimators.fpic": "FPICClassifier",
    "estimators.own_rules": "score_rule",
    "estimators.personal": "PersonalRuleClassifier",
    "estimators.pic": "PICClassifier",
    "explain.by_cost": "ByCost",
    "explain.chance.significance": "RowSignificance Significance",
    "explain.chance.stability": "Stabilities Stability",
    "explain.changes.change": "Change Changes",
    "explain.changes.what_if": "WhatIf",
    "explain.compact": "CompactRule CompactRules",
    "explain.contributions": "Contribution",
    "explain.evidence": "Evidence",
    "explain.explanation": "Explanation Overruled",
    "explain.explanations": "Explanations",
    "explain.importances": "Importance Importances",
    "explain.look_alikes": "LookAlikes",
    "explain.others.comparison": "Comparison compare_rules",
    "explain.others.read": "read_rules",
    "explain.rule_score": "RuleScore",
    "explain.scorecard": "Scorecard ScorecardLine",
    "explain.scored_rule": "ScoredRule",
    "explain.search_trace": "SearchTrace",
    "explain.silent": "Silent",
    "explain.simplified": "Simplified",
    "explain.summary": "RuleUse Summary summarize",
    "explain.tabular": "Results",
    "persist.load": "load",
    "persist.state": "trusted_types",
    "reports.page": "report",
    "reports.plots": (
        "plot_calibration plot_contrast plot_evidence plot_rule_usage plot_tuning plot_what_if"
    ),
    "rules.condition": "Category Condition Exclusion Interval",
    "rules.parse": "parse_rule",
    "rules.rule": "Rule",
}
_HOMES = {name: f"picrules.{home}" for home, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOMES)  # noqa: PLE0605  (a list, though not a literal one)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'picrules' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "errors"])
