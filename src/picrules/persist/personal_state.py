"""`PersonalRuleClassifier` in a model file: JSON and two arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.conditions import Conditions
from picrules.encoding.tables import MAX_ROWS
from picrules.errors import BadModelFile, BadParameter
from picrules.estimators import grids, parameters
from picrules.estimators.calibration import Calibration
from picrules.estimators.candidates import Candidate, Tuning
from picrules.estimators.fitted import PersonalFitted
from picrules.estimators.tuning import SCORINGS
from picrules.kernels.boxes import Rows
from picrules.persist.fields import is_finite
from picrules.persist.format import ArraySpec
from picrules.persist.rows import Arrays, check_rows, read_sizes
from picrules.persist.schemas import (
    classes_to_content,
    features_to_content,
    read_classes,
    read_schema,
)
from picrules.persist.settings import SHARED_CHECKS, read_settings, settings_to_content
from picrules.scoring.settings import MEASURES, Setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.estimators.personal import PersonalRuleClassifier
    from picrules.persist.fields import Fields

# Parts, rules and smoothing rows beyond this are none of ours.
_MANY = 2**62


@dataclass(frozen=True, slots=True)
class PersonalState:
    """All of the estimator but its training rows, which are arrays.

    Attributes
    ----------
    settings : dict
        The parameters.
    n_rows : int
        How many training rows there are.
    fitted : PersonalFitted
        What was learned, without the training rows.
    """

    settings: dict[str, Any]
    n_rows: int
    fitted: PersonalFitted

    @classmethod
    def describe(cls, estimator: PersonalRuleClassifier) -> tuple[PersonalState, Arrays]:
        """Return the state of a fitted estimator, and its arrays."""
        fitted = estimator.to_fitted()
        codes, labels = fitted.training
        state = cls(estimator.get_params(deep=False), len(labels), fitted)
        return state, {"codes": codes, "labels": labels}

    def to_content(self) -> dict[str, Any]:
        """Return the state as JSON."""
        fitted = self.fitted
        return {
            "parameters": settings_to_content(self.settings),
            "n_rows": self.n_rows,
            "classes": classes_to_content(fitted.classes),
            "class_sizes": fitted.class_sizes.tolist(),
            "class_weights": fitted.class_weights.tolist(),
            "class_offset": fitted.class_offset.tolist(),
            "has_names": fitted.has_names,
            "features": features_to_content(fitted.conditions.schema),
            "has_subsets": fitted.conditions.has_subsets,
            "tuning": _tuning_to_content(fitted.tuning),
            "calibration": {
                "leads": fitted.calibration.leads.tolist(),
                "shares": fitted.calibration.shares.tolist(),
                "errors": fitted.calibration.errors.ravel().tolist(),
            },
        }

    @classmethod
    def read(cls, fields: Fields, estimator: type[PersonalRuleClassifier]) -> PersonalState:
        """Read and check the state from JSON."""
        schema = read_schema(fields.each("features"))
        names = [feature.name for feature in schema.features]
        settings = read_settings(
            fields.fields("parameters"), list(estimator().get_params(deep=False)), names,
            SHARED_CHECKS,
        )  # fmt: skip
        n_rows = fields.whole("n_rows", 1, MAX_ROWS)
        classes = read_classes(fields.fields("classes"))
        sizes = read_sizes(fields, n_rows, len(classes))
        _check_grid(estimator(**settings), classes, sizes)
        weights = _read_numbers(fields, "class_weights", len(classes))
        if not (weights > 0).all():
            raise BadModelFile("its class_weights are not all positive")
        conditions = Conditions(schema, fields.flag("has_subsets"))
        fitted = PersonalFitted(
            classes, sizes, weights, _read_numbers(fields, "class_offset", len(classes)),
            conditions, Rows(None, None), _read_tuning(fields.fields("tuning"), conditions),
            _read_calibration(fields.fields("calibration"), len(classes)),
            fields.flag("has_names"),
        )  # fmt: skip
        fields.finish()
        return cls(settings, n_rows, fitted)

    @property
    def specs(self) -> dict[str, ArraySpec]:
        """The arrays that the file must have, in their order."""
        n_features = len(self.fitted.conditions.features)
        return {
            "codes": ArraySpec("<i4", (n_features, self.n_rows)),
            "labels": ArraySpec("<i8", (self.n_rows,)),
        }

    def check_arrays(self, arrays: Arrays) -> None:
        """Refuse arrays whose numbers stand for nothing; engines rely on it."""
        conditions = self.fitted.conditions
        names = [conditions.schema.features[place].name for place in conditions.features]
        check_rows(arrays, names, conditions.sets.n_codes, self.fitted.class_sizes)

    def build(
        self,
        estimator: type[PersonalRuleClassifier],
        arrays: Arrays,
        check: Callable[[], None] | None,
    ) -> PersonalRuleClassifier:
        """Make the fitted estimator."""
        training = Rows(arrays["codes"], arrays["labels"])
        fitted = replace(self.fitted, training=training)
        return estimator.from_fitted(self.settings, fitted, check)


def _check_grid(
    estimator: PersonalRuleClassifier, classes: NDArray[Any], sizes: NDArray[np.int64]
) -> None:
    try:
        grids.check_grid(estimator, int(sizes.sum()))
        parameters.check_class_weight(estimator.class_weight, classes, sizes)
    except (BadParameter, OverflowError, TypeError) as error:
        raise BadModelFile(f"its parameters: {str(error)[:500]}") from None


def _read_numbers(fields: Fields, key: str, count: int | None = None) -> NDArray[np.float64]:
    numbers = fields.items(key, is_finite, "numbers")
    if count is not None and len(numbers) != count:
        raise BadModelFile(f"{fields.where}.{key} has {len(numbers)} numbers; {count} are expected")
    return np.array(numbers, np.float64)


def _tuning_to_content(tuning: Tuning) -> dict[str, Any]:
    """Write what was tried; not how long it took, so that the same model gives the same bytes."""
    return {
        "candidates": [candidate.to_dict() for candidate in tuning.candidates],
        "chosen": tuning.candidates.index(tuning.chosen),
        "default": tuning.candidates.index(tuning.default),
        "scoring": tuning.scoring,
        "n_rows": tuning.n_rows,
        "is_complete": tuning.is_complete,
    }


def _read_tuning(fields: Fields, conditions: Conditions) -> Tuning:
    most = max(1, len(conditions.features))
    candidates = tuple(_read_candidate(each) for each in fields.each("candidates"))
    chosen, default = (
        candidates[fields.whole(key, 0, len(candidates) - 1)] for key in ("chosen", "default")
    )
    if chosen.max_length > most or chosen.has_subsets != conditions.has_subsets:
        raise BadModelFile(f"{fields.where}.chosen does not fit the features")
    tuning = Tuning(
        candidates, chosen, default, fields.one_of("scoring", list(SCORINGS)),
        fields.whole("n_rows", 1, MAX_ROWS), None, fields.flag("is_complete"),
    )  # fmt: skip
    fields.finish()
    return tuning


def _read_candidate(fields: Fields) -> Candidate:
    measure = fields.one_of("measure", list(MEASURES))
    least = 1e-300 if measure == "evidence" else 0
    setting = Setting(
        measure, fields.number("alpha", 0, 1), fields.number("smoothing", least, _MANY)
    )
    candidate = Candidate(
        fields.whole("cuts", 2, _MANY), fields.flag("subsets"),
        fields.whole("max_length", 1, _MANY), setting, fields.flag("class_offset"),
        fields.whole("n_rules", 0, _MANY), fields.number("score", -_MANY, _MANY),
    )  # fmt: skip
    fields.finish()
    return candidate


def _read_calibration(fields: Fields, n_classes: int) -> Calibration:
    leads, shares = _read_numbers(fields, "leads"), _read_numbers(fields, "shares")
    errors = _read_numbers(fields, "errors", n_classes**2).reshape(n_classes, n_classes)
    fields.finish()
    is_rising = len(leads) > 0 and (np.diff(leads) > 0).all() and (np.diff(shares) >= 0).all()
    if len(leads) != len(shares) or not is_rising:
        raise BadModelFile(f"{fields.where} has leads or shares that do not rise")
    parts = np.concatenate([shares, errors.ravel()])
    if parts.min() < 0 or parts.max() > 1:
        raise BadModelFile(f"{fields.where} has a share that is not from 0 to 1")
    # With one class there is no error; else the errors of each class are shared out completely.
    whole = np.full(n_classes, float(n_classes > 1))
    if errors.diagonal().any() or not np.allclose(errors.sum(axis=1), whole, rtol=0, atol=1e-9):
        raise BadModelFile(f"{fields.where} has errors that do not add up to 1 for each class")
    return Calibration(leads, shares, errors)
