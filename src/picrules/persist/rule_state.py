"""`PICClassifier` and `FPICClassifier` in a model file: JSON and two arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.tables import MAX_ROWS
from picrules.engines.base import Search, TrainingTable
from picrules.errors import BadModelFile
from picrules.estimators.saving import Fitted
from picrules.persist.fields import is_whole
from picrules.persist.format import ArraySpec
from picrules.persist.schemas import (
    classes_to_content,
    features_to_content,
    read_classes,
    read_schema,
)
from picrules.persist.settings import read_settings, settings_to_content

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from picrules.encoding.schema import Schema
    from picrules.estimators.rule_classifier import RuleClassifier
    from picrules.persist.fields import Fields

Arrays = dict[str, "NDArray[Any]"]


@dataclass(frozen=True, slots=True)
class RuleState:
    """All of an estimator but its training rows, which are arrays.

    Attributes
    ----------
    settings : dict
        The parameters.
    classes : array of shape (n_classes,)
        The classes, sorted.
    class_sizes : int64 array of shape (n_classes,)
        How many training rows each class has.
    schema : Schema
        The features.
    search : Search
        Which rules are looked at.
    n_rows : int
        How many training rows there are.
    has_names : bool
        Whether the training table named its columns.
    """

    settings: dict[str, Any]
    classes: NDArray[Any]
    class_sizes: NDArray[np.int64]
    schema: Schema
    search: Search
    n_rows: int
    has_names: bool

    @classmethod
    def describe(cls, estimator: RuleClassifier) -> tuple[RuleState, Arrays]:
        """Return the state of a fitted estimator, and its arrays."""
        fitted = estimator.to_fitted()
        table = fitted.table
        state = cls(
            estimator.get_params(deep=False), fitted.classes, table.class_sizes, fitted.schema,
            fitted.search, table.n_rows, fitted.has_names,
        )  # fmt: skip
        return state, {"codes": table.codes, "labels": table.labels}

    def to_content(self) -> dict[str, Any]:
        """Return the state as JSON."""
        return {
            "parameters": settings_to_content(self.settings),
            "search": {
                "alpha": self.search.alpha,
                "max_length": self.search.max_length,
                "is_greedy": self.search.is_greedy,
            },
            "n_rows": self.n_rows,
            "classes": classes_to_content(self.classes),
            "class_sizes": self.class_sizes.tolist(),
            "has_names": self.has_names,
            "features": features_to_content(self.schema),
        }

    @classmethod
    def read(cls, fields: Fields, estimator: type[RuleClassifier]) -> RuleState:
        """Read and check the state from JSON."""
        schema = read_schema(fields.each("features"))
        names = [feature.name for feature in schema.features]
        settings = read_settings(
            fields.fields("parameters"), list(estimator().get_params(deep=False)), names
        )
        search = _read_search(fields.fields("search"), len(names))
        n_rows = fields.whole("n_rows", 1, MAX_ROWS)
        classes = read_classes(fields.fields("classes"))
        sizes = fields.items("class_sizes", lambda size: is_whole(size) and size > 0, "counts")
        if sum(sizes) != n_rows or len(sizes) != len(classes):
            raise BadModelFile("its class_sizes are not one count a class that add up to n_rows")
        has_names = fields.flag("has_names")
        fields.finish()
        return cls(settings, classes, np.array(sizes, np.int64), schema, search, n_rows, has_names)

    @property
    def specs(self) -> dict[str, ArraySpec]:
        """The arrays that the file must have, in their order."""
        return {
            "codes": ArraySpec("<i4", (len(self.schema.features), self.n_rows)),
            "labels": ArraySpec("<i8", (self.n_rows,)),
        }

    def check_arrays(self, arrays: Arrays) -> None:
        """Refuse arrays whose numbers stand for nothing; engines rely on it."""
        codes, labels = arrays["codes"], arrays["labels"]
        for feature, row, n_codes in zip(
            self.schema.features, codes, self.schema.n_codes, strict=True
        ):
            if row.min() < -1 or row.max() >= n_codes:
                raise BadModelFile(
                    f"the codes of {feature.name!r} reach from {row.min()} to {row.max()}; "
                    f"-1 to {n_codes - 1} are expected"
                )
        n_classes = len(self.classes)
        if labels.min() < 0 or labels.max() >= n_classes:
            raise BadModelFile(
                f"the labels reach from {labels.min()} to {labels.max()}; 0 to {n_classes - 1} "
                "are expected"
            )
        if not np.array_equal(np.bincount(labels, minlength=n_classes), self.class_sizes):
            raise BadModelFile("its class_sizes are not those of its labels")

    def build(
        self,
        estimator: type[RuleClassifier],
        arrays: Arrays,
        check_rows: Callable[[], None] | None,
    ) -> RuleClassifier:
        """Make the fitted estimator."""
        table = TrainingTable(
            arrays["codes"], arrays["labels"], self.schema.n_codes, self.class_sizes,
            tuple(feature.name for feature in self.schema.features),
        )  # fmt: skip
        fitted = Fitted(self.classes, self.schema, table, self.search, self.has_names)
        return estimator.from_fitted(self.settings, fitted, check_rows)


def _read_search(fields: Fields, n_features: int) -> Search:
    search = Search(
        fields.number("alpha", 0, 1),
        fields.whole("max_length", 1, n_features),
        fields.flag("is_greedy"),
    )
    fields.finish()
    return search
