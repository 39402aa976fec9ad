import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix

from picrules.explain.performance import measure_performance


def test_performance_agrees_with_scikit_learn(rng):
    labels, predicted = rng.integers(0, 4, 300), rng.integers(0, 3, 300)
    confidences = rng.random(300)
    performance = measure_performance(labels, predicted, confidences, 4)
    assert performance.accuracy == pytest.approx(accuracy_score(labels, predicted))
    expected = confusion_matrix(labels, predicted, labels=range(4))
    assert performance.confusion.tolist() == expected.tolist()
    told = np.zeros((4, 4), int)
    for real, said, count in performance.to_dict()["confusion"]:
        told[real, said] = count
    assert told.tolist() == expected.tolist()
    assert performance.most_frequent == np.bincount(labels).max() / 300


def test_reliability_counts_every_row_once_by_its_confidence():
    confidences = np.array([0.0, 0.05, 0.1, 0.95, 1.0])
    labels = np.array([0, 1, 0, 0, 0])
    parts = measure_performance(labels, np.zeros(5, int), confidences, 2).reliability
    assert [(part["lower"], part["n_rows"], part["n_right"]) for part in parts] == [
        (0.0, 2, 1), (0.1, 1, 1), (0.9, 2, 2),
    ]  # fmt: skip
    assert parts[2]["confidence"] == pytest.approx(0.975)
    lower, upper = parts[0]["interval"]
    assert 0 < lower < parts[0]["share"] < upper < 1
