"""What was acknowledged is in the log, whatever happens to the server."""

import asyncio
import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from picrules.web.app import make_app
from picrules.web.log import Answer, BadLog, DecisionLog
from tests.web.serving import PATIENCE, asking
from tests.web.tables import learned, rows, served, write


def read(path):
    file = sqlite3.connect(path)
    try:
        return file.execute(
            "SELECT input, prediction, rule, confidence, model FROM answers"
        ).fetchall()
    finally:
        file.close()


def test_every_answer_is_kept(tmp_path):
    clf, new, _ = learned()
    path = tmp_path / "log.sqlite"
    with asking(make_app(served(), log=DecisionLog(path))) as client:
        client.post("/api/predict", json={"row": rows()[0]})
        client.post("/api/explain", json={"rows": rows()[1:4]})
        assert client.post("/api/predict", json={"row": {}}).status_code == 422
    kept = read(path)
    explanations = clf.explain(new[:4])
    assert [json.loads(row[0]) for row in kept] == rows()[:4]
    assert [json.loads(row[1]) for row in kept] == [one.prediction for one in explanations]
    assert [row[2] for row in kept] == [str(one.rule) for one in explanations]
    assert [row[3] for row in kept] == [one.confidence for one in explanations]
    assert {row[4] for row in kept} == {served().fingerprint}


def test_a_log_goes_on_where_it_ended(tmp_path):
    path = tmp_path / "log.sqlite"
    for _ in range(2):
        with asking(make_app(served(), log=DecisionLog(path))) as client:
            client.post("/api/predict", json={"row": rows()[0]})
    assert len(read(path)) == 2


def test_what_is_no_log_is_refused(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir or Madam,\n" * 100)
    with pytest.raises(BadLog, match=r"letter\.txt cannot be used as a decisions log"):
        DecisionLog(path)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
@pytest.mark.slow
def test_a_kill_loses_no_acknowledged_answer(tmp_path):
    """200 answers are asked for at once, and the server is killed among them."""
    files, path = write(tmp_path), tmp_path / "log.sqlite"
    code = "import sys; from picrules.cli.main import main; main()"
    command = [
        sys.executable,
        "-c",
        code,
        "serve",
        files.model,
        "--log",
        path,
        "--port",
        "0",
        "--json",
    ]
    server = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
    address = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")["address"]
    acknowledged = []

    def ask(number):
        row = {**rows()[0], "age": 20 + number / 10}
        try:
            response = client.post("/api/predict", json={"row": row})
        except httpx.TransportError:
            return
        if response.status_code == 200:
            acknowledged.append(row)
        if len(acknowledged) == 60:
            os.kill(server.pid, signal.SIGKILL)

    with (
        httpx.Client(base_url=address, timeout=PATIENCE) as client,
        ThreadPoolExecutor(8) as threads,
    ):
        list(threads.map(ask, range(200)))
    assert server.wait(PATIENCE) == -signal.SIGKILL
    server.stdout.close()
    kept = [json.loads(row[0]) for row in read(path)]
    assert 60 <= len(acknowledged) < 200
    assert all(row in kept for row in acknowledged)


def test_texts_that_look_like_formulas_are_defused(tmp_path):
    async def keep():
        log = DecisionLog(tmp_path / "log.sqlite")
        (number,) = await log.append([Answer("m", {"a": "=1"}, "=cmd|' /C calc'!A0", "if x", None)])
        await log.decide(number, "@SUM(1)", "=HYPERLINK(1)")
        text = await log.export()
        log.close()
        return text

    (line,) = csv.DictReader(io.StringIO(asyncio.run(keep())))
    assert line["note"] == "'=HYPERLINK(1)"
    assert line["decision"] == '"@SUM(1)"'
    assert line["is_overruled"] == "1"
