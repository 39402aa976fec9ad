"""The REST interface says what the library says."""

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import jsonschema
import pytest

from picrules.errors import PicrulesError
from picrules.web.app import make_app
from picrules.web.guard import Limits
from tests.web.serving import PATIENCE, asking, serving, wait_until
from tests.web.tables import learned, rows, served

SCHEMA = json.loads(Path("docs/explanation.schema.json").read_text())


@pytest.fixture(scope="module")
def client():
    with asking(make_app(served())) as client:
        yield client


def test_one_row_is_predicted_as_by_the_library(client):
    clf, new, _ = learned()
    answers = [client.post("/api/predict", json={"row": row}).json()["answer"] for row in rows()]
    assert [answer["prediction"] for answer in answers] == clf.predict(new).tolist()
    for answer, expected in zip(answers, clf.predict_proba(new).tolist(), strict=True):
        assert [entry["probability"] for entry in answer["probabilities"]] == expected
        assert answer["confidence"] == max(expected)


def test_many_rows_are_predicted_as_one_by_one(client):
    told = client.post("/api/predict", json={"rows": rows()}).json()
    ones = [client.post("/api/predict", json={"row": row}).json()["answer"] for row in rows()]
    assert told["answers"] == ones
    assert told["model"] == served().fingerprint


def test_an_explanation_is_that_of_the_library(client):
    clf, new, _ = learned()
    told = client.post("/api/explain", json={"rows": rows()}).json()["answers"]
    for answer, explanation in zip(told, clf.explain(new), strict=True):
        jsonschema.validate(answer, SCHEMA)
        assert answer == json.loads(explanation.to_json())


def test_an_explanation_lists_rules_and_the_search_on_request(client):
    clf, new, _ = learned()
    asked = {"row": rows()[0], "top": 3, "trace": True}
    answer = client.post("/api/explain", json=asked).json()["answer"]
    (expected,) = clf.explain(new[:1], top=3, trace=True)
    assert answer == json.loads(expected.to_json())


def test_a_what_if_is_that_of_the_library(client):
    clf, new, _ = learned()
    asked = {"row": rows()[0], "changes": {"age": 70, "colour": None}}
    told = client.post("/api/what-if", json=asked).json()["answer"]
    expected = clf.what_if(new[:1], {"age": 70, "colour": None})
    assert told == json.loads(json.dumps(expected.to_dict()))


def test_changes_are_those_of_the_library(client):
    clf, new, _ = learned()
    asked = {"row": rows()[0], "max_changes": 1, "top": 2, "fixed": ["age"]}
    told = client.post("/api/changes", json=asked).json()["answer"]
    expected = clf.smallest_changes(new[:1], max_changes=1, top=2, fixed=["age"])
    assert told == json.loads(json.dumps(expected.to_dict()))


def test_rules_count_all_rows_and_tell_how_they_did(client):
    clf, new, y = learned()
    told = client.get("/api/rules").json()
    explanations = clf.explain(new)
    assert sum(rule["rows"] for rule in told["rules"]) == len(new)
    for rule in told["rules"]:
        own = [
            known
            for known, one in zip(y, explanations, strict=True)
            if str(one.rule) == rule["rule"]
        ]
        assert (rule["rows"], rule["right"]) == (len(own), own.count(rule["class"]))


def test_the_model_tells_what_a_row_needs(client):
    told = client.get("/api/model").json()
    assert [feature["name"] for feature in told["features"]] == ["age", "colour", "day", "zip"]
    assert [entry["class"] for entry in told["classes"]] == ["maybe", "no", "yes"]


@pytest.mark.parametrize(
    ("path", "change", "field"),
    [
        ("predict", {"row": {"age": "old"}}, "row.age"),
        ("predict", {"row": {"age": 10**4000}}, "row.age"),  # no float holds it
        ("predict", {"row": {"day": "soon"}}, "row.day"),
        ("predict", {"row": {"extra": 1}}, "row.extra"),
        ("predict", {"row": {"age": None, "zip": [1]}}, "row.zip"),
        ("explain", {"top": 21}, "top"),
        ("explain", {"unknown": 1}, "unknown"),
        ("what-if", {"changes": {"shoe": 1}}, "changes.shoe"),
        ("what-if", {"changes": {"age": "x"}}, "changes.age"),
        ("changes", {"fixed": ["shoe"]}, "fixed"),
        ("changes", {"to": "never"}, "to"),
        ("changes", {"max_changes": 9}, "max_changes"),
    ],
)
def test_an_error_names_the_field(client, path, change, field):
    asked = {"row": rows()[0], **({"changes": {"age": 1}} if path == "what-if" else {})}
    asked |= {
        key: asked.get(key, {}) | value if key == "row" else value for key, value in change.items()
    }
    response = client.post(f"/api/{path}", json=asked)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["field"].startswith(field)
    assert response.json()["detail"]


def test_a_wrong_row_among_many_is_named(client):
    wrong = [*rows()[:2], {**rows()[2], "age": "old"}]
    assert client.post("/api/predict", json={"rows": wrong}).json()["field"] == "rows.2.age"


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[1]", b"\xff\xfe", b'{"row": {}, "rows": []}', b"1" * 5000, b"[" * 100_000],
)
def test_what_is_no_question_is_refused(client, body):
    response = client.post(
        "/api/predict", content=body, headers={"content-type": "application/json"}
    )
    assert response.status_code in (400, 422)
    assert response.json()["status"] == response.status_code


def test_a_failure_is_told_without_what_is_inside(monkeypatch):
    room = replace(served())
    monkeypatch.setattr(room, "describe", lambda: 1 / 0)
    with asking(make_app(room)) as client:
        response = client.get("/api/model")
        assert (response.status_code, response.json()["status"]) == (500, 500)
        assert "division" not in response.text
        assert client.get("/healthz").status_code == 200


def test_too_many_rows_are_refused():
    with asking(make_app(served(), limits=Limits(rows=2))) as client:
        response = client.post("/api/predict", json={"rows": rows()[:3]})
        assert (response.status_code, response.json()["field"]) == (422, "rows")


def test_rows_that_wait_are_searched_together(monkeypatch):
    room = replace(served())
    sizes, held, is_free = [], threading.Event(), threading.Event()
    explain = room.explain

    def count(cells, details=None):
        sizes.append(len(cells))
        held.set()
        assert is_free.wait(PATIENCE)
        return explain(cells, details)

    monkeypatch.setattr(room, "explain", count)
    asked = rows()[:20]
    app = make_app(room)
    with serving(app) as address, ThreadPoolExecutor(20) as threads:

        def ask(row):
            return httpx.post(f"{address}/api/predict", json={"row": row}, timeout=PATIENCE).json()

        first = threads.submit(ask, asked[0])
        assert held.wait(PATIENCE)
        others = [threads.submit(ask, row) for row in asked[1:]]
        waiting = app.state.desk.batcher._waiting
        wait_until(lambda: len(waiting) == 19)
        is_free.set()
        answers = [task.result()["answer"]["prediction"] for task in [first, *others]]
    assert sizes == [1, 19]
    assert answers == learned()[0].predict(learned()[1][:20]).tolist()


def test_too_many_who_wait_are_asked_to_come_again(monkeypatch):
    room = replace(served())
    held, is_free = threading.Event(), threading.Event()
    explain = room.explain

    def hold(cells, details=None):
        held.set()
        assert is_free.wait(PATIENCE)
        return explain(cells, details)

    monkeypatch.setattr(room, "explain", hold)
    app = make_app(room, limits=Limits(waiting=1))
    with serving(app) as address, ThreadPoolExecutor(2) as threads:

        def ask():
            return httpx.post(f"{address}/api/predict", json={"row": rows()[0]}, timeout=PATIENCE)

        running = threads.submit(ask)
        assert held.wait(PATIENCE)
        waiting = threads.submit(ask)
        wait_until(lambda: len(app.state.desk.batcher._waiting) == 1)
        refused = ask()
        is_free.set()
        assert refused.status_code == 503
        assert refused.headers["retry-after"] == "1"
        assert running.result().status_code == waiting.result().status_code == 200


def test_too_many_long_searches_are_asked_to_come_again(monkeypatch):
    room = replace(served())
    begun, is_free = threading.Semaphore(0), threading.Event()

    def hold(cells, **limits):
        begun.release()
        assert is_free.wait(PATIENCE)
        raise PicrulesError("held")

    monkeypatch.setattr(room, "find_changes", hold)
    app = make_app(room, limits=Limits(jobs=0))
    with serving(app) as address, ThreadPoolExecutor(2) as threads:

        def ask():
            return httpx.post(f"{address}/api/changes", json={"row": rows()[0]}, timeout=PATIENCE)

        running = [threads.submit(ask) for _ in range(2)]
        for _ in running:
            assert begun.acquire(timeout=PATIENCE)
        refused = ask()
        single = httpx.post(f"{address}/api/predict", json={"row": rows()[0]}, timeout=PATIENCE)
        is_free.set()
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert single.status_code == 200  # single rows have a thread of their own
        assert {task.result().status_code for task in running} == {422}


def test_without_a_model_questions_are_refused():
    with asking(make_app()) as client:
        assert client.get("/healthz").json()["model"] is None
        assert client.get("/api/model").status_code == 409


def test_openapi_has_an_example_for_each_question(client):
    told = client.get("/openapi.json").json()
    for path in ("predict", "explain", "what-if", "changes"):
        schema = told["paths"][f"/api/{path}"]["post"]["requestBody"]["content"]["application/json"]
        name = schema["schema"]["$ref"].rpartition("/")[2]
        assert told["components"]["schemas"][name]["examples"]


@pytest.mark.parametrize("path", ["/case/changes?row=1", "/api/changes"])
def test_long_work_stops_when_the_client_leaves(path, monkeypatch):
    room = replace(served())
    begun, ended = threading.Event(), threading.Event()

    def search(cells, **limits):
        try:
            with room.clf._show_progress(1, "steps") as report:
                while True:
                    report(0.0)
                    begun.set()
        finally:
            ended.set()

    monkeypatch.setattr(room, "find_changes", search)
    method, body = (
        ("GET", b"") if "row" in path else ("POST", json.dumps({"row": rows()[0]}).encode())
    )
    with asking(make_app(room)) as client:
        with socket.create_connection(
            (client.base_url.host, client.base_url.port), PATIENCE
        ) as raw:
            head = (
                f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            )
            raw.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            assert begun.wait(PATIENCE)
        assert ended.wait(PATIENCE)
        assert client.get("/healthz").status_code == 200
