"""`PICClassifier` and `FPICClassifier` in a model file: JSON and two arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from picrules.encoding.tables import MAX_ROWS
from picrules.engines.base import Search, TrainingTable
from picrules.estimators.fitted import Fitted
from picrules.persist.format import ArraySpec
from picrules.persist.rows import Arrays, check_rows, read_sizes
from picrules.persist.schemas import (
    classes_to_content,
    features_to_content,
    read_classes,
    read_schema,
)
from picrules.persist.settings import PAPER_CHECKS, read_settings, settings_to_content

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from picrules.encoding.schema import Schema
    from picrules.estimators.paper_classifier import PaperClassifier
    from picrules.persist.fields import Fields


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
    def describe(cls, estimator: PaperClassifier) -> tuple[RuleState, Arrays]:
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
    def read(cls, fields: Fields, estimator: type[PaperClassifier]) -> RuleState:
        """Read and check the state from JSON."""
        schema = read_schema(fields.each("features"))
        names = [feature.name for feature in schema.features]
        settings = read_settings(
            fields.fields("parameters"), list(estimator().get_params(deep=False)), names,
            PAPER_CHECKS,
        )  # fmt: skip
        search = _read_search(fields.fields("search"), len(names))
        n_rows = fields.whole("n_rows", 1, MAX_ROWS)
        classes = read_classes(fields.fields("classes"))
        sizes = read_sizes(fields, n_rows, len(classes))
        has_names = fields.flag("has_names")
        fields.finish()
        return cls(settings, classes, sizes, schema, search, n_rows, has_names)

    @property
    def specs(self) -> dict[str, ArraySpec]:
        """The arrays that the file must have, in their order."""
        return {
            "codes": ArraySpec("<i4", (len(self.schema.features), self.n_rows)),
            "labels": ArraySpec("<i8", (self.n_rows,)),
        }

    def check_arrays(self, arrays: Arrays) -> None:
        """Refuse arrays whose numbers stand for nothing; engines rely on it."""
        names = [feature.name for feature in self.schema.features]
        check_rows(arrays, names, self.schema.n_codes, self.class_sizes)

    def build(
        self,
        estimator: type[PaperClassifier],
        arrays: Arrays,
        check_rows: Callable[[], None] | None,
    ) -> PaperClassifier:
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
