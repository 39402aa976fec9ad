"""Tables on which look-alikes or several rules decide; numbers, categories and missing values."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from picrules import PersonalRuleClassifier
from picrules.engines.base import Search
from picrules.estimators.fitted import Voice, restore


def rings(n_rows=300, seed=0):
    """Shells around a middle, of which short rules cut off corners only."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(-1, 1, (n_rows, 3)).round(3), columns=["x", "y", "z"])
    far = np.sqrt((X**2).sum(axis=1))
    classes = np.where(np.sin(7 * far) > 0, "odd", "even").astype(object)
    classes[rng.random(n_rows) < 0.03] = "even"
    X["colour"] = rng.choice(np.array(["red", "blue", "green", None], object), n_rows)
    X.loc[rng.random(n_rows) < 0.05, "y"] = np.nan
    return X, classes


def hints(n_rows=260, seed=0):
    """Three classes, of which every column says a little."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n_rows)
    numbers = rng.normal(size=(n_rows, 4)) + np.eye(3)[labels] @ rng.normal(size=(3, 4))
    X = pd.DataFrame(numbers.round(2), columns=["a", "b", "c", "d"])
    is_told = rng.random(n_rows) < 0.5
    town = np.where(is_told, labels, rng.integers(0, 3, n_rows))
    X["town"] = np.array(["north", "south", "west"], object)[town]
    X.loc[rng.random(n_rows) < 0.1, "town"] = None
    X.loc[rng.random(n_rows) < 0.1, "b"] = np.nan
    return X, np.array(["ash", "beech", "cedar"], object)[labels]


@cache
def by_look_alikes():
    """A model in which look-alikes decide, and its table."""
    X, y = rings()
    clf = PersonalRuleClassifier(look_alikes=True, intervals=False).fit(X, y)
    assert clf._model.search.alike is not None
    assert len(clf._model.members) == 1
    return clf, X, y


@cache
def by_scorecard(**settings):
    """A model in which two or three rules decide, and its table."""
    X, y = hints()
    clf = PersonalRuleClassifier(n_rules=3, **settings).fit(X, y)
    assert len(clf._model.members) > 1
    return clf, X, y


@cache
def by_mixed_scorecard():
    """A model in which look-alikes decide together with other rules, and its table.

    Put together by hand, whatever `fit` would choose.
    """
    clf, X, y = by_look_alikes()
    (alike,) = clf._fitted.voices
    others = [
        Voice(Search(alike.search.setting, len(on), is_by_class=True, features=on), weight, -4.0)
        for on, weight in (((0, 2), 0.5), ((1, 3), 0.3))
    ]
    fitted = replace(
        clf._fitted,
        voices=(replace(alike, weight=0.4, floor=-4.0), *others),
        class_offset=np.array([0.1, -0.2]),
        tuning=replace(clf.tuning_, n_rules=3, by_rules={1: 0.6, 3: 0.7}),
    )
    return restore(PersonalRuleClassifier, clf.get_params(), fitted, has_names=True), X, y


def by_short_scorecard():
    """A model in which several rules decide, none of them from look-alikes, and its table."""
    clf, X, y = by_scorecard(look_alikes=False)
    assert all(member.search.alike is None for member in clf._model.members)
    return clf, X, y


@cache
def between_leading(pairs=((0, 1), (0, 2), (1, 2)), max_length=2):
    """A model in which rules tell the two leading classes apart, and its table.

    Put together by hand, whatever `fit` would choose.
    """
    clf, X, y = by_short_scorecard()
    others = [voice for voice in clf._fitted.voices if voice.pairs is None]
    search = replace(others[1].search, max_length=max_length, features=None)
    last = Voice(search, 0.7, -4.0, others[1].is_coarse, pairs)
    n_rules = len(others) + 1
    tuning = replace(clf.tuning_, n_rules=n_rules, by_rules={1: 0.6, n_rules: 0.7})
    fitted = replace(clf._fitted, voices=(*others, last), tuning=tuning)
    return restore(PersonalRuleClassifier, clf.get_params(), fitted, has_names=True), X, y


def between_some():
    """The same where nothing was learned between most pairs of classes."""
    return between_leading(((0, 2),), 1)


MODELS = [
    by_look_alikes, by_scorecard, by_mixed_scorecard, by_short_scorecard, between_leading,
    between_some,
]  # fmt: skip


def new_rows(table, n_rows=60):
    """Rows that had no say: one of which nothing is known, few with one cell, one never seen."""
    X = table(n_rows, seed=9)[0]
    X.iloc[0] = None
    for row in range(2, 10):
        X.iloc[row, np.arange(X.shape[1]) != row % X.shape[1]] = None
    X.iloc[1, -1] = "never seen"
    return X


def ask_new(make):
    """New rows for a model, its training table and classes."""
    clf, X, y = make()
    return clf, new_rows(rings if "colour" in X else hints), X, y


def name_of(model):
    """Name a model or an estimator for a test; the same in every process."""
    return getattr(model, "__name__", str(model))
