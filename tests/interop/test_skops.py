"""Models written and read by skops, which builds only types that are trusted."""

import io
import json
import zipfile

import numpy as np
import pytest
from sklearn.base import clone

import picrules
from picrules import FPICClassifier
from picrules.errors import BadModelFile
from tests.interop.models import ESTIMATORS, say, tumours

sio = pytest.importorskip("skops.io")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_models_say_the_same_after_skops(estimator, tmp_path):
    """Kinds of columns were compared by identity, and "numbers" were not "numbers"."""
    X, y = tumours()
    clf = clone(estimator).fit(X, y)
    sio.dump(clf, tmp_path / "model.skops")
    untrusted = sio.get_untrusted_types(file=tmp_path / "model.skops")
    assert set(untrusted) <= set(picrules.trusted_types())
    loaded = sio.load(tmp_path / "model.skops", trusted=picrules.trusted_types())
    assert say(loaded, X) == say(clf, X)
    assert loaded.feature_names_in_.tolist() == X.columns.tolist()


def test_an_estimator_that_is_not_fitted_stays_so():
    loaded = sio.loads(sio.dumps(FPICClassifier(bins=3)), trusted=picrules.trusted_types())
    assert loaded.get_params() == FPICClassifier(bins=3).get_params()
    assert not hasattr(loaded, "classes_")


def test_what_was_learned_is_checked_as_in_a_model_file():
    """Else a skops file could hand codes to the kernels that lie outside of their tables."""
    X, y = tumours(40)
    content = sio.dumps(FPICClassifier().fit(X, y))
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name != "schema.json":
                array = np.load(io.BytesIO(part), allow_pickle=False)
                if array.dtype == np.uint8 and array.size > 1000:
                    array = array.copy()
                    array[-600] ^= 255
                    part = io.BytesIO()
                    np.save(part, array)
                    part = part.getvalue()
            new.writestr(name, part)
    assert "_file" in json.dumps(json.loads(zipfile.ZipFile(changed).read("schema.json")))
    with pytest.raises(BadModelFile, match="damaged"):
        sio.loads(changed.getvalue(), trusted=picrules.trusted_types())
