"""Model files made to harm: none takes much memory, goes on for ever, or ends the process."""

import json
import re
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import picrules
from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import NumberFeature, Schema
from picrules.engines.base import Search
from picrules.errors import BadModelFile, NotEnoughMemory
from picrules.estimators.fitted import Voice
from picrules.persist import load as loading
from picrules.persist import rows
from picrules.persist.format import from_bytes
from picrules.persist.voices import check_lengths
from picrules.scoring.settings import Setting
from tests.persist import damage
from tests.persist.models import small_models, table

# Python's hash of whole numbers is the remainder by this.
MODULUS = 2**61 - 1


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """The JSON and the arrays of fPIC, one personal rule, a scorecard and look-alikes."""
    path, parts = tmp_path_factory.mktemp("model") / "model.pic", []
    for model in small_models():
        model.save(path)
        parts.append(damage.read_parts(path.read_bytes()))
    return parts


@pytest.fixture
def write_changed(contents, tmp_path):
    """Write the model at a position with its state changed, and right checksums."""

    def write(position, change):
        text, arrays = contents[position]
        content = from_bytes(text)
        change(content["state"])
        path = tmp_path / "changed.pic"
        path.write_bytes(damage.write_parts(json.dumps(content).encode(), arrays))
        return path

    return write


@pytest.mark.parametrize("position", range(4))
def test_very_many_cuts_take_little_memory(position, write_changed):
    """Each threshold was listed for each code it holds: 20,000 cuts took 6.4 GB."""
    path = write_changed(position, lambda state: state["features"][0].update(cuts=[*range(20_000)]))
    tracemalloc.start()
    try:
        loaded = picrules.load(path)
        X = table(5, seed=3)
        assert [each.prediction for each in loaded.explain(X)] == loaded.predict(X).tolist()
    except BadModelFile as error:  # cuts at quantiles lie between rows; widths need intervals
        assert position > 0
        assert re.search(r"'size'(, whose| has) 20001 codes", str(error))
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 60 * 2**20


def test_very_many_categories_of_few_rows_take_little_memory(write_changed):
    """Scores of all cells were kept for the contrast: 150 MB for 12 training rows."""
    many = {"categories": [f"v{number}" for number in range(20_000)]}
    path = write_changed(0, lambda state: state["features"][5].update(many))
    tracemalloc.start()
    try:
        loaded = picrules.load(path)
        for explanation in loaded.explain(table(5, seed=3)):
            assert explanation.to_dict()["contrast"]
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 60 * 2**20


@pytest.mark.parametrize("position", range(4))
def test_categories_of_one_hash_are_refused(position, write_changed):
    """50,000 of them took 22 s: a dict compares each with all before it."""
    categories = [number * MODULUS for number in range(50_000)]
    path = write_changed(position, lambda state: state["features"][1].update(categories=categories))
    with pytest.raises(BadModelFile, match=r"features\[1\] has more than 100 values of one hash"):
        picrules.load(path)


def test_parameters_of_one_hash_are_refused(write_changed):
    bins = {"pairs": [[number * MODULUS, 2] for number in range(50_000)]}
    path = write_changed(0, lambda state: state["parameters"].update(bins=bins))
    with pytest.raises(BadModelFile, match="a parameter has more than 100 values of one hash"):
        picrules.load(path)


def test_large_numbers_that_a_table_has_by_chance_are_categories(tmp_path):
    cells = np.array([*(number * MODULUS for number in range(100)), "x"], object)
    fitted = FPICClassifier().fit(cells[:, np.newaxis], np.arange(101) % 2)
    fitted.save(tmp_path / "model.pic")
    assert picrules.load(tmp_path / "model.pic").schema_ == fitted.schema_


@pytest.mark.parametrize("length", [3, 30, 40])
def test_rules_longer_than_fit_would_try_are_refused(length, tmp_path):
    """Predicting with a length of 30 never ended."""
    X = np.random.default_rng(0).integers(0, 5, (60, 40)).astype(float)
    fixed = {"cuts": 8, "max_length": 1, "alpha": 1, "smoothing": 1, "look_alikes": False}
    PersonalRuleClassifier(**fixed).fit(X, X[:, 0] > 2).save(tmp_path / "model.pic")
    text, arrays = damage.read_parts((tmp_path / "model.pic").read_bytes())
    content = from_bytes(text)
    tuning = content["state"]["tuning"]
    tuning["candidates"][tuning["chosen"]]["max_length"] = length
    content["state"]["parameters"]["max_length"] = length
    (tmp_path / "long.pic").write_bytes(damage.write_parts(json.dumps(content).encode(), arrays))
    if length == 3:
        assert picrules.load(tmp_path / "long.pic").max_length_ == 3
        return
    with pytest.raises(BadModelFile, match=r"max_length is \d+, but \d conditions make \d+ rules"):
        picrules.load(tmp_path / "long.pic")


def test_the_rules_of_each_voice_are_counted():
    schema = Schema(tuple(NumberFeature(f"n{at}", tuple(range(2000))) for at in range(4)))
    setting, fine = Setting("evidence", 1.0, 2.0), Conditions(schema)
    for length in (1, 2, 3, 4):
        voice = Voice(Search(setting, length, is_by_class=True, features=tuple(range(length))))
        if length < 3:
            check_lengths([voice], fine, None, n_classes=2)
            continue
        with pytest.raises(BadModelFile, match=r"conditions make \d+ rules; at most"):
            check_lengths([voice], fine, None, n_classes=2)


@pytest.mark.parametrize("number", [1e308, 1e-308, 1e10, -1.0, 0.0])
def test_weights_that_no_fit_has_are_refused(number, write_changed):
    """Weights of 1e308 gave scores that are no numbers."""
    path = write_changed(1, lambda state: state["class_weights"].__setitem__(0, number))
    with pytest.raises(BadModelFile, match="its class_weights are not from 1e-09 to"):
        picrules.load(path)


@pytest.mark.parametrize("position", [1, 2, 3])
def test_probabilities_that_nothing_makes_flat_are_refused(position, write_changed):
    """Without weights the predicted class is the most probable one."""
    path = write_changed(position, lambda state: state["calibration"].update(is_peaked=False))
    with pytest.raises(BadModelFile, match="is_peaked is false"):
        picrules.load(path)


@pytest.mark.parametrize("leads", [[1e308], [-1e308, 1e308], [2e6], [-1.0]])
def test_leads_that_no_prediction_has_are_refused(leads, write_changed):
    curve = {"leads": leads, "shares": [0.5] * len(leads), "sizes": [1] * len(leads)}
    path = write_changed(1, lambda state: state["calibration"]["curves"].__setitem__(0, curve))
    with pytest.raises(BadModelFile, match=r"leads that are not from 0 to 1e\+06"):
        picrules.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state["features"][0].update(name="\ud800"),
        lambda state: state["features"][1].update(categories=["a", "b\udfff", "c", "d", "e"]),
        lambda state: state["classes"].update(values=["a", "b", "c\ud83d"]),
        lambda state: state["parameters"].update(categorical_features={"list": ["\ud800"]}),
    ],
)
def test_halves_of_characters_are_refused(change, write_changed):
    """Such a file was opened, and then no command could print anything about it."""
    with pytest.raises(BadModelFile) as refusal:
        picrules.load(write_changed(0, change))
    str(refusal.value).encode()


def test_a_name_with_half_of_a_character_is_not_written(tmp_path):
    fitted = FPICClassifier().fit([["\ud800"], ["b"]], [0, 1])
    with pytest.raises(BadModelFile, match="categories is"):
        fitted.save(tmp_path / "model.pic")


def test_rows_that_do_not_fit_into_memory_are_refused(write_changed, monkeypatch):
    """A file with holes can be larger than any memory, and nearly nothing on the disk."""
    path = write_changed(0, lambda state: None)
    monkeypatch.setattr(rows, "free_memory", lambda: 100)
    for mmap in (False, True):
        with pytest.raises(NotEnoughMemory, match=r"the training rows take 0\.0 GiB"):
            picrules.load(path, mmap=mmap)
    monkeypatch.setattr(loading, "free_memory", lambda: 100)
    with pytest.raises(NotEnoughMemory, match="its description has 0 MiB"):
        picrules.load(path)


OVERWRITE = """
import sys
import pandas as pd, picrules
from picrules.errors import BadModelFile
path, moment, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
X = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": ["u", "v", "u"]})
loaded = picrules.load(path, mmap=True)
expected = [1, 1, 0]
if moment == "later":
    assert loaded.predict(X).tolist() == expected
with open(path, "r+b") as file:
    file.truncate(0)
    file.write(b"\\x7f" * size)
try:
    print(loaded.predict(X).tolist() == expected)
except BadModelFile as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("size", [0, 50, 1_000_000])
@pytest.mark.parametrize("moment", ["now", "later"])
def test_a_file_that_is_overwritten_in_place_ends_no_process(moment, size, tmp_path):
    """`cp` over a file that was mapped ended the process, or let kernels read anything."""
    X = np.array([[0.0, "u"], [1.0, "v"], [2.0, "u"], [3.0, "v"]] * 5000, object)
    clf = FPICClassifier(bins=4, max_length=1).fit(X, [1, 1, 0, 0] * 5000)
    clf.save(tmp_path / "model.pic")
    command = [sys.executable, "-c", OVERWRITE, tmp_path / "model.pic", moment, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = {"now": "BadModelFile", "later": "True"}[moment]
    assert done.stdout.startswith(said)
