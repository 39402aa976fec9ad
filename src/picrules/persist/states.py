"""The estimators that can be written to a model file, by the name they have there.

A further estimator is one entry here, and a class like `RuleState` if it has more to keep:
`describe`, `to_content`, `read`, `specs`, `check_arrays` and `build`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from picrules.errors import BadModelFile
from picrules.estimators.fpic import FPICClassifier
from picrules.estimators.personal import PersonalRuleClassifier
from picrules.estimators.pic import PICClassifier
from picrules.persist.personal_state import PersonalState
from picrules.persist.rule_state import RuleState


@dataclass(frozen=True, slots=True)
class Entry:
    """An estimator class, and the class that describes it in a file."""

    estimator: type[Any]
    state: type[Any]


ENTRIES = {
    "pic": Entry(PICClassifier, RuleState),
    "fpic": Entry(FPICClassifier, RuleState),
    "personal": Entry(PersonalRuleClassifier, PersonalState),
}


def name_of(estimator: object) -> str:
    """Return the name of an estimator in model files."""
    for name, entry in ENTRIES.items():
        if type(estimator) is entry.estimator:
            return name
    accepted = ", ".join(entry.estimator.__name__ for entry in ENTRIES.values())
    raise BadModelFile(f"a {type(estimator).__name__} cannot be saved; {accepted} can")
