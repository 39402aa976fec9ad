"""A model that travels: it answers the rows of tables in any process."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from picrules.errors import BadTable
from picrules.rules.text import list_names

if TYPE_CHECKING:
    from collections.abc import Collection

    from picrules.estimators.rule_classifier import RuleClassifier

PROBABILITY = "probability_"

_TEXTS = ("rule", "silent")
_COUNTS = ("length", "cover_size", "hits", "n_rules")


@dataclass(frozen=True, eq=False)
class Asker:
    """What is asked about each row, and the model that is asked; it pickles as a model file."""

    clf: RuleClassifier
    what: str  # a method of the model: predict, predict_proba or explain
    simplify: float | None = None

    @classmethod
    def of(cls, clf: RuleClassifier, what: str, simplify: float | None = None) -> Asker:
        """Ask the model as it is now, whatever becomes of the estimator."""
        clf._with_rows()  # noqa: SLF001  (they may still lie in a file)
        own: RuleClassifier = object.__new__(type(clf))
        own.__dict__ |= vars(clf) | {"n_jobs": None, "verbose": 0}
        return cls(own, what, simplify)

    @property
    def features(self) -> list[str]:
        """The columns that are asked for."""
        return [feature.name for feature in self.clf.schema_.features]

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the answers, and their types."""
        classes = pa.array(self.clf.classes_.tolist()).type
        if self.what == "predict":
            return pa.schema([("prediction", classes)])
        if self.what == "predict_proba":
            names = [f"{PROBABILITY}{name}" for name in self.clf.classes_.tolist()]
            return pa.schema([(name, pa.float64()) for name in names])
        told = self.clf.explain([dict.fromkeys(self.features)])
        types = {"prediction": classes} | dict.fromkeys(_TEXTS, pa.string())
        types |= dict.fromkeys(_COUNTS, pa.int64())
        names = told.to_frame("pyarrow").column_names
        return pa.schema([(name, types.get(name, pa.float64())) for name in names])

    def split(self, names: Collection[str]) -> list[str]:
        """Return the columns of a frame that are no features: they are kept beside the answers."""
        known = set(names)
        absent = [name for name in self.features if name not in known]
        if absent:
            raise BadTable(
                f"X lacks the columns {list_names(absent)}; the model was trained on "
                f"{list_names(self.features)}"
            )
        kept = [name for name in names if name not in set(self.features)]
        for name in kept:
            if name in self.schema.names:
                raise BadTable(
                    f"X has a column named {name!r}, as the answers have; rename or drop it"
                )
        return kept

    def __call__(self, X: Any) -> pa.Table:
        """Answer each row of a table in memory that has the features in their order."""
        if len(X) == 0:
            return self.schema.empty_table()
        if self.what == "explain":
            told = self.clf.explain(X, simplify=self.simplify).to_frame("pyarrow")
            return told.cast(self.schema)
        answers = getattr(self.clf, self.what)(X)
        columns = [answers] if self.what == "predict" else list(np.asarray(answers).T)
        arrays = [pa.array(own, kind) for own, kind in zip(columns, self.schema.types, strict=True)]
        return pa.Table.from_arrays(arrays, schema=self.schema)

    def __reduce__(self) -> tuple[Any, ...]:
        return _open, (TravellingModel.of(self.clf), self.what, self.simplify)


class TravellingModel:
    """The bytes of a model, known by their fingerprint."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._fingerprint = hashlib.sha256(content).hexdigest()

    @classmethod
    def of(cls, clf: RuleClassifier) -> TravellingModel:
        """Write an estimator as bytes."""
        return cls(pickle.dumps(clf))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TravellingModel) and other._fingerprint == self._fingerprint

    def __hash__(self) -> int:
        return hash(self._fingerprint)

    @lru_cache(maxsize=4)  # noqa: B019  (few, and they are needed as long as the process works)
    def open(self) -> RuleClassifier:
        """Return the estimator, which is read once in each process."""
        clf: RuleClassifier = pickle.loads(self._content)  # noqa: S301  (written by `of`)
        return clf


def _open(model: TravellingModel, what: str, simplify: float | None) -> Asker:
    return Asker(model.open(), what, simplify)
