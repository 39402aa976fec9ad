"""A Dask cluster of two worker processes: equal to one process, whatever happens to a worker."""

import os
import signal
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import polars as pl
import pytest
from pyarrow import csv, parquet
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, load
from picrules.cli import parts
from picrules.cli.options import Learning, Reading
from picrules.cli.parts import fit_parts
from picrules.engines.draws import Draws
from picrules.engines.holding import Holding
from picrules.errors import BadTable, NotEnoughMemory
from tests.cli.running import run
from tests.distributed.frames import awkward, to_arrow, to_pandas

dask = pytest.importorskip("dask")
dataframe = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    """A scheduler and two processes on this machine alone."""
    settings = {"distributed.comm.timeouts.connect": "60s", "distributed.worker.daemon": True}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def file_of(clf, folder):
    clf.save(folder / "model.pic")
    return (folder / "model.pic").read_bytes()


def die_once(rows, mark):
    """Kill the worker that comes here first, by the signal that cannot be caught."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return rows


def deadly(frame, mark):
    """The same frame, of which a partition kills its first worker."""
    return frame.map_partitions(
        lambda rows, partition_info=None: (
            die_once(rows, mark) if partition_info and partition_info["number"] == 4 else rows
        ),
        meta=frame._meta,
    )


COUNTED = FPICClassifier(max_length=2, keep_rows=False)


@dataclass(frozen=True)
class DeadlyHolding(Holding):
    """Counts rows, and kills the worker that first has done so, or that first merges counts."""

    mark: Path = Path()
    method: str = "gather"
    home: int = 0  # the process that waits for the workers

    def gather(self, *given):
        return self.die_once("gather", super().gather(*given))

    def merge(self, parts, n_codes):
        return self.die_once("merge", super().merge(parts, n_codes))

    def die_once(self, method, training):
        assert training.counts is not None
        assert os.getpid() != self.home
        return die_once(training, self.mark) if method == self.method else training


def look_twice(frame, mark, change):
    """The same frame; a partition is another one when it is read for the third time: to count."""

    def read(rows, partition_info=None):
        if partition_info and partition_info["number"] == 2:
            with mark.open("ab") as file:
                file.write(b".")
            return change(rows) if mark.stat().st_size > 2 else rows
        return rows

    return frame.map_partitions(read, meta=frame._meta, enforce_metadata=False)


@pytest.mark.parametrize(
    "estimator", [FPICClassifier(), COUNTED, PersonalRuleClassifier(max_length=2, cuts=8)]
)
def test_a_killed_worker_costs_time_alone(estimator, client, tmp_path):
    table = awkward(2000)
    frame = dataframe.from_pandas(to_pandas(table), npartitions=9, sort=False)
    expected = file_of(estimator.fit(table, "state"), tmp_path)
    answers = estimator.explain(table.drop(["state"])).to_frame("pyarrow")
    mark = tmp_path / "fit"
    assert file_of(estimator.fit(deadly(frame, mark), "state"), tmp_path) == expected
    assert mark.exists()
    mark = tmp_path / "predict"
    told = to_arrow(estimator.explain(deadly(frame, mark)).to_frame())
    assert mark.exists()
    assert told["rule"].to_pylist() == answers["rule"].to_pylist()
    assert told["prediction"].to_pylist() == answers["prediction"].to_pylist()


@pytest.mark.parametrize("method", ["gather", "merge"])
def test_a_worker_killed_while_it_counts_tables_costs_time_alone(method, client, tmp_path):
    """When it has counted a partition, or when it adds up what others have counted."""
    table, mark = awkward(2000), tmp_path / "killed"
    frame = dataframe.from_pandas(to_pandas(table), npartitions=18, sort=False)
    expected = file_of(clone(COUNTED).fit(table, "state"), tmp_path)

    def hold(clf, conditions, max_length, classes):
        make = partial(Draws.of, conditions, classes)
        own = {"mark": mark, "method": method, "home": os.getpid(), "make_draws": make}
        return DeadlyHolding(clf.keep_rows, max_length, 2**30, **own)

    with patch.object(FPICClassifier, "_make_holding", hold):
        clf = clone(COUNTED).fit(frame, "state")
    assert mark.exists()
    assert file_of(clf, tmp_path) == expected


@pytest.mark.parametrize("estimator", [FPICClassifier(), COUNTED])
def test_a_partition_that_changes_until_it_is_counted_is_named(estimator, client, tmp_path):
    frame = dataframe.from_pandas(to_pandas(awkward(90)), npartitions=4, sort=False)
    changes = {
        "lacks the column 'town'; it has age, dose": lambda rows: rows.drop(columns="town"),
        "its column 'dose' has the type object": lambda rows: rows.assign(
            dose=rows["dose"].astype(str).astype(object)
        ),
    }
    for number, (told, change) in enumerate(changes.items()):
        other = look_twice(frame, tmp_path / f"read-{number}", change)
        with pytest.raises(BadTable, match=f"partition 2: .*{told}"):
            estimator.fit(other, "state")
        assert (tmp_path / f"read-{number}").stat().st_size == 3


def test_a_partition_of_another_kind_is_named(client, tmp_path):
    rows = to_pandas(awkward(90))
    others = {
        "lacks the column 'town'; it has age, dose": rows.drop(columns="town"),
        "its column 'dose' has the type object": rows.assign(dose=["much"] * 90).astype(
            {"dose": object}
        ),
    }
    for told, other in others.items():
        parts = [dask.delayed(part) for part in (rows, rows, other, rows)]
        frame = dataframe.from_delayed(parts, meta=rows.iloc[:0], verify_meta=False)
        with pytest.raises(BadTable, match=f"partition 2: .*{told}"):
            FPICClassifier().fit(frame, "state")


@pytest.mark.parametrize("limit", [4_000, 10_000])
def test_workers_say_that_neither_rows_nor_counts_fit(limit, client):
    """Those of one partition, or of several that meet; the error could not be told as it is."""
    frame = dataframe.from_pandas(to_pandas(awkward(400)), npartitions=4, sort=False)
    with pytest.raises(NotEnoughMemory, match=r"^the counts of all sets of up to 3 features need"):
        FPICClassifier(memory_limit=limit).fit(frame, "state")


def test_a_part_that_cannot_be_read_is_named(client, tmp_path):
    """And so is a file that a worker reads for the command line."""
    table = awkward(90)
    for number in range(4):
        parquet.write_table(table, tmp_path / f"part-{number}.parquet")
    frame = dataframe.read_parquet(tmp_path / "part-*.parquet")
    assert FPICClassifier().fit(frame, "state").class_sizes_.sum() == 360
    damaged = tmp_path / "part-2.parquet"
    damaged.write_bytes(damaged.read_bytes()[:500] + bytes(500))
    with pytest.raises(BadTable, match="partition 2 cannot be read: "):
        FPICClassifier().fit(frame, "state")
    files = (tmp_path / "part-*.parquet", "--target", "state", "-o", tmp_path / "m.pic")
    where = ("--cluster", client.scheduler.address, "--estimator", "fpic")
    told = run("fit", *files, *where, code=1).stderr
    assert f"{damaged} cannot be read" in told
    assert not (tmp_path / "m.pic").exists()


def test_files_are_learned_by_a_cluster(client, tmp_path):
    table = awkward(90)
    for number in range(3):
        parquet.write_table(table.slice(30 * number, 30), tmp_path / f"part-{number}.parquet")
    files = (tmp_path / "part-*.parquet", "--target", "state", "-o", tmp_path / "m.pic")
    run("fit", *files, "--cluster", client.scheduler.address, "--estimator", "fpic")
    expected = file_of(FPICClassifier(n_jobs=-1).fit(table, "state"), tmp_path)
    assert (tmp_path / "m.pic").read_bytes() == expected


def test_files_are_counted_by_a_cluster(client, tmp_path, monkeypatch):
    """Each worker counts its files batch by batch, and counts are all that travels."""
    monkeypatch.setattr(parts, "_ROWS_AT_ONCE", 37)
    table = awkward(200)
    for number, (start, size) in enumerate([(0, 150), (150, 1), (151, 49)]):
        parquet.write_table(table.slice(start, size), tmp_path / f"part-{number}.parquet")
    files = sorted(map(str, tmp_path.glob("*.parquet")))
    expected = file_of(clone(COUNTED).fit(table, "state"), tmp_path)
    for address in (client.scheduler.address, None):
        clf = clone(COUNTED)
        fit_parts(clf, files, Learning("state"), Reading(), address, lambda _classes: None)
        assert file_of(clf, tmp_path) == expected


@pytest.mark.parametrize("estimator", ["pic", "fpic", "personal"])
def test_files_are_counted_by_a_cluster_as_by_one_process(estimator, client, tmp_path):
    table, data = awkward(90), tmp_path / "part-*.parquet"
    for number in range(3):
        parquet.write_table(table.slice(30 * number, 30), tmp_path / f"part-{number}.parquet")
    words = ("fit", data, "-t", "state", "--estimator", estimator, "--max-length", "2")
    words += ("--bins", "4", "--keep-rows", "no", "-o")
    run(*words, tmp_path / "one.pic", "--whole", "--folds", "0")
    run(*words, tmp_path / "all.pic", "--cluster", client.scheduler.address)
    assert (tmp_path / "all.pic").read_bytes() == (tmp_path / "one.pic").read_bytes()
    assert load(tmp_path / "all.pic")._model.training.counts is not None


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_without_rows_is_one_among_others(kind, client, tmp_path):
    """A worker refused it, where one process does not; files without any rows still are."""
    table = awkward(90).select(["age", "town", "state"])
    write_file = {"csv": csv.write_csv, "parquet": parquet.write_table}[kind]
    for number, (start, size) in enumerate([(0, 0), (0, 40), (40, 0), (40, 50)]):
        write_file(table.slice(start, size), tmp_path / f"part-{number}.{kind}")
    words = ("--target", "state", "--estimator", "fpic", "-o")
    where = ("--cluster", client.scheduler.address)
    run("fit", tmp_path / f"part-*.{kind}", *words, tmp_path / "one.pic", "--in-parts")
    run("fit", tmp_path / f"part-*.{kind}", *words, tmp_path / "all.pic", *where)
    assert (tmp_path / "all.pic").read_bytes() == (tmp_path / "one.pic").read_bytes()
    empty = [tmp_path / f"part-{number}.{kind}" for number in (0, 2)]
    for files in (empty, empty[:1]):
        for how in (("--in-parts",), where):
            told = run("fit", *files, *words, tmp_path / "none.pic", *how, code=1).stderr
            assert "it names columns and has no rows; at least one row is needed" in told
            assert files[0].name in " ".join(told.split())
    assert not (tmp_path / "none.pic").exists()


def test_files_are_answered_by_a_cluster(client, tmp_path):
    """In the order of the files, which have fewer rows, or more, than one another."""
    table = awkward(90)
    (clf := FPICClassifier()).fit(table, "state").save(tmp_path / "m.pic")
    for number, (start, size) in enumerate([(0, 40), (40, 0), (40, 50)]):
        parquet.write_table(table.slice(start, size), tmp_path / f"part-{number}.parquet")
    words = ("predict", tmp_path / "m.pic", tmp_path / "part-*.parquet", "--probabilities")
    words += ("--keep", "state", "-o")
    told = run(*words, tmp_path / "a.csv").stderr
    address = client.scheduler.address
    assert run(*words, tmp_path / "b.csv", "--cluster", address).stderr == told.replace(
        "a.csv", "b.csv"
    )
    assert (tmp_path / "b.csv").read_bytes() == (tmp_path / "a.csv").read_bytes()
    predicted = pl.read_csv(tmp_path / "b.csv")
    assert predicted["prediction"].to_list() == clf.predict(table.drop(["state"])).tolist()
    assert predicted["row"].to_list() == list(range(1, 91))
    told = run("predict", tmp_path / "m.pic", "-", "--cluster", address, code=2).stderr
    assert "--cluster is given with standard input" in told


def test_a_scheduler_that_does_not_answer_is_named(tmp_path):
    parquet.write_table(awkward(30), tmp_path / "a.parquet")
    words = (tmp_path / "a.parquet", "--target", "state", "-o", tmp_path / "m.pic")
    told = run("fit", *words, "--cluster", "10.0.0.1", "--estimator", "fpic", code=2).stderr
    assert "no Dask scheduler answers at '10.0.0.1'" in told
