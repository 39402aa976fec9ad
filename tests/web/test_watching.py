"""The model is swapped whole when its file changes."""

import asyncio

from picrules import FPICClassifier
from picrules.web.desk import Desk
from picrules.web.guard import Limits
from picrules.web.watching import keep_up_to_date, reload
from tests.web.tables import learned, write


def test_a_changed_file_is_served_and_a_damaged_one_is_not(tmp_path):
    files = write(tmp_path)
    desk = Desk(Limits(), files.open())
    old = desk.served

    async def change():
        watching = asyncio.create_task(keep_up_to_date(desk, files, look=0.001))
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


def test_a_file_that_is_whole_again_ends_the_trouble(tmp_path):
    files = write(tmp_path)
    desk = Desk(Limits(), trouble="something")
    asyncio.run(reload(desk, files))
    assert desk.trouble == ""
    assert desk.served.n_rows == 30
    desk.close()
