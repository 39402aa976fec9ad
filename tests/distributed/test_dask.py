"""A Dask cluster of two worker processes: equal to one process, whatever happens to a worker."""

import os
import signal

import polars as pl
import pytest
from pyarrow import parquet

from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.errors import BadTable
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


@pytest.mark.parametrize(
    "estimator", [FPICClassifier(), PersonalRuleClassifier(max_length=2, cuts=8)]
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
