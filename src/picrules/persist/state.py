"""A fitted estimator in a model file: JSON, and its training rows as arrays.

The training rows stand in the file as a multiset: each distinct pair of coded row and class once,
sorted, with how often it occurs. So the same rows give the same file, in whatever order they came.
Which pair each row of the table is stands there only where that is asked for. A further estimator
is one entry of `ESTIMATORS`; where `fit` learns more, it has a key here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.conditions import Conditions, sums_of_products
from picrules.encoding.tables import MAX_ROWS
from picrules.engines.base import Search
from picrules.engines.counts import Counts
from picrules.engines.kept_counts import KeptCounts, starts_of
from picrules.engines.training import Training
from picrules.errors import BadModelFile, BadParameter
from picrules.estimators import grids, parameters
from picrules.estimators.costs import check_cost_matrix
from picrules.estimators.fitted import Fitted, Voice, note_voices, restore
from picrules.estimators.fpic import FPICClassifier
from picrules.estimators.personal import PersonalRuleClassifier
from picrules.estimators.pic import PICClassifier
from picrules.estimators.scorers import SCORINGS
from picrules.persist import contents
from picrules.persist.fields import Fields, is_whole
from picrules.persist.format import ArraySpec
from picrules.persist.growth import growth_to_content, read_growth, read_settled
from picrules.persist.voices import (
    check_lengths,
    coarse_to_content,
    read_coarse,
    read_voices,
    voice_to_content,
)
from picrules.scoring.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.encoding.schema import Schema
    from picrules.estimators.candidates import Tuning
    from picrules.estimators.rule_classifier import RuleClassifier

# The estimators that can be written to a model file, by the name they have there.
ESTIMATORS: dict[str, type[RuleClassifier]] = {
    "pic": PICClassifier,
    "fpic": FPICClassifier,
    "personal": PersonalRuleClassifier,
}

Arrays = dict[str, "NDArray[Any]"]

# The keys that the first format has not, by the format that has them first.
_SINCE = (
    dict.fromkeys(("look_alikes", "n_rules", "by_rules", "has_intervals", "coarse", "voices"), 2)
    | dict.fromkeys(
        ("intervals", "optimism", "accuracy", "curves", "other scoring", "cost_matrix", "zone"), 3
    )
    | dict.fromkeys(("n_pairs", "has_order", "growth"), 4)
    | dict.fromkeys(("has_counts", "keep_rows", "has_rows"), 5)
    | {"pairs": 6}
)

# Rows that stand for those that the arrays of the file will hold.
_NO_ROWS = Training(
    np.empty((0, 0), np.int32), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64)
)


def trusted_types() -> list[str]:
    """Return the types to trust where models of this library are read by skops or MLflow.

    They are the estimators alone: all that one of them has learned stands in such a file as the
    bytes of a model file, and is checked as `load` checks it.

    Returns
    -------
    list of str
        For `skops.io.load(path, trusted=...)`, and for `skops_trusted_types` of MLflow.

    Examples
    --------
    >>> import picrules
    >>> picrules.trusted_types()[0]
    'picrules.estimators.pic.PICClassifier'
    """
    return [f"{kind.__module__}.{kind.__qualname__}" for kind in ESTIMATORS.values()]


def name_of(estimator: object) -> str:
    """Return the name of an estimator in model files."""
    for name, kind in ESTIMATORS.items():
        if type(estimator) is kind:
            return name
    accepted = ", ".join(kind.__name__ for kind in ESTIMATORS.values())
    raise BadModelFile(f"a {type(estimator).__name__} cannot be saved; {accepted} can")


@dataclass(frozen=True, slots=True)
class State:
    """All of an estimator but its training rows, which are arrays."""

    kind: type[RuleClassifier]
    settings: dict[str, Any]  # the parameters
    class_sizes: NDArray[np.int64]
    has_names: bool  # whether the training table named its columns
    fitted: Fitted  # what was learned; its training rows may be missing
    n_pairs: int | None  # distinct pairs of row and class; None in formats 1 to 3: row by row
    has_order: bool  # whether it is told where each row stood in the training table
    has_counts: bool = False  # whether counts of sets of features stand in place of the rows

    @classmethod
    def describe(
        cls,
        estimator: RuleClassifier,
        kind: type[RuleClassifier] | None = None,
        settings: dict[str, Any] | None = None,
        *,
        keep_order: bool = False,
    ) -> tuple[State, Arrays]:
        """Return the state of a fitted estimator, and its arrays.

        It may be written as one of another kind, or with other parameters.
        """
        kind = kind or type(estimator)
        settings = settings or estimator.get_params(deep=False)
        fitted, has_names = estimator._fitted, hasattr(estimator, "feature_names_in_")  # noqa: SLF001
        training, sizes = fitted.training.sorted(), fitted.training.class_sizes
        has_order, counts = keep_order and training.rows is not None, training.counts
        state = cls(
            kind, settings, sizes, has_names, fitted, training.n_pairs, has_order,
            counts is not None,
        )  # fmt: skip
        codes = training.codes
        if fitted.conditions.is_single:
            codes = fitted.conditions.spread(codes)
        arrays: Arrays = {
            "codes": codes,
            "labels": training.labels,
            "occurrences": training.occurrences,
        }
        if has_order:
            arrays["rows"] = training.pair_of_row
        if counts is not None:
            arrays["cells"] = counts.longest.cells
        return state, arrays

    def to_content(self) -> dict[str, Any]:
        """Return the state as JSON."""
        fitted = self.fitted
        content = {
            "parameters": contents.settings_to_content(self.settings),
            "n_rows": self.n_rows,
            "classes": contents.classes_to_content(fitted.classes),
            "class_sizes": self.class_sizes.tolist(),
            **({} if self.n_pairs is None else {"n_pairs": self.n_pairs}),
            **({"has_order": True} if self.has_order and self.n_pairs is not None else {}),
            **({"has_counts": True} if self.has_counts else {}),
            "has_names": self.has_names,
            "features": [
                contents.feature_to_content(feature)
                for feature in fitted.conditions.schema.features
            ],
        }
        if fitted.tuning is None or fitted.calibration is None:
            search = {
                "alpha": fitted.search.setting.alpha,
                "max_length": fitted.search.max_length,
                "is_greedy": fitted.search.is_greedy,
            }
            return content | {"search": search}
        content |= {
            "class_weights": fitted.class_weights.tolist(),
            "class_offset": fitted.class_offset.tolist(),
            "has_subsets": fitted.conditions.has_subsets,
            "tuning": contents.tuning_to_content(fitted.tuning),
            "calibration": contents.calibration_to_content(fitted.calibration),
        }
        if fitted.conditions.has_intervals:
            content["has_intervals"] = True
        if fitted.growth is not None:
            content["growth"] = growth_to_content(fitted.growth, has_counts=self.has_counts)
        if fitted.coarse is not None:
            content["coarse"] = coarse_to_content(fitted.coarse, fitted.conditions)
        if fitted.voices != _plain_voices(fitted.tuning):
            content["voices"] = [voice_to_content(voice) for voice in fitted.voices]
        return content

    @property
    def format(self) -> int:
        """The number of the first format that has all that `to_content` writes."""
        content = self.to_content()
        tuning = content.get("tuning", {"candidates": ()})
        keys = {*content, *content["parameters"], *tuning, *content.get("calibration", ())}
        keys.update(*content["features"], *content.get("voices", ()))
        if any("intervals" in each for each in tuning["candidates"]):
            keys.add("intervals")
        if content["parameters"].get("scoring", "accuracy") not in SCORINGS:
            keys.add("other scoring")
        return max(_SINCE.get(key, 1) for key in keys)

    @classmethod
    def read(cls, fields: Fields, kind: type[RuleClassifier]) -> State:
        """Read and check the state from JSON."""
        schema = contents.read_schema(fields.each("features"))
        names = [feature.name for feature in schema.features]
        is_tuned = issubclass(kind, PersonalRuleClassifier)
        checks = contents.SHARED_CHECKS if is_tuned else contents.PAPER_CHECKS
        expected = list(kind().get_params(deep=False))
        settings = contents.read_settings(fields.fields("parameters"), expected, names, checks)
        n_rows = fields.whole("n_rows", 1, MAX_ROWS)
        classes = contents.read_classes(fields.fields("classes"))
        sizes = fields.items("class_sizes", lambda size: is_whole(size) and size > 0, "counts")
        if sum(sizes) != n_rows or len(sizes) != len(classes):
            raise BadModelFile("its class_sizes are not one count per class that add up to n_rows")
        class_sizes = np.array(sizes, np.int64)
        if is_tuned:
            _check_grid(kind(**settings), classes, class_sizes)
            fitted = _read_tuned(fields, schema, classes, n_rows, settings["min_cover"])
            gone = 0 if fitted.growth is None else fitted.growth.n_forgotten
            contents.check_codes(schema, n_rows + gone)
        else:
            fitted = _read_paper(fields, schema, classes)
        has_names = fields.flag("has_names")
        n_pairs = fields.whole("n_pairs", 1, n_rows) if "n_pairs" in fields else None
        has_order = n_pairs is None
        if "has_order" in fields:
            has_order = bool(fields.take("has_order", "true", lambda value: value is True))
        has_counts = "has_counts" in fields
        if has_counts:
            fields.take("has_counts", "true", lambda value: value is True)
            if not fitted.can_count or n_pairs is None or has_order:
                raise BadModelFile("its has_counts does not go with its rules, or with rows")
        fields.finish()
        return cls(kind, settings, class_sizes, has_names, fitted, n_pairs, has_order, has_counts)

    @property
    def n_rows(self) -> int:
        """How many training rows there are."""
        return int(self.class_sizes.sum())

    @property
    def _columns(self) -> NDArray[np.int64]:
        """The columns whose codes the file has: of PIC and fPIC all, else those with conditions."""
        conditions = self.fitted.conditions
        n_columns = len(conditions.schema.features)
        return np.arange(n_columns) if conditions.is_single else conditions.features

    @property
    def is_used(self) -> NDArray[np.bool_]:
        """Which of the columns of the file have conditions; the model uses these."""
        return np.isin(self._columns, self.fitted.conditions.features)

    @property
    def specs(self) -> dict[str, ArraySpec]:
        """The arrays that the file must have, in their order."""
        n_pairs = self.n_rows if self.n_pairs is None else self.n_pairs
        shapes = {"codes": (len(self._columns), n_pairs), "labels": (n_pairs,)}
        if self.n_pairs is not None:
            shapes |= {"occurrences": (n_pairs,)}
            shapes |= {"rows": (self.n_rows,)} if self.has_order else {}
        if self.has_counts:
            (per_class,) = sums_of_products(self._n_slots.tolist(), self._counted_length)[-1:]
            shapes |= {"cells": (per_class * len(self.class_sizes),)}
        kinds = {"codes": "<i4", "cells": "<u4"}
        return {name: ArraySpec(kinds.get(name, "<i8"), shape) for name, shape in shapes.items()}

    @property
    def _n_slots(self) -> NDArray[np.int64]:
        n_codes: NDArray[np.int64] = self.fitted.conditions.sets.n_codes
        return n_codes + 1

    @property
    def _counted_length(self) -> int:
        """How many features the sets have whose counts stand in the file."""
        return min(self.fitted.search.max_length, len(self._n_slots))

    def make_counts(self) -> KeptCounts | None:
        """Make space for the counts of the file, if it has some."""
        if not self.has_counts:
            return None
        n_slots, length = self._n_slots, self._counted_length
        cells = np.empty(self.specs["cells"].shape, np.uint32)
        counts = Counts(n_slots, length, 0, comb(len(n_slots), length), cells)
        return KeptCounts(counts, len(self.class_sizes))

    def check_counts(self, counts: KeptCounts) -> None:
        """Refuse counts that are not of as many rows as there are; engines rely on it."""
        starts = starts_of(counts.n_slots, counts.max_length, 1)[:-1]
        cells = counts.longest.cells.reshape(-1, counts.n_classes)
        sizes = np.add.reduceat(cells, starts, axis=0, dtype=np.int64)
        if (sizes != self.class_sizes).any():
            raise BadModelFile("its class_sizes are not those of its cells")

    def check_codes(self, position: int, codes: NDArray[np.int32]) -> None:
        """Refuse codes of a column of the file that stand for nothing; engines rely on it."""
        feature = self.fitted.conditions.schema.features[self._columns[position]]
        if codes.min() < -1 or codes.max() >= feature.n_codes:
            raise BadModelFile(
                f"the codes of {feature.name!r} reach from {codes.min()} to {codes.max()}; "
                f"-1 to {feature.n_codes - 1} are expected"
            )

    def check_labels(self, labels: NDArray[np.int64], occurrences: NDArray[np.int64]) -> None:
        """Refuse labels that stand for no class, or are others than the class sizes say."""
        n_classes = len(self.class_sizes)
        if labels.min() < 0 or labels.max() >= n_classes:
            raise BadModelFile(
                f"the labels reach from {labels.min()} to {labels.max()}; 0 to {n_classes - 1} "
                "are expected"
            )
        if occurrences.min() < 1 or occurrences.max() > self.n_rows:
            raise BadModelFile(
                f"the occurrences reach from {occurrences.min()} to {occurrences.max()}; 1 to "
                f"{self.n_rows} are expected"
            )
        sizes = np.bincount(labels, occurrences, n_classes)
        is_right = sizes <= self.class_sizes if self.has_counts else sizes == self.class_sizes
        if not is_right.all():
            raise BadModelFile("its class_sizes are not those of its labels")

    def check_rows(self, rows: NDArray[np.int64], occurrences: NDArray[np.int64]) -> None:
        """Refuse an order of the rows that has other rows than there are."""
        is_inside = rows.min() >= 0 and rows.max() < len(occurrences)
        if not is_inside or not np.array_equal(np.bincount(rows), occurrences):
            raise BadModelFile("its rows are not each pair as often as its occurrences say")

    def build(self, training: Training, read_rows: Callable[[], None] | None) -> RuleClassifier:
        """Make the fitted estimator; `read_rows` fills the arrays if they are still empty."""
        fitted = replace(self.fitted, training=training)
        return restore(
            self.kind, self.settings, fitted, has_names=self.has_names, read_rows=read_rows
        )


def _read_paper(fields: Fields, schema: Schema, classes: NDArray[Any]) -> Fitted:
    """Read what PIC and fPIC learn."""
    inside = fields.fields("search")
    search = Search(
        Setting("precision", inside.number("alpha", 0, 1), 0.0),
        inside.whole("max_length", 1, len(schema.features)),
        inside.flag("is_greedy"),
    )
    inside.finish()
    weights, offset = np.ones(len(classes)), np.zeros(len(classes))
    conditions = Conditions(schema, is_single=True)
    voices = (Voice(search),)
    return Fitted(classes, conditions, _NO_ROWS, voices, weights, offset, min_cover=1)


def _read_tuned(
    fields: Fields, schema: Schema, classes: NDArray[Any], n_rows: int, min_cover: int
) -> Fitted:
    """Read what an estimator that tunes itself learns."""
    has_intervals = "has_intervals" in fields and fields.flag("has_intervals")
    contents.check_memory(schema, has_intervals=has_intervals)
    conditions = Conditions(schema, fields.flag("has_subsets"), has_intervals=has_intervals)
    coarse = read_coarse(fields.fields("coarse"), conditions) if "coarse" in fields else None
    tuning = contents.read_tuning(fields.fields("tuning"), coarse or conditions)
    if coarse is not None and coarse.has_intervals != tuning.chosen.has_intervals:
        raise BadModelFile("its coarser conditions are not those that were chosen: intervals")
    weights, offset, calibration = read_settled(fields, len(classes), tuning.scoring)
    growth, n_tuned = None, len(classes)
    if "growth" in fields:
        growth = read_growth(fields.fields("growth"), n_rows, tuning.scoring)
        n_tuned = len(growth.classes)
    voices = _plain_voices(tuning)
    if coarse is not None or "voices" in fields:
        voices = read_voices(fields.each("voices"), conditions, coarse, n_tuned)
    check_lengths(voices, conditions, coarse, len(classes))
    return Fitted(
        classes, conditions, _NO_ROWS, voices, weights, offset, min_cover, calibration,
        note_voices(tuning, voices), coarse, growth,
    )  # fmt: skip


def _plain_voices(tuning: Tuning) -> tuple[Voice, ...]:
    """Return what decides where nothing else is said: the best short rule alone."""
    chosen = tuning.chosen
    return (Voice(Search(chosen.setting, chosen.max_length, is_by_class=True)),)


def _check_grid(estimator: Any, classes: NDArray[Any], sizes: NDArray[np.int64]) -> None:
    try:
        grids.check_grid(estimator, int(sizes.sum()))
        parameters.check_class_weight(estimator.class_weight, classes, sizes)
        check_cost_matrix(estimator.cost_matrix, classes)
    except (BadParameter, OverflowError, TypeError) as error:
        raise BadModelFile(f"its parameters: {str(error)[:500]}") from None
