"""scikit-learn's own checks, and its tools around the estimators."""

import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.errors import BadTable

ESTIMATORS = [
    PICClassifier(),
    FPICClassifier(),
    PICClassifier(engine="bitmap", n_jobs=2),
    FPICClassifier(engine="table", n_jobs=2),
    PersonalRuleClassifier(),
    PersonalRuleClassifier(engine="bitmap", cuts=4, alpha=0.9, smoothing=1, max_length=2, n_jobs=2),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    if check.func.__name__ == "check_sample_weight_equivalence_on_sparse_data":
        # scikit-learn 1.6 asks this of estimators, too, whose tags say that they take none.
        with pytest.raises(BadTable, match="X is a sparse"):
            check(estimator)
        return
    check(estimator)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(as_frame=True, return_X_y=True)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.slow
class TestAround:
    def test_cross_val_score_in_a_pipeline(self, estimator, cancer):
        X, y = cancer
        pipeline = make_pipeline(StandardScaler(), clone(estimator).set_params(max_length=2))
        assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85

    def test_grid_search_over_alpha_with_threads(self, estimator, cancer):
        X, y = (part[:150] for part in cancer)
        grid = GridSearchCV(
            clone(estimator).set_params(max_length=2), {"alpha": [0.5, 0.9]}, cv=2, n_jobs=2
        )
        with joblib.parallel_config("threading"):
            assert grid.fit(X, y).best_params_["alpha"] in (0.5, 0.9)

    def test_pickle_keeps_every_explanation(self, estimator, cancer):
        X, y = cancer
        fitted = clone(estimator).set_params(max_length=2).fit(X[:300], y[:300])
        copy = pickle.loads(pickle.dumps(fitted))
        assert list(copy.explain(X[300:])) == list(fitted.explain(X[300:]))

    def test_refit_forgets_the_first_table(self, estimator, cancer):
        X, y = cancer
        once = clone(estimator).set_params(max_length=2).fit(X[:200], y[:200])
        twice = clone(estimator).set_params(max_length=2).fit(X[200:], y[200:])
        twice.fit(X[:200], y[:200])
        assert list(once.explain(X[300:320])) == list(twice.explain(X[300:320]))

    def test_threads_in_joblib_agree(self, estimator, cancer):
        X, y = cancer
        fitted = clone(estimator).set_params(max_length=2).fit(X[:200], y[:200])
        parts = joblib.Parallel(n_jobs=2, backend="threading")(
            joblib.delayed(fitted.predict)(X[start : start + 50]) for start in range(200, 500, 50)
        )
        assert np.array_equal(np.concatenate(parts), fitted.predict(X[200:500]))
