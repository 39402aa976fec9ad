"""What a classifier that tunes itself has learned, in a model file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.tables import MAX_ROWS
from picrules.errors import BadModelFile
from picrules.estimators.candidates import Candidate, Tuning
from picrules.estimators.tuning import SCORINGS
from picrules.model.calibration import Calibration
from picrules.persist.fields import is_finite
from picrules.scoring.settings import MEASURES, Setting

if TYPE_CHECKING:
    from picrules.encoding.conditions import Conditions
    from picrules.persist.fields import Fields

# Parts, rules and smoothing rows beyond this are none of ours.
_MANY = 2**62


def tuning_to_content(tuning: Tuning) -> dict[str, Any]:
    """Write what was tried; not how long it took, so that the same model gives the same bytes."""
    return {
        "candidates": [candidate.to_dict() for candidate in tuning.candidates],
        "chosen": tuning.candidates.index(tuning.chosen),
        "default": tuning.candidates.index(tuning.default),
        "scoring": tuning.scoring,
        "n_rows": tuning.n_rows,
        "is_complete": tuning.is_complete,
    }


def read_tuning(fields: Fields, conditions: Conditions) -> Tuning:
    """Read what was tried; what is in use must fit the conditions."""
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


def calibration_to_content(calibration: Calibration) -> dict[str, Any]:
    """Write how often predictions are right."""
    return {
        "leads": calibration.leads.tolist(),
        "shares": calibration.shares.tolist(),
        "errors": calibration.errors.ravel().tolist(),
    }


def read_calibration(fields: Fields, n_classes: int) -> Calibration:
    """Read how often predictions are right."""
    leads, shares, flat = (
        np.array(fields.items(key, is_finite, "numbers"), np.float64)
        for key in ("leads", "shares", "errors")
    )
    if len(flat) != n_classes**2:
        raise BadModelFile(
            f"{fields.where}.errors has {len(flat)} numbers; {n_classes**2} are expected"
        )
    errors = flat.reshape(n_classes, n_classes)
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
