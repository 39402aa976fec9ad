"""What can be saved, and what is said when it cannot."""

import os

import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import picrules
from picrules import FPICClassifier, PICClassifier
from picrules.errors import BadModelFile
from picrules.persist.save import save


def test_unfitted_estimators_say_so(tmp_path):
    with pytest.raises(NotFittedError):
        PICClassifier().save(tmp_path / "model.pic")
    assert os.listdir(tmp_path) == []


def test_other_objects_are_refused(tmp_path):
    class Own(FPICClassifier):
        pass

    for other in (object(), Own().fit([["a"]], ["b"])):
        with pytest.raises(BadModelFile, match="cannot be saved; PICClassifier, FPICClassifier"):
            save(other, tmp_path / "model.pic")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("alpha", 7, "alpha is 7"),
        ("bins", {"nowhere": 3}, "names the column 'nowhere'"),
        ("n_jobs", 5000, "at most 1024 threads"),
        ("verbose", print, "cannot be written"),
    ],
)
def test_a_parameter_that_could_not_be_read_is_not_written(name, value, said, tmp_path):
    fitted = FPICClassifier().fit([["a"]], ["b"]).set_params(**{name: value})
    with pytest.raises(BadModelFile, match=said):
        fitted.save(tmp_path / "model.pic")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("columns", "read_back"),
    [
        (("b",), ["b"]),
        (pd.Index(["b"]), ["b"]),
        ([False, True], [False, True]),
        ([1], [1]),
        (None, None),
        ("from_dtype", "from_dtype"),
    ],
)
def test_parameters_come_back_as_plain_values(columns, read_back, tmp_path):
    X = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    fitted = FPICClassifier(categorical_features=columns, bins={"a": 3, 1: 2}).fit(X, [0, 1])
    fitted.save(tmp_path / "model.pic")
    loaded = picrules.load(tmp_path / "model.pic")
    assert loaded.get_params()["categorical_features"] == read_back
    assert loaded.get_params()["bins"] == {"a": 3, 1: 2}
    assert loaded.schema_ == fitted.schema_


def test_parameters_that_changed_since_fit_change_no_prediction(tmp_path):
    X = [["a", "c"], ["a", "d"], ["b", "d"]]
    fitted = FPICClassifier(alpha=0.1).fit(X, [0, 1, 1])
    before = list(fitted.explain(X))
    fitted.set_params(alpha=0.95, max_length=1).save(tmp_path / "model.pic")
    loaded = picrules.load(tmp_path / "model.pic")
    assert list(loaded.explain(X)) == before
    assert loaded.alpha == 0.95
