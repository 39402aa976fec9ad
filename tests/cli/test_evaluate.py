import json

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss

from picrules.cli.folds import measure, split_stratified, to_matrix
from tests.cli.running import run, write_csv


def test_figures_of_all_models(tmp_path):
    data = write_csv(tmp_path / "d.csv")
    words = [
        "evaluate",
        data,
        "-t",
        "class",
        "--ignore",
        "id",
        "--folds",
        2,
        "--repeats",
        2,
        "-j",
        1,
    ]
    content = json.loads(run(*words, "--json").stdout)
    assert list(content["models"]) == ["personal", "tree", "forest", "majority"]
    assert content["models"].pop("majority")["balanced_accuracy"] == 0.5
    for figures in content["models"].values():
        assert 0.5 < figures["accuracy"] <= 1
        assert 0.5 < figures["balanced_accuracy"] <= 1
        assert figures["log_loss"] > 0
        assert figures["rules"] >= 1
        assert figures["rule_length"] > 0
    text = run(*words, "--estimator", "pic").stdout
    assert "60 rows, 2-fold cross-validation, 2 times" in text
    assert "pic" in text
    assert "forest" in text


def test_more_parts_than_rows_are_refused(tmp_path):
    data = write_csv(tmp_path / "d.csv", [["a", "x"], ["b", "y"]], ["letter", "class"])
    assert "--folds is 5" in " ".join(run("evaluate", data, "-t", "class", code=2).stderr.split())


def test_parts_hold_the_classes_alike(rng):
    labels = np.repeat([0, 1, 2], [50, 25, 4])
    seen = []
    for train, test in split_stratified(labels, 5, rng):
        assert sorted([*train, *test]) == list(range(79))
        assert abs(np.bincount(labels[test], minlength=3) - [10, 5, 0.8]).max() <= 1
        seen += test.tolist()
    assert sorted(seen) == list(range(79))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_figures_agree_with_scikit_learn(n_classes, rng):
    classes = np.array(["a", "b", "c", "d"], object)[:n_classes]
    truth = classes[np.append(np.arange(n_classes), rng.integers(0, n_classes, 50))]
    probabilities = rng.dirichlet(np.ones(n_classes), len(truth))
    predicted = classes[probabilities.argmax(axis=1)]
    found = measure(truth, predicted, probabilities, classes)
    assert found["accuracy"] == pytest.approx(accuracy_score(truth, predicted))
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(truth, predicted))
    assert found["log_loss"] == pytest.approx(log_loss(truth, probabilities, labels=classes))


def test_a_class_that_training_lacks_costs_much():
    found = measure(
        np.array(["z"], object), np.array(["a"], object), np.array([[1.0]]), np.array(["a"], object)
    )
    assert found["log_loss"] == pytest.approx(-np.log(1e-15))


def test_tables_become_numbers():
    matrix = to_matrix(pa.table({"n": [1.5, None, 1e300], "c": ["u", "v", None]}))
    assert matrix.shape == (3, 4)
    assert np.isnan(matrix[1, 0])
    assert np.isfinite(np.float32(matrix[2, 0]))
    assert matrix[:, 1:].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    many = to_matrix(pa.table({"c": [f"t{number}" for number in range(60)]}))
    assert many.shape == (60, 51)
    assert many[:, 50].sum() == 10
