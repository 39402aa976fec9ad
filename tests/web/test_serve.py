"""`picrules serve` starts, tells where it is, and stops in good order."""

import json
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from tests.cli.running import fit, run, write_csv

SERVE = "from picrules.cli.main import main; main()"
PATIENCE = 120


def start(*words):
    command = [sys.executable, "-c", SERVE, "serve", *map(str, words), "--port", "0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    told = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")
    return server, told


def stop(server):
    server.terminate()
    _, errors = server.communicate(timeout=PATIENCE)
    return errors


def test_a_model_is_served_until_the_server_is_stopped(tmp_path):
    model = fit(tmp_path, "--estimator", "fpic")
    new = write_csv(tmp_path / "new.csv")
    server, told = start(model, "--data", new, "--target", "class")
    try:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", told["address"])
        assert told["token"] is None
        with httpx.Client(base_url=told["address"], timeout=PATIENCE) as client:
            assert client.get("/api/rules").json()["rows"] == 60
            assert "60 cases" in client.get("/cases").text
    finally:
        errors = stop(server)
    assert "Traceback" not in errors
    assert server.returncode == -signal.SIGTERM


@pytest.mark.skipif(not hasattr(signal, "SIGTERM"), reason="no such signal here")
def test_a_graceful_stop_finishes_what_runs(tmp_path):
    server, told = start(fit(tmp_path, "--estimator", "fpic"))
    row = {"age": 30, "colour": "red", "day": "2020-01-01", "zip": "01000"}
    body = json.dumps({"rows": [row] * 2000}).encode()
    head = (
        "POST /api/explain HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    port = int(told["address"].rpartition(":")[2][:-1])
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as raw:
        raw.settimeout(PATIENCE)
        raw.sendall(head.encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 100")  # it waits for the body now
        server.send_signal(signal.SIGTERM)
        raw.sendall(body)
        answer = b"".join(iter(lambda: raw.recv(2**20), b""))
    assert stop(server) is not None
    assert answer.startswith(b"HTTP/1.1 200")
    assert len(json.loads(answer.partition(b"\r\n\r\n")[2])["answers"]) == 2000


def test_other_hosts_need_a_token(tmp_path):
    server, told = start(fit(tmp_path, "--estimator", "fpic"), "--host", "0.0.0.0")
    try:
        assert len(told["token"]) >= 32
        address, query = told["address"].split("?")
        assert query == f"token={told['token']}"
        assert httpx.get(f"{address}api/model", timeout=PATIENCE).status_code == 401
        bearer = {"authorization": f"Bearer {told['token']}"}
        assert httpx.get(f"{address}api/model", headers=bearer, timeout=PATIENCE).status_code == 200
    finally:
        stop(server)


def test_misuse_is_told(tmp_path):
    assert "without a MODEL" in run("serve", "--data", "x.csv", code=2).output
    assert "one of them is accepted" in run("serve", "x.pic", "--demo", code=2).output
    assert "not a file" in run("serve", tmp_path / "no.pic", code=2).output
    damaged = tmp_path / "damaged.pic"
    damaged.write_bytes(b"PK\3\4 not a model")
    assert "damaged.pic" in run("serve", damaged, code=1).output
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear all,\n" * 200)
    model = fit(tmp_path, "--estimator", "fpic")
    assert (
        "cannot be used as a decisions log" in run("serve", model, "--log", letter, code=1).output
    )


def test_a_port_that_is_taken_is_told(tmp_path):
    model = fit(tmp_path, "--estimator", "fpic")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "cannot be used" in run("serve", model, "--port", port, code=2).output
