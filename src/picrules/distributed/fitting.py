"""Fit estimators to rows that are not one table in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.distributed.adapters import adapter_of, told
from picrules.distributed.lazy_source import LazySource
from picrules.encoding.lazy import LazyTable, is_dataset
from picrules.errors import BadParameter
from picrules.estimators.parameters import check_n_jobs

if TYPE_CHECKING:
    from picrules.estimators.rule_classifier import RuleClassifier
    from picrules.estimators.sources import Source


def fit_lazily(clf: RuleClassifier, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit an estimator to the rows of a lazy frame; `y` names the column of the classes."""
    if sample_weight is not None:
        raise BadParameter(
            "sample_weight is given with a lazy X, whose rows have no order; None is accepted"
        )
    with told(X):
        fit_source(clf, source_of(X, y, check_n_jobs(clf.n_jobs)))


def source_of(X: Any, y: Any, n_threads: int = 1) -> Source:
    """Return the rows of a lazy frame as those to learn from."""
    if is_dataset(X):
        from picrules.distributed.arrow_datasets import ArrowSource  # noqa: PLC0415

        return ArrowSource.of(X, y, n_threads)
    adapter, table = adapter_of(X), LazyTable.of(X, y)
    return adapter.source(X, y) if hasattr(adapter, "source") else LazySource(table)


def fit_source(clf: RuleClassifier, source: Source) -> None:
    """Fit an estimator to rows, wherever they lie."""
    fitted, searcher = clf._learn_from(source)  # noqa: SLF001
    # Nothing is set before everything is known to be right: a failed fit changes nothing.
    clf.n_features_in_ = len(source.names)
    clf.feature_names_in_ = np.array(source.names, object)
    clf._set_fitted(fitted, searcher)  # noqa: SLF001
