"""Model files of counts in place of rows: what is read answers as what was written."""

import json

import numpy as np
import pandas as pd
import pytest

import picrules
from picrules import FPICClassifier, PICClassifier
from picrules.errors import BadModelFile
from picrules.persist.format import from_bytes
from tests.persist import damage
from tests.persist.models import classes, table


@pytest.fixture
def path(tmp_path):
    X = table(80)
    clf = FPICClassifier(bins=2, max_length=2, keep_rows=False).fit(X, classes(X))
    clf.save(tmp_path / "model.pic")
    return tmp_path / "model.pic"


@pytest.mark.parametrize("estimator", [FPICClassifier, PICClassifier])
@pytest.mark.parametrize("mmap", [False, True])
def test_what_is_read_answers_as_what_was_written(estimator, mmap, tmp_path):
    X, asked = table(80), table(20, seed=1)
    clf = estimator(max_length=2, keep_rows=False).fit(X, classes(X))
    clf.save(tmp_path / "one.pic")
    loaded = picrules.load(tmp_path / "one.pic", mmap=mmap)
    told = [[one.to_dict() for one in each.explain(asked)] for each in (clf, loaded)]
    assert told[0] == told[1]
    assert loaded._fitted.training.counts.longest == clf._fitted.training.counts.longest
    loaded.save(tmp_path / "two.pic")
    assert (tmp_path / "one.pic").read_bytes() == (tmp_path / "two.pic").read_bytes()


def test_the_order_of_the_rows_does_not_change_the_file(path, tmp_path):
    X = table(80).sample(frac=1, random_state=0)
    clf = FPICClassifier(bins=2, max_length=2, keep_rows=False).fit(X, classes(X))
    clf.save(tmp_path / "other.pic")
    assert (tmp_path / "other.pic").read_bytes() == path.read_bytes()


def test_the_size_of_the_file_does_not_grow_with_the_rows(tmp_path):
    sizes = []
    for n_rows in (30_000, 60_000):
        rng = np.random.default_rng(n_rows)
        X = pd.DataFrame(rng.random((n_rows, 4)), columns=list("abcd"))
        clf = FPICClassifier(bins=50, max_length=1, keep_rows=False).fit(
            X, rng.random(n_rows) > 0.5
        )
        clf.save(tmp_path / "model.pic")
        sizes.append((tmp_path / "model.pic").stat().st_size)
    assert sizes[1] < 1.01 * sizes[0]


def test_counts_of_other_rows_are_refused(path):
    text, arrays = damage.read_parts(path.read_bytes())
    cells = arrays["cells"]
    changed = {**arrays, "cells": np.append(cells[:-1], cells[-1] + 1).astype("<u4")}
    path.write_bytes(damage.write_parts(text, changed))
    with pytest.raises(BadModelFile, match="its class_sizes are not those of its cells"):
        picrules.load(path)


def test_counts_do_not_go_with_rows_in_order(path):
    text, arrays = damage.read_parts(path.read_bytes())
    content = from_bytes(text)
    content["state"]["has_order"] = True
    path.write_bytes(damage.write_parts(json.dumps(content).encode(), arrays))
    with pytest.raises(BadModelFile, match="has_counts does not go with"):
        picrules.load(path)
