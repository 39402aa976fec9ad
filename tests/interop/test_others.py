"""Programs that build on classifiers: what they need is there."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.inspection import partial_dependence
from sklearn.pipeline import make_pipeline

from tests.interop.models import ESTIMATORS, tumours

each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
# The others warn about themselves; their answers are what is looked at.
pytestmark = pytest.mark.filterwarnings("ignore")


@each_estimator
def test_mapie_gives_sets_of_classes(estimator):
    classification = pytest.importorskip("mapie.classification")
    X, y = tumours()
    X = X.drop(columns="seen")  # to see whether a model is fitted, it asks about a row of zeros
    y = (y == "malign").astype(int)
    clf = clone(estimator).fit(X[:80], y[:80])
    conformal = classification.SplitConformalClassifier(clf, confidence_level=0.9, prefit=True)
    predicted, sets = conformal.conformalize(X[80:], y[80:]).predict_set(X)
    assert predicted.tolist() == clf.predict(X).tolist()
    assert sets.shape == (len(X), 2, 1)
    assert sets[80:, :, 0][np.arange(70), y[80:]].mean() >= 0.9


@each_estimator
def test_fairlearn_moves_thresholds_by_group(estimator):
    postprocessing = pytest.importorskip("fairlearn.postprocessing")
    X, y = tumours()
    clf = clone(estimator).fit(X, y == "malign")
    fair = postprocessing.ThresholdOptimizer(
        estimator=clf, constraints="demographic_parity", prefit=True, predict_method="predict_proba"
    )
    fair.fit(X, y == "malign", sensitive_features=X["ward"])
    predicted = fair.predict(X, sensitive_features=X["ward"], random_state=0)
    shares = [predicted[X["ward"] == ward].mean() for ward in ("north", "south", "west")]
    assert max(shares) - min(shares) < 0.2


@each_estimator
def test_imbalanced_learn_draws_rows_before_a_fit(estimator):
    sampling = pytest.importorskip("imblearn.over_sampling")
    pipeline = pytest.importorskip("imblearn.pipeline")
    X, y = tumours()
    balanced = pipeline.make_pipeline(
        sampling.RandomOverSampler(random_state=0), clone(estimator)
    ).fit(X, y)
    sizes = balanced[-1].class_sizes_
    assert sizes[0] == sizes[1] == max(np.unique(y, return_counts=True)[1])
    assert set(balanced.predict(X)) <= set(y)


@each_estimator
def test_partial_dependence_follows_the_probabilities(estimator):
    X, y = tumours()
    clf = make_pipeline(clone(estimator)).fit(X, y)
    found = partial_dependence(clf, X, ["mean radius"], grid_resolution=5, kind="average")
    radius = found["grid_values"][0][2]
    expected = clf.predict_proba(X.assign(**{"mean radius": radius}))[:, 1].mean()
    assert found["average"].shape == (1, 5)
    assert found["average"][0, 2] == pytest.approx(expected)


@each_estimator
def test_scikit_learn_calibrates(estimator):
    X, y = tumours()
    calibrated = CalibratedClassifierCV(clone(estimator), cv=2).fit(X, y)
    assert np.allclose(calibrated.predict_proba(X).sum(axis=1), 1)
