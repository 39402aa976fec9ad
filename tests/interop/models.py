"""Fitted estimators of every kind, for programs that keep models or build on them."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier

FIXED = {"cuts": 4, "max_length": 2, "alpha": 1, "smoothing": 1}
ESTIMATORS = [
    PICClassifier(),
    FPICClassifier(max_length=2),
    PersonalRuleClassifier(**FIXED, look_alikes=False),
    PersonalRuleClassifier(**FIXED, look_alikes=True, n_rules=3, class_weight="balanced"),
]


def tumours(n_rows=150):
    """Numbers, a category and a date; whether a tumour is malign."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X.iloc[:n_rows, :4].copy(), np.where(y.iloc[:n_rows] == 1, "benign", "malign")
    X["ward"] = pd.Categorical(np.array(["north", "south", "west"])[np.arange(n_rows) % 3])
    X["seen"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(n_rows), "D")
    return X, y.astype(object)


def say(clf, X):
    """All that an estimator says about rows."""
    told = [explanation.to_dict() for explanation in clf.explain(X)]
    return told, clf.predict_proba(X).tolist(), clf.get_params()
