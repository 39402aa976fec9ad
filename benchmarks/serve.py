"""The web app under load: single rows over many connections, each answer compared with `predict`.

`python -m benchmarks.serve [SECONDS]` starts `picrules serve` with a model of the adult table and
asks it from this process for that long (30), over 64 connections of this machine. `python -m
benchmarks serve_memory` does so for five minutes.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import uvloop

from benchmarks.measure import Figure, at_least, at_most
from experiments.datasets import folder, load_dataset
from picrules import PersonalRuleClassifier
from picrules.explain.tabular import to_plain

N_CONNECTIONS = 64
SECONDS = 30.0
SERVE = "from picrules.cli.main import main; main()"


@dataclass
class Tally:
    """What came of the requests."""

    seconds: list[float] = field(default_factory=list)
    n_wrong: int = 0
    n_failed: int = 0


class Asker(asyncio.Protocol):
    """One connection that asks again as soon as it has an answer."""

    def __init__(
        self, requests: list[tuple[bytes, bytes]], start: int, tally: Tally, end: float
    ) -> None:
        self.requests, self.at, self.tally, self.end = requests, start, tally, end
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.buffer = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.ask()

    def ask(self) -> None:
        self.at = (self.at + 1) % len(self.requests)
        self.begun = time.perf_counter()
        self.transport.write(self.requests[self.at][0])

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, blank, body = self.buffer.partition(b"\r\n\r\n")
        if not blank:
            return
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        self.buffer = b""
        now = time.perf_counter()
        self.tally.seconds.append(now - self.begun)
        self.tally.n_failed += not head.startswith(b"HTTP/1.1 200")
        self.tally.n_wrong += self.requests[self.at][1] not in body
        if now < self.end:
            self.ask()
        else:
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        self.tally.n_failed += error is not None
        self.done.set_result(None)


def run(seconds: float = SECONDS) -> list[Figure]:
    """Serve a model and ask it."""
    with tempfile.TemporaryDirectory() as where:
        clf, table = learn()
        clf.save(Path(where) / "model.pic")
        requests = make_requests(clf, table)
        options = ["serve", f"{where}/model.pic", "--port", "0", "--json"]
        command = [sys.executable, "-c", SERVE, *options]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            port = int(json.loads(read_object(server.stdout))["address"].rpartition(":")[2][:-1])
            # What is compiled or loaded at first is not counted.
            uvloop.run(load(port, requests, 2.0))
            process = psutil.Process(server.pid)
            before, memory = sum(process.cpu_times()[:2]), process.memory_info().rss
            tally = uvloop.run(load(port, requests, seconds))
            used = sum(process.cpu_times()[:2]) - before
            grown = process.memory_info().rss - memory
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()
    return judge(tally, seconds, used, grown)


def judge(tally: Tally, seconds: float, used: float, grown: int) -> list[Figure]:
    """Compare what came of the requests with what is wanted."""
    times = np.array(tally.seconds)
    return [
        Figure("connections", N_CONNECTIONS, ""),
        at_least("single-row predictions per second", len(times) / seconds, "/s", 1000),
        Figure("processor time of the server per prediction", used / len(times) * 1e3, "ms"),
        Figure("answer, median", np.median(times) * 1e3, "ms"),
        at_most("answer, 99th percentile", np.quantile(times, 0.99) * 1e3, "ms", 100),
        Figure("answer, longest", times.max() * 1e3, "ms"),
        at_most("errors", tally.n_failed, "", 0),
        at_most("answers that differ from predict", tally.n_wrong, "", 0),
        at_most(f"memory grown over {seconds:g} s", grown / 2**20, "MiB", 10),
    ]


def read_object(stream: Any) -> str:
    """Read a JSON object that is written over several lines."""
    return "".join(iter(stream.readline, "}\n")) + "}"


def learn() -> tuple[Any, Any]:
    """A model of adult, or of a table that is made up where that is not at hand."""
    if folder() is not None:
        data = load_dataset("adult")
        table, target = data.X, data.y
    else:
        from tests.reports.tables import people

        table, target = people(5000)
    return PersonalRuleClassifier(look_alikes=False).fit(table, target), table


def make_requests(clf: Any, table: Any, n_rows: int = 2000) -> list[tuple[bytes, bytes]]:
    """Requests about different rows, and what their answers must hold."""
    rows = table.iloc[:: max(1, len(table) // n_rows)][:n_rows]
    made = []
    for row, prediction in zip(rows.to_dict("records"), clf.predict(rows).tolist(), strict=True):
        cells = {name: None if pd.isna(cell) else to_plain(cell) for name, cell in row.items()}
        body = json.dumps({"row": cells}).encode()
        head = (
            "POST /api/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        made.append((head.encode() + body, f'"prediction":{json.dumps(prediction)},'.encode()))
    return made


async def load(port: int, requests: list[tuple[bytes, bytes]], seconds: float) -> Tally:
    """Ask over all connections until the time is over."""
    tally, loop = Tally(), asyncio.get_running_loop()
    end = time.perf_counter() + seconds
    askers = []
    for number in range(N_CONNECTIONS):
        start = number * len(requests) // N_CONNECTIONS
        _, asker = await loop.create_connection(
            lambda start=start: Asker(requests, start, tally, end), "127.0.0.1", port
        )
        askers.append(asker)
    await asyncio.gather(*(asker.done for asker in askers))
    return tally


if __name__ == "__main__":
    for figure in run(*map(float, sys.argv[1:])):
        print(f"{figure.what}: {figure.value:.4g} {figure.unit} {figure.target} {figure.reached}")
