"""Uploads that are damaged, hostile or too large are refused; nothing but the folder is written."""

import asyncio
import json

import pandas as pd
import pytest

from picrules.web.app import make_app
from picrules.web.guard import Limits
from picrules.web.learning import Learner
from tests.reports.tables import people
from tests.web.serving import asking, wait_until
from tests.web.tables import served


@pytest.fixture
def client(tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    with asking(make_app(learner=Learner(folder), limits=Limits(upload=2**20))) as client:
        yield client
        assert client.get("/healthz").status_code == 200
    assert [path.name for path in tmp_path.iterdir()] == ["served"]


def upload(client, content, name="table.csv"):
    return client.post("/api/tables", params={"name": name}, content=content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20),
        ("broken.parquet", b"PAR1" + b"\0" * 100 + b"PAR1"),
        ("broken.feather", b"ARROW1\0\0" + b"\xff" * 200),
        ("twice.csv", b"a,a\n1,2\n"),
        ("bomb.csv.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\0damaged"),
        ("lines.jsonl", b'{"a": 1}\n{"a": [1, 2'),
    ],
)
def test_a_damaged_table_is_refused(client, name, content):
    response = upload(client, content, name)
    assert response.status_code == 422
    assert response.json()["field"] == "body"
    assert "/" not in response.json()["detail"]  # no path of the server is told
    assert client.post("/api/fits", json={"target": "a"}).status_code == 409


@pytest.mark.parametrize(
    "name", ["../../evil.csv", "/etc/passwd.csv", "a\0b.csv", "..", "*.csv", "-"]
)
def test_no_path_comes_from_the_client(client, name):
    response = upload(client, b"a,b\n1,2\n3,4\n", name)
    assert response.status_code == 201
    assert [entry["name"] for entry in response.json()["columns"]] == ["a", "b"]


def test_an_upload_that_is_too_large_is_refused(client):
    assert upload(client, b"a\n" + b"1\n" * 2**20).status_code == 413

    def pieces():
        for _ in range(100):
            yield b"1\n" * 2**16

    assert client.post("/api/tables", params={"name": "t.csv"}, content=pieces()).status_code == 413


def test_formulas_and_scripts_stay_texts(client):
    name = '=HYPERLINK("http://evil.example")'
    table = pd.DataFrame(
        {name: ["=1+1", "<script>alert(1)</script>", "@x", "-2"] * 5, "k": ["u", "v"] * 10}
    )
    told = upload(client, table.to_csv(index=False).encode()).json()
    assert [entry["name"] for entry in told["columns"]] == [name, "k"]
    page = client.get("/learn").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page or "=HYPERLINK(" in page


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "feather"])
def test_tables_are_taken_as_the_command_line_reads_them(client, ending, tmp_path):
    X, _ = people(40)
    path = tmp_path / "served" / f"people.{ending}"
    write = {
        "csv": lambda: X.to_csv(path, index=False),
        "jsonl": lambda: X.to_json(path, orient="records", lines=True, date_format="iso"),
        "parquet": lambda: X.to_parquet(path),
        "feather": lambda: X.to_feather(path),
    }
    write[ending]()
    told = upload(client, path.read_bytes(), path.name).json()
    assert told["rows"] == 40
    columns = [(each["name"], each["kind"], each["missing"]) for each in told["columns"]]
    # JSON has no dates, and its texts are left as they are.
    kinds = ["number", "category", "category" if ending == "jsonl" else "date", "number"]
    assert columns == list(zip(X.columns, kinds, X.isna().sum().tolist(), strict=True))


def test_what_cannot_be_learned_is_told(client):
    upload(client, b"a,b\n1,x\n2,\n3,y\n")
    assert client.post("/api/fits", json={"target": "c"}).json()["field"] == "target"
    assert (
        client.post("/api/fits", json={"target": "b", "ignore": ["z"]}).json()["field"] == "ignore"
    )
    assert client.post("/api/fits", json={"target": "b"}).status_code == 202
    wait_until(lambda: client.get("/api/fits").json()["state"] != "running")
    told = client.get("/api/fits").json()
    assert told["state"] == "failed"
    assert "the target 'b' is missing" in told["problem"]


def test_what_was_learned_is_served_and_can_be_cancelled(client):
    X, y = people(60)
    upload(client, X.assign(known=y).to_csv(index=False).encode(), "people.csv")
    client.post("/api/fits", json={"target": "known"})
    assert client.delete("/api/fits").json()["state"] == "cancelled"
    assert client.get("/api/model").status_code == 409
    client.post("/api/fits", json={"target": "known", "ignore": ["zip"]})
    wait_until(lambda: client.get("/api/fits").json()["state"] != "running")
    told = client.get("/api/fits").json()
    assert told["state"] == "done"
    assert told["share"] == 1
    names = [feature["name"] for feature in client.get("/api/model").json()["features"]]
    assert names == ["age", "colour", "day"]
    assert client.get("/model.pic").content[:2] == b"PK"


def test_there_is_no_model_file_before_one_is_learned(tmp_path):
    with asking(make_app(served(), learner=Learner(tmp_path))) as client:
        response = client.get("/model.pic")
    assert (response.status_code, response.json()["detail"]) == (404, "nothing was learned yet")


def test_learning_ends_with_the_server(tmp_path):
    X, y = people(60)
    learner = Learner(tmp_path)
    with asking(make_app(learner=learner)) as client:
        upload(client, X.assign(known=y).to_csv(index=False).encode())
        client.post("/api/fits", json={"target": "known"})
    assert learner._process.returncode is not None
    assert learner.fit.state == "cancelled"


def test_a_process_that_dies_is_told(tmp_path):
    """As when the system kills it for its memory."""
    X, y = people(60)
    path = tmp_path / "table.csv"
    X.assign(known=y).to_csv(path, index=False)

    async def learn():
        learner = Learner(tmp_path)
        learner._table = path
        await learner.start("known", [], lambda _: None)
        learner._process.kill()
        await learner._task
        return learner.fit

    fit = asyncio.run(learn())
    assert json.dumps(fit.to_dict())
    assert (fit.state, fit.problem) == (
        "failed",
        "the process that learned ended without an answer",
    )
