"""One short rule per prediction: personalized interpretable classification."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from picrules import errors as errors

if TYPE_CHECKING:
    from picrules.errors import PicrulesError
    from picrules.estimators.fpic import FPICClassifier
    from picrules.estimators.personal import PersonalRuleClassifier
    from picrules.estimators.pic import PICClassifier
    from picrules.explain.explanation import Explanation
    from picrules.explain.others.comparison import compare_rules
    from picrules.explain.others.read import read_rules
    from picrules.explain.summary import Summary, summarize
    from picrules.persist.load import load
    from picrules.reports.page import report
    from picrules.reports.plots import (
        plot_calibration,
        plot_contrast,
        plot_evidence,
        plot_rule_usage,
        plot_tuning,
        plot_what_if,
    )
    from picrules.rules.condition import Category, Condition, Exclusion, Interval
    from picrules.rules.parse import parse_rule
    from picrules.rules.rule import Rule

__version__ = "0.1.0"

__all__ = [
    "Category",
    "Condition",
    "Exclusion",
    "Explanation",
    "FPICClassifier",
    "Interval",
    "PICClassifier",
    "PersonalRuleClassifier",
    "PicrulesError",
    "Rule",
    "Summary",
    "compare_rules",
    "load",
    "parse_rule",
    "plot_calibration",
    "plot_contrast",
    "plot_evidence",
    "plot_rule_usage",
    "plot_tuning",
    "plot_what_if",
    "read_rules",
    "report",
    "summarize",
]

# Importing Numba and scikit-learn takes two seconds, so each name loads when first used.
_HOMES = {
    "Category": "picrules.rules.condition",
    "Condition": "picrules.rules.condition",
    "Exclusion": "picrules.rules.condition",
    "Explanation": "picrules.explain.explanation",
    "FPICClassifier": "picrules.estimators.fpic",
    "Interval": "picrules.rules.condition",
    "PICClassifier": "picrules.estimators.pic",
    "PersonalRuleClassifier": "picrules.estimators.personal",
    "PicrulesError": "picrules.errors",
    "Rule": "picrules.rules.rule",
    "Summary": "picrules.explain.summary",
    "compare_rules": "picrules.explain.others.comparison",
    "load": "picrules.persist.load",
    "parse_rule": "picrules.rules.parse",
    "plot_calibration": "picrules.reports.plots",
    "plot_contrast": "picrules.reports.plots",
    "plot_evidence": "picrules.reports.plots",
    "plot_rule_usage": "picrules.reports.plots",
    "plot_tuning": "picrules.reports.plots",
    "plot_what_if": "picrules.reports.plots",
    "read_rules": "picrules.explain.others.read",
    "report": "picrules.reports.page",
    "summarize": "picrules.explain.summary",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'picrules' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "errors"])
