"""A loaded model is the saved one, to the bit, here and in another process."""

import io
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import picrules
from picrules import FPICClassifier
from tests.persist.models import ESTIMATORS, classes, table

MODELS = Path(__file__).with_name("models.py")
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
either_way = pytest.mark.parametrize("mmap", [False, True], ids=["read", "mapped"])


def assert_same(loaded, fitted, X):
    assert type(loaded) is type(fitted)
    assert loaded.get_params() == fitted.get_params()
    assert loaded.schema_ == fitted.schema_
    assert loaded.classes_.dtype == fitted.classes_.dtype
    assert loaded.classes_.tolist() == fitted.classes_.tolist()
    assert loaded.n_features_in_ == fitted.n_features_in_
    assert list(loaded.explain(X)) == list(fitted.explain(X))
    assert loaded.predict(X).tolist() == fitted.predict(X).tolist()
    assert loaded.predict_proba(X).tobytes() == fitted.predict_proba(X).tobytes()


@each_estimator
@either_way
def test_loaded_estimator_explains_as_the_saved_one(estimator, mmap, tmp_path):
    X = table()
    fitted = clone(estimator).fit(X, classes(X))
    fitted.save(tmp_path / "model.pic")
    loaded = picrules.load(tmp_path / "model.pic", mmap=mmap)
    assert_same(loaded, fitted, table(40, seed=1))
    assert loaded.feature_names_in_.tolist() == fitted.feature_names_in_.tolist()
    if fitted.engine != "auto":
        assert loaded.engine_ == fitted.engine_


@pytest.mark.parametrize("kind", ["text", "str", "boolean", "int8", "uint64", "float32"])
def test_classes_keep_their_type(kind, tmp_path):
    X = table()
    fitted = FPICClassifier(max_length=1).fit(X, classes(X, kind))
    fitted.save(tmp_path / "model.pic")
    assert_same(picrules.load(tmp_path / "model.pic"), fitted, X)


@pytest.mark.slow
@each_estimator
def test_explanations_are_equal_in_another_process(estimator, tmp_path):
    X = table()
    fitted = clone(estimator).fit(X, classes(X))
    fitted.save(tmp_path / "model.pic", keep_order=True)
    code = (
        "import runpy, sys, picrules\n"
        # By its file: some packages bring a 'tests' of their own.
        "X = runpy.run_path(sys.argv[2])['table'](40, seed=1)\n"
        "clf = picrules.load(sys.argv[1])\n"
        "told = [each.to_dict() for each in clf.explain(X)]\n"
        "text = repr(told) + repr(clf.predict_proba(X).tobytes())\n"
        "print(text.encode('unicode_escape').decode('ascii'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "model.pic", MODELS],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    X_new = table(40, seed=1)
    told = [each.to_dict() for each in fitted.explain(X_new)]
    text = repr(told) + repr(fitted.predict_proba(X_new).tobytes())
    assert done.stdout.strip() == text.encode("unicode_escape").decode("ascii")


def test_a_table_without_names_stays_one(tmp_path):
    fitted = FPICClassifier().fit(np.array([[1.0, 2.0], [3.0, 4.0]]), [0, 1])
    fitted.save(tmp_path / "model.pic")
    loaded = picrules.load(tmp_path / "model.pic")
    assert not hasattr(loaded, "feature_names_in_")
    assert loaded.predict([[1.0, 2.0]]).tolist() == [0]


def test_same_model_gives_the_same_bytes(tmp_path):
    X = table()
    for name in ("one.pic", "two.pic"):
        FPICClassifier().fit(X, classes(X)).save(tmp_path / name)
    picrules.load(tmp_path / "one.pic").save(tmp_path / "three.pic")
    first, second, third = (
        (tmp_path / name).read_bytes() for name in ("one.pic", "two.pic", "three.pic")
    )
    assert first == second == third


def test_other_programs_can_open_the_archive(tmp_path):
    X = table()
    fitted = FPICClassifier().fit(X, classes(X))
    fitted.save(tmp_path / "model.pic")
    with zipfile.ZipFile(tmp_path / "model.pic") as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names == ["model.json", "codes.npy", "labels.npy", "occurrences.npy"]
        codes, labels, occurrences = (np.load(io.BytesIO(archive.read(name))) for name in names[1:])
    assert codes.shape == (X.shape[1], len(labels))
    assert codes.dtype == np.int32
    assert occurrences.sum() == len(X)
    pairs = list(zip(*codes.tolist(), labels.tolist(), strict=True))
    assert pairs == sorted(set(pairs))


def test_fitting_again_and_pickling_work_after_loading(tmp_path):
    X = table()
    fitted = FPICClassifier().fit(X, classes(X))
    fitted.save(tmp_path / "model.pic")
    mapped = picrules.load(tmp_path / "model.pic", mmap=True)
    assert_same(pickle.loads(pickle.dumps(mapped)), fitted, X)
    again = mapped.fit(X[:30], classes(X)[:30])
    assert list(again.explain(X)) == list(FPICClassifier().fit(X[:30], classes(X)[:30]).explain(X))


def test_a_mapped_model_survives_a_new_file_in_its_place(tmp_path):
    X = table()
    fitted = FPICClassifier().fit(X, classes(X))
    fitted.save(tmp_path / "model.pic")
    mapped = picrules.load(tmp_path / "model.pic", mmap=True)
    FPICClassifier(max_length=1).fit(X[:3], classes(X)[:3]).save(tmp_path / "model.pic")
    assert list(mapped.explain(X)) == list(fitted.explain(X))
