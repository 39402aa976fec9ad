"""Only a correct model or one clear error comes out of `load`."""

import contextlib
import io
import json
import os
import struct
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import picrules
from picrules import FPICClassifier
from picrules.errors import BadModelFile, NotEnoughMemory
from picrules.explain.trust import UNKNOWN
from picrules.persist.format import ArraySpec, from_bytes
from tests.persist import damage
from tests.persist.models import small_model, small_models, table
from tests.persist.mutations import mutate
from tests.persist.whole import check_whole

STORED = Path(__file__).parent / "format_1.pic"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "small.pic"
    small_model().save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def personal_models(tmp_path_factory):
    """One rule, a scorecard, and look-alikes."""
    path, contents = tmp_path_factory.mktemp("model") / "personal.pic", []
    for fitted in small_models()[1:4]:
        fitted.save(path)
        contents.append(path.read_bytes())
    return contents


@pytest.fixture(scope="module")
def personal_model(personal_models):
    return personal_models[0]


def try_to_load(content, path, mmap=False):
    """A model that predicts, or None when the documented error was raised."""
    path.write_bytes(content)
    try:
        loaded = picrules.load(path, mmap=mmap)
        check_whole(loaded)
    except BadModelFile as error:
        assert str(error)
        return None
    return loaded


@pytest.mark.parametrize("kind", sorted({kind.__name__ for kind in damage.DAMAGES}))
def test_damaged_files_raise_the_one_error(kind, model, tmp_path):
    """A short run; `python -m benchmarks.fuzz_load` makes tens of thousands."""
    change = getattr(damage, kind)
    for seed in range(30):
        content = change(np.random.default_rng(seed), model)
        for mmap in (False, True):
            loaded = try_to_load(content, tmp_path / "damaged.pic", mmap)
            if kind in ("cut_off", "insert", "other_zip", "change_members", "change_claims"):
                assert loaded is None or content == model


@pytest.mark.parametrize("kind", sorted({kind.__name__ for kind in damage.DAMAGES}))
def test_damaged_files_of_personal_models_raise_the_one_error(kind, personal_models, tmp_path):
    change = getattr(damage, kind)
    for seed in range(24):
        content = change(np.random.default_rng(seed), personal_models[seed % 3])
        try_to_load(content, tmp_path / "damaged.pic", mmap=seed % 2 == 1)


@pytest.mark.parametrize("start", range(5))
def test_files_changed_to_what_nearly_could_be_are_whole_or_refused(start, tmp_path):
    """A short run over every estimator; `python -m benchmarks.fuzz_load` makes 20,000."""
    path, models = tmp_path / "model.pic", []
    for fitted in small_models():
        fitted.save(path)
        models.append(path.read_bytes())
    for seed in range(start, 150, 5):
        with contextlib.suppress(NotEnoughMemory):
            try_to_load(mutate(seed, models), path, mmap=seed % 2 == 1)


def test_errors_that_are_not_shared_out_are_refused(personal_model, tmp_path):
    """Such a file was opened, and gave probabilities that did not add up to 1."""

    def spoil(content, state):
        del content
        state["calibration"]["errors"][1] /= 2

    with pytest.raises(BadModelFile, match="errors that do not add up to 1"):
        path = tmp_path / "bad.pic"
        path.write_bytes(change_content(personal_model, spoil))
        picrules.load(path)


def test_every_flipped_byte_is_noticed(model, tmp_path):
    for position in range(0, len(model), 7):
        content = bytearray(model)
        content[position] ^= 0x40
        assert try_to_load(bytes(content), tmp_path / "damaged.pic") is None


def test_damaged_rows_of_a_mapped_model_are_noticed_before_they_are_used(model, tmp_path):
    text, arrays = damage.read_parts(model)
    arrays["codes"][0, 0] = 2**30
    (tmp_path / "bad.pic").write_bytes(damage.write_parts(text, arrays))
    loaded = picrules.load(tmp_path / "bad.pic", mmap=True)
    for _ in range(2):
        with pytest.raises(BadModelFile, match="codes of 'size' reach from"):
            loaded.predict(table(5))
    position = model.index(arrays["labels"].tobytes())
    flipped = model[:position] + b"\1" + model[position + 1 :]
    (tmp_path / "flipped.pic").write_bytes(flipped)
    with pytest.raises(BadModelFile, match=r"checksum of labels\.npy"):
        picrules.load(tmp_path / "flipped.pic", mmap=True).predict(table(5))


def test_errors_name_the_file_and_the_reason(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n" * 50)
    with pytest.raises(BadModelFile, match=r"table\.csv cannot be opened as a model: it does not"):
        picrules.load(path)
    path.write_text("")
    with pytest.raises(BadModelFile, match="0 bytes, fewer than the smallest model file"):
        picrules.load(path)
    with pytest.raises(FileNotFoundError):
        picrules.load(tmp_path / "none.pic")


def change_content(model, change):
    text, arrays = damage.read_parts(model)
    content = from_bytes(text)
    change(content, content["state"])
    return damage.write_parts(json.dumps(content).encode(), arrays)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c, s: c.update(format=7), "format 7 of a later version of picrules.*upgrade"),
        (lambda c, s: c.update(format=2), "its format is 2, but what it holds is format 4"),
        (lambda c, s: c.update(format="1"), "its format is '1'"),
        (lambda c, s: c.update(estimator="os.system"), "one of .*'fpic'.* is expected"),
        (lambda c, s: c.update(more=1), "the key 'more', which this format has not"),
        (lambda c, s: s.pop("n_rows"), "state.n_rows is missing"),
        (lambda c, s: s.update(n_rows=10**12), "a whole number from 1 to 2147483647"),
        (lambda c, s: s.update(n_pairs=13), "a whole number from 1 to 12"),
        (lambda c, s: s.update(n_pairs=5), r"codes\.npy is not an array .* the shape \(7, 5\)"),
        (lambda c, s: s.update(has_order=False), "has_order is False; true is expected"),
        (lambda c, s: s.update(has_order=True), r"its arrays are .*; .*'rows\.npy'\] are expected"),
        (lambda c, s: s.update(has_names=1), "true or false is expected"),
        (lambda c, s: s.update(features=[]), "no features"),
        (lambda c, s: s.update(features=[1]), "a list of objects is expected"),
        (lambda c, s: s.update(parameters=[]), "an object is expected"),
        (lambda c, s: s.update(class_sizes=[12]), "one count per class"),
        (lambda c, s: s.update(class_sizes=[1, 1, 10]), "not those of its labels"),
        (lambda c, s: s["search"].update(alpha=1.1), "a number from 0 to 1"),
        (lambda c, s: s["search"].update(max_length=8), "a whole number from 1 to 7"),
        (lambda c, s: s["parameters"].update(alpha=2), "alpha is 2"),
        (lambda c, s: s["parameters"].update(bins={"list": 3}), "not a parameter in the form"),
        (lambda c, s: s["parameters"].update(n_jobs=10**6), "at most 1024 threads"),
        (lambda c, s: s["classes"]["values"].reverse(), "not sorted, each once"),
        (lambda c, s: s["classes"].update(dtype="int8"), "a list of classes of the type int8"),
        (lambda c, s: s["classes"].update(dtype="int8", values=[0, 1, 300]), "do not fit"),
        (lambda c, s: s["classes"].update(dtype="float16", values=[0, 1, 0.1 + 1]), "not fit"),
        (lambda c, s: s["features"][0].update(name="day"), "the same name"),
        (lambda c, s: s["features"][0].update(cuts=[2, 1]), "cuts that do not increase"),
        (lambda c, s: s["features"][3].update(cuts=[1e300]), "years 1 to 9999"),
        (lambda c, s: s["features"][3].update(cuts=[0.5]), "whole microseconds"),
        (lambda c, s: s["features"][2].update(categories=[True, 1]), "a category twice"),
        (lambda c, s: s["features"][2].update(categories=[True]), "-1 to 0 are expected"),
        (lambda c, s: s["features"][2].update(kind="text"), "one of .*'category'"),
    ],
)
def test_each_value_is_checked(change, said, model, tmp_path):
    (tmp_path / "changed.pic").write_bytes(change_content(model, change))
    with pytest.raises(BadModelFile, match=said):
        picrules.load(tmp_path / "changed.pic")


def test_a_small_file_cannot_claim_a_large_array(model, tmp_path):
    content = change_content(
        model,
        lambda c, s: s.update(n_rows=2**31 - 1, n_pairs=2**31 - 1, class_sizes=[2**31 - 3, 1, 1]),
    )
    (tmp_path / "large.pic").write_bytes(content)
    with pytest.raises(BadModelFile, match=r"codes\.npy is not an array .* \(7, 2147483647\)"):
        picrules.load(tmp_path / "large.pic")
    assert ArraySpec("<i8", (2**62, 2**62)).n_bytes == 2**127


def test_members_cannot_claim_more_than_the_file_has(model, tmp_path):
    """Sizes that add up to 2**64 or more raised an error of the module that packs them."""
    start = zipfile.ZipFile(io.BytesIO(model)).start_dir
    before_sizes, huge = struct.pack("<2H", 1, 24), struct.pack("<2Q", 2**63, 2**63)
    first, *others = model[start:].split(before_sizes)
    directory = before_sizes.join([first, *(huge + piece[len(huge) :] for piece in others)])
    assert len(others) == 4
    (tmp_path / "huge.pic").write_bytes(model[:start] + directory)
    with pytest.raises(BadModelFile, match="the list of members"):
        picrules.load(tmp_path / "huge.pic")


def test_nothing_is_left_open(model, tmp_path):
    """A file that cannot be read must be closed: Windows could not delete it."""
    (tmp_path / "cut.pic").write_bytes(model[:500])
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(5):
        with pytest.raises(BadModelFile):
            picrules.load(tmp_path / "cut.pic")
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before


def test_a_stored_file_of_format_1_is_still_read():
    """Written once by the first version with model files; never to be written again."""
    loaded = picrules.load(STORED)
    assert isinstance(loaded, FPICClassifier)
    assert loaded.get_params()["bins"] == {"height": 3}
    rows = json.loads((STORED.with_suffix(".json")).read_text())
    X = pd.DataFrame([row["cells"] for row in rows], columns=loaded.feature_names_in_)
    X["day"] = pd.to_datetime(X["day"])
    explanations = loaded.explain(X)
    # Texts of explanations say more now than when these were stored.
    stored = [row["text"].replace("100.0%", "100%") for row in rows]
    told = [str(each).replace(f"\n  {UNKNOWN}", "").splitlines()[:3] for each in explanations]
    assert told == [text.splitlines() for text in stored]


# Stored files by their formats. `fpic_4` knows the order of its rows; some of 4 to 6 have grown.
FORMATS = {
    1: ["pic", "fpic", "personal"],
    2: ["scorecard", "look_alikes"],
    3: ["intervals"],
    4: ["pic_4", "fpic_4", "personal_4", "scorecard_4"],
    5: ["pic_5", "fpic_5", "personal_5"],
    6: ["scorecard_6"],
}
each_stored = pytest.mark.parametrize("name", [name for some in FORMATS.values() for name in some])


def read_stored(name, *, mmap=False):
    """Open a stored file; and tell the rows that it was asked about, and what it said of them."""
    stored = STORED.parent / "stored" / f"{name}.pic"
    text = stored.with_suffix(".json").read_text()
    # Categories with an order, here C < B < A, stood in sets then.
    text = text.replace("grade in {A, B}", 'grade > \\"C\\"')
    rows = json.loads(text.replace("grade in {B, C}", 'grade <= \\"B\\"'))
    return picrules.load(stored, mmap=mmap), rows


@pytest.mark.parametrize("number", FORMATS)
def test_stored_files_have_every_format(number):
    for name in FORMATS[number]:
        text, arrays = damage.read_parts((STORED.parent / "stored" / f"{name}.pic").read_bytes())
        assert from_bytes(text)["format"] == number
        assert ("cells" in arrays) == (number == 5)


@pytest.mark.parametrize("mmap", [False, True])
@each_stored
def test_stored_files_of_every_estimator_say_what_they_said(name, mmap, tmp_path):
    """Written before estimators had one model, or when what they hold was new; never again."""
    loaded, rows = read_stored(name, mmap=mmap)
    X = pd.DataFrame([row.pop("cells") for row in rows])
    if "day" in X:
        X["day"] = pd.to_datetime(X["day"])
    for row, explanation, probabilities in zip(
        rows, loaded.explain(X), loaded.predict_proba(X), strict=True
    ):
        told = {
            "prediction": explanation.prediction,
            "rule": str(explanation.rule),
            "score": explanation.score,
            "counts": list(explanation.class_counts.values()),
            "probabilities": probabilities.tolist(),
            "confidence": explanation.confidence,
            "contrast": [str(other.rule) for other in explanation.contrast],
        }
        # The last digits of logarithms differ between versions of NumPy.
        for key in row.keys() & {"probabilities", "confidence"}:
            assert told[key] == pytest.approx(row.pop(key), rel=1e-12)
        assert {key: told[key] for key in row} == row
    loaded.save(tmp_path / "again.pic")
    assert picrules.load(tmp_path / "again.pic").predict(X).tolist() == loaded.predict(X).tolist()


@each_stored
def test_stored_models_grow(name):
    """Rows that come and go leave them as they were, whatever their format."""
    loaded, rows = read_stored(name)
    X = pd.DataFrame([row["cells"] for row in rows])[loaded.feature_names_in_]
    X = X.assign(day=pd.to_datetime(X["day"])) if "day" in X else X
    X = X.replace("never", None)  # else it is known afterwards
    known, y = loaded.predict_proba(X), loaded.predict(X)
    sizes = loaded.class_sizes_.tolist()
    loaded.partial_fit(X, y)
    assert loaded.class_sizes_.sum() == sum(sizes) + len(X)
    loaded.forget(X, y)
    assert loaded.class_sizes_.tolist() == sizes
    # To the bit where NumPy is that of the file: what follows from rows is found anew.
    assert loaded.predict_proba(X) == pytest.approx(known, rel=1e-12)
