import json

import numpy as np

from picrules import FPICClassifier
from tests.cli.running import fit, run


def test_a_model_is_described(tmp_path):
    model = fit(tmp_path, "--alpha", "0.8", "--estimator", "fpic")
    text = run("info", model).stdout
    assert "format 4" in text
    assert "fpic: alpha 0.8" in text
    assert "Trained on  60 rows" in text
    assert 'zip     category  "01000", "01001", "01002", "01003"' in text
    assert "day     date      cut at 2020-" in text
    content = json.loads(run("info", model, "--json").stdout)
    assert content["parameters"]["alpha"] == 0.8
    assert [feature["kind"] for feature in content["features"]] == [
        "number", "category", "date", "category",
    ]  # fmt: skip
    assert content["bytes"] == model.stat().st_size


def test_columns_without_parts_and_with_many_are_described(tmp_path):
    X = np.array([[np.nan, 1.0, 0.0], [np.nan, 1.0, 100.0]])
    FPICClassifier(bins=20).fit(X, [0, 1]).save(tmp_path / "m.pic")
    text = run("info", tmp_path / "m.pic").stdout
    assert "always missing in training" in text
    assert "one part" in text
    assert "(19 in all)" in text


def test_a_damaged_model_is_not_described(tmp_path):
    model = fit(tmp_path)
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 1
    model.write_bytes(content)
    assert "is damaged" in run("info", model, code=1).stderr
