"""Where the costs of errors decided, and what would have been predicted without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picrules.explain.tabular import Result
from picrules.rules.text import format_share, format_value

if TYPE_CHECKING:
    from picrules.rules.text import Value


@dataclass(frozen=True, slots=True)
class ByCost(Result):
    """What would be predicted without costs, and why it is not.

    Attributes
    ----------
    instead : class
        The class that would be predicted without costs.
    probability : float
        How probable that class is.
    cost : float
        What the prediction costs on average, for rows like this one.
    cost_instead : float
        What predicting the other class would cost.
    """

    instead: Value
    probability: float
    cost: float
    cost_instead: float

    def to_dict(self) -> dict[str, Any]:
        """Return the class and the numbers as plain values."""
        return self._plain("instead", "probability", "cost", "cost_instead")


def tell_by_cost(content: dict[str, Any]) -> str:
    """Say that costs decided, from `Explanation.to_dict`; or nothing."""
    decided = content["by_cost"]
    if decided is None:
        return ""
    name, other = (format_value(each) for each in (content["prediction"], decided["instead"]))
    is_likelier = decided["probability"] > content["confidence"]
    share = format_share(decided["probability"])
    opening = f"{other} is likelier ({share})" if is_likelier else f"else it is {other} ({share})"
    return (
        f"Costs decided: {opening}, but predicting it costs {decided['cost_instead']:.4g} on "
        f"average, and predicting {name} {decided['cost']:.4g}."
    )
