"""How far a prediction can be trusted: the confidence first, the counts of the rule as evidence."""

from __future__ import annotations

from typing import Any

from picrules.rules.text import format_share, plural

# From this difference on, a sentence says why precision and confidence are not the same.
MUCH = 0.05

FLATTERED = "The rule is the best of many, so the training rows it was picked on flatter it."
LED = "The confidence goes by how far this class is ahead, which can say more than the rule alone."
UNKNOWN = "The rule is the best of many, so expect less on new rows; how much less is not known."

UNTOLD = "not known"  # in place of a share
ONE_CLASS = "Training had one class only, so nothing is known about when another is right."


def tell_confidence(confidence: float) -> str:
    """Say how often predictions are right, as a sentence."""
    return f"Predictions like this one are right {format_share(confidence)} of the time."


def tell_remark(content: dict[str, Any]) -> str:
    """Say why the confidence is not the precision, from `Explanation.to_dict`; or nothing.

    Examples
    --------
    >>> tell_remark({"length": 1, "precision": 1.0, "confidence": 0.7})
    'The rule is the best of many, so the training rows it was picked on flatter it.'
    """
    if content["length"] == 0 or content.get("by_cost") is not None:  # costs say more
        return ""
    if content["confidence"] is None:
        return "" if len(content.get("classes", ())) == 1 else UNKNOWN
    difference = content["precision"] - content["confidence"]
    if abs(difference) < MUCH:
        return ""
    return FLATTERED if difference > 0 else LED


def tell_proven(proven_length: int | None, name: str) -> str:
    """Say up to which length the rule is the best of all rules for its class; or nothing.

    Examples
    --------
    >>> tell_proven(2, "malignant")
    'No rule for malignant of up to 2 conditions scores higher.'
    """
    if proven_length is None:
        return ""
    return f"No rule for {name} of up to {plural(proven_length, 'condition')} scores higher."


def tell_class(name: str, confidence: float | None) -> str:
    """Write a predicted class with its confidence, where that is known."""
    return name if confidence is None else f"{name} (confidence {format_share(confidence)})"
