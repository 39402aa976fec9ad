"""The model is swapped whole when its file changes."""

import asyncio
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from picrules import FPICClassifier
from picrules.web import watching
from picrules.web.app import make_app
from picrules.web.desk import Desk
from picrules.web.guard import Limits
from picrules.web.watching import keep_up_to_date, reload
from tests.web.serving import asking, wait_until
from tests.web.tables import learned, rows, write


def test_a_changed_file_is_served_and_a_damaged_one_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "LOOK", 0.001)
    files = write(tmp_path)
    desk = Desk(Limits(), files.open())
    old = desk.served

    async def change():
        watching = asyncio.create_task(keep_up_to_date(desk, files))
        await asyncio.sleep(0)
        _, new, y = learned()
        FPICClassifier(bins=2).fit(new, y).save(files.model)
        while desk.served is old:
            await asyncio.sleep(0)
        now = desk.served
        files.model.write_bytes(b"PK damaged")
        while not desk.trouble:
            await asyncio.sleep(0)
        watching.cancel()
        return now

    now = asyncio.run(change())
    assert type(now.clf).__name__ == "FPICClassifier"
    assert now.fingerprint != old.fingerprint
    assert desk.served is now  # the damaged file was not taken
    assert "was not taken" in desk.trouble
    desk.close()


@pytest.mark.slow
@pytest.mark.parametrize("member", ["model.json", "rows.npy"])
def test_an_enormous_file_is_not_taken(member, tmp_path):
    """A gigabyte of zeros packs into a megabyte."""
    files = write(tmp_path)
    desk = Desk(Limits(), files.open())
    old = desk.served
    packed = zipfile.ZipFile(files.model, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packed, packed.open(member, "w", force_zip64=True) as file:
        for _ in range(64):
            file.write(bytes(2**24))
    asyncio.run(reload(desk, files))
    assert desk.served is old
    assert "was not taken" in desk.trouble
    desk.close()


def test_no_request_is_dropped_while_the_model_is_swapped(tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "LOOK", 0.05)
    files = write(tmp_path)
    _, new, y = learned()
    other = FPICClassifier(bins=2).fit(new, y)
    answers, is_over = [], threading.Event()

    def ask(client):
        while not is_over.is_set():
            response = client.post("/api/predict", json={"row": rows()[0]})
            answers.append((response.status_code, response.json()["model"]))

    with asking(make_app(files.open(), files=files)) as client, ThreadPoolExecutor(4) as threads:
        asked = [threads.submit(ask, client) for _ in range(4)]
        old = client.get("/healthz").json()["model"]
        other.save(files.model)
        wait_until(lambda: client.get("/healthz").json()["model"] != old)
        n_before = len(answers)
        wait_until(lambda: len(answers) > n_before + 20)
        is_over.set()
        for task in asked:
            task.result()
    assert {code for code, _ in answers} == {200}
    assert len({model for _, model in answers}) == 2


def test_a_file_that_is_whole_again_ends_the_trouble(tmp_path):
    files = write(tmp_path)
    desk = Desk(Limits(), trouble="something")
    asyncio.run(reload(desk, files))
    assert desk.trouble == ""
    assert desk.served.n_rows == 30
    desk.close()
