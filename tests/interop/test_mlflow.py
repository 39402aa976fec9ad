"""Models kept by MLflow, in both of its forms."""

import pytest
from sklearn.base import clone

import picrules
from tests.interop.models import ESTIMATORS, say, tumours

mlflow = pytest.importorskip("mlflow")
# What MLflow itself warns about: its own settings, and types of columns that may be missing.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_mlflow_keeps_models_as_skops_does(estimator, tmp_path):
    """It refused them for types that it was not told to trust."""
    pytest.importorskip("skops")
    X, y = tumours()
    clf = clone(estimator).fit(X, y)
    mlflow.sklearn.save_model(
        clf, tmp_path / "model", serialization_format="skops",
        skops_trusted_types=picrules.trusted_types(), pip_requirements=["picrules"],
    )  # fmt: skip
    assert say(mlflow.sklearn.load_model(tmp_path / "model"), X) == say(clf, X)
    general = mlflow.pyfunc.load_model(str(tmp_path / "model"))
    assert general.predict(X).tolist() == clf.predict(X).tolist()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_pyfunc_answers_with_class_confidence_and_rule(estimator, tmp_path):
    X, y = tumours()
    clf = clone(estimator).fit(X, y)
    clf.save(tmp_path / "tumours.pic")
    mlflow.pyfunc.save_model(
        tmp_path / "model", loader_module="picrules.persist.pyfunc",
        data_path=tmp_path / "tumours.pic", pip_requirements=["picrules"],
    )  # fmt: skip
    answers = mlflow.pyfunc.load_model(str(tmp_path / "model")).predict(X)
    explanations = clf.explain(X)
    assert answers.columns.tolist() == ["prediction", "confidence", "rule"]
    assert answers["prediction"].tolist() == clf.predict(X).tolist()
    assert answers["confidence"].tolist() == [each.confidence for each in explanations]
    assert answers["rule"].tolist() == [str(each.rule) for each in explanations]
