"""Ibis: DuckDB asks the model when a table is read; for other databases the answers are made."""

import gc

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from picrules import FPICClassifier
from picrules.distributed import asker
from tests.distributed.frames import awkward, quiet

ibis = pytest.importorskip("ibis")
pytestmark = quiet


@pytest.fixture
def asked(monkeypatch):
    """How many rows the model was asked about, call by call."""
    counts, answer = [], asker.Asker.__call__

    def count(self, X):
        counts.append(len(X))
        return answer(self, X)

    monkeypatch.setattr(asker.Asker, "__call__", count)
    return counts


def test_duckdb_asks_batch_by_batch_whenever_a_table_is_read(asked, tmp_path):
    table = awkward(5000)
    clf = FPICClassifier(max_length=2).fit(table, "state")
    told = clf.explain(ibis.memtable(table)).to_frame()
    assert not asked
    first, second = told.to_pyarrow(), told.to_pyarrow()
    assert first.equals(second)
    assert first["prediction"].to_pylist() == clf.predict(table.drop(["state"])).tolist()
    assert sum(asked) == 2 * 5000  # each row once, though it has many columns of answers
    assert max(asked) < 2500
    told.to_parquet(tmp_path / "answers.parquet")
    assert ibis.read_parquet(tmp_path / "answers.parquet").to_pyarrow().equals(first)


def test_answers_go_on_as_a_table_of_ibis(asked):
    table = awkward(400)
    clf = FPICClassifier(max_length=1).fit(table, "state")
    told = clf.predict(ibis.memtable(table))
    assert told.select("state").to_pyarrow()["state"].to_pylist() == table["state"].to_pylist()
    assert not asked  # of these no answer was needed
    found = told.filter(told.prediction != told.state).count().to_pyarrow().as_py()
    X = table.drop(["state"])
    assert found == int((clf.predict(X) != np.array(table["state"].to_pylist())).sum())


def test_a_connection_keeps_models_until_it_is_closed(tmp_path):
    """A view may ask them when the table of answers is gone."""
    table = awkward(300)
    pq.write_table(table, tmp_path / "rows.parquet")
    clf, before = FPICClassifier(max_length=1).fit(table, "state"), count_askers()
    connection = ibis.duckdb.connect()
    rows = connection.read_parquet(tmp_path / "rows.parquet")
    clf.predict(rows)  # never read, and so never kept
    assert count_askers() == before
    told = clf.predict(rows)
    expected = told.to_pyarrow()
    view = connection.create_view("answers", told)
    del told
    assert count_askers() == before + 1
    assert view.to_pyarrow().equals(expected)
    connection.disconnect()
    assert count_askers() == before


def count_askers():
    gc.collect()
    return sum(isinstance(each, asker.Asker) for each in gc.get_objects())


def test_names_that_duckdb_takes_for_the_same_are_kept_apart():
    X = pa.table({'it\'s "x"': ["u", "v"] * 4, "Größe": [1.0, 2.0, None, 4.0] * 2})
    clf = FPICClassifier(max_length=1).fit(X, np.array(["no", "No"] * 4, object))
    told = clf.predict_proba(ibis.memtable(X)).to_pyarrow()
    assert told.column_names == ["probability_No", "probability_no"]
    assert np.array_equal(np.column_stack(told.columns), clf.predict_proba(X))


def test_other_databases_have_their_answers_at_once(asked):
    table = awkward(300)
    clf = FPICClassifier(max_length=1).fit(table, "state")
    told = clf.predict(ibis.polars.connect({"rows": pl.from_arrow(table)}).table("rows"))
    assert sum(asked) == 300
    assert told.to_pyarrow()["prediction"].to_pylist() == (
        clf.predict(table.drop(["state"])).tolist()
    )
