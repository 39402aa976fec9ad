"""The data sets are the paper's, wherever they come from."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from experiments import openml
from experiments.datasets import NAMES, UnknownDataset, folder, load_dataset
from experiments.generated import GENERATED
from experiments.printed import paper_tables
from experiments.sizes import NOTES, size_table

with_folder = pytest.mark.skipif(folder() is None, reason="no data folder (PICRULES_DATA)")


def rows(frame):
    return set(map(tuple, frame.to_numpy(object)))


@pytest.fixture
def no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("PICRULES_DATA", str(tmp_path))


def test_tictactoe_has_the_published_numbers_of_wins():
    counts = GENERATED["tictactoe"]()["class"].value_counts()
    assert counts.to_dict() == {"positive": 626, "negative": 332}


@pytest.mark.parametrize(("name", "share"), [("monks_1", 216), ("monks_2", 142), ("monks_3", 228)])
def test_monks_have_the_published_numbers_of_members(name, share):
    frame = GENERATED[name]()
    assert (len(frame), (frame["class"] == "1").sum()) == (432, share)


@with_folder
def test_generated_tictactoe_has_the_rows_of_the_file():
    data = load_dataset("tictactoe")
    assert rows(GENERATED["tictactoe"]()) == rows(data.X.assign(target=data.y))


@with_folder
def test_generated_monks_are_the_noise_free_rows_of_the_file():
    data = load_dataset("monks")
    noise_free = data.X.assign(target=data.y).iloc[122:]
    assert rows(GENERATED["monks_3"]()) == rows(noise_free)


def test_tictactoe_needs_no_folder(no_folder):
    data = load_dataset("tictactoe")
    assert data.X.shape == (958, 9)


def test_unknown_name_lists_what_there_is(no_folder):
    with pytest.raises(UnknownDataset, match=r"'tennis'.*tictactoe.*mushroom"):
        load_dataset("tennis")


@with_folder
@pytest.mark.parametrize("name", ["liver", "monks", "vote", "breastcancer"])
def test_files_have_the_pinned_fingerprint(name):
    data = load_dataset(name)
    assert openml.fingerprint(data.X, data.y) == openml.sources()[name]["fingerprint"]


def as_openml_has_it(name):
    """Our table with OpenML's names, classes, types and another order of the rows."""
    data, source = load_dataset(name), openml.sources()[name]
    back = {ours: theirs for theirs, ours in source.get("classes", {}).items()}
    frame = data.X.copy()
    frame.columns = [f"V{i}" for i in range(frame.shape[1])]
    frame[source["target"]] = pd.Categorical([back.get(label, label) for label in data.y])
    return frame.sample(frac=1, random_state=0)


@with_folder
@pytest.mark.parametrize("name", ["transfusion", "monks", "vote"])
def test_openml_tables_become_ours(name, monkeypatch):
    expected, theirs = load_dataset(name), as_openml_has_it(name)
    monkeypatch.setattr(openml, "fetch_openml", lambda **_: SimpleNamespace(frame=theirs))
    frame = openml.fetch_table(name)
    assert rows(frame.fillna("")) == rows(expected.X.assign(target=expected.y).fillna(""))


@with_folder
def test_other_cells_are_refused(monkeypatch):
    theirs = as_openml_has_it("transfusion")
    theirs.iloc[0, 0] += 1
    monkeypatch.setattr(openml, "fetch_openml", lambda **_: SimpleNamespace(frame=theirs))
    with pytest.raises(openml.WrongTable, match=r"1464.*PICRULES_DATA"):
        openml.fetch_table("transfusion")


def test_fingerprint_ignores_the_order_of_rows_but_no_cell():
    X, y = pd.DataFrame({"a": [1, 2], "b": ["x", None]}), np.array(["n", "y"], object)
    same = openml.fingerprint(X.iloc[::-1].astype({"a": float}), y[::-1])
    assert openml.fingerprint(X, y) == same
    assert openml.fingerprint(X, y[::-1]) != same


@with_folder
@pytest.mark.slow
def test_every_difference_in_size_has_a_note():
    table = size_table()
    assert list(table["data set"]) == [*NAMES, "gene"] == list(paper_tables()["sizes"])
    assert set(table.loc[table["differs"] == "yes", "data set"]) <= set(NOTES)
