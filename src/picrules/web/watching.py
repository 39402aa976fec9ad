"""The model is swapped whole when its file changes; requests that run keep the old one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import typer

from picrules.errors import PicrulesError

if TYPE_CHECKING:
    from picrules.web.desk import Desk
    from picrules.web.files import Files

# How often the file is looked at, in seconds.
LOOK = 1.0


async def keep_up_to_date(desk: Desk, files: Files) -> None:
    """Look at the model file again and again, and serve what it holds."""
    seen = files.stamp()
    while True:
        await asyncio.sleep(LOOK)
        stamp = files.stamp()
        if stamp is None or stamp == seen:
            continue
        seen = stamp
        await reload(desk, files)


async def reload(desk: Desk, files: Files) -> None:
    """Serve what the files hold now; where they cannot be read, what was served before stays."""
    try:
        desk.served = await asyncio.to_thread(files.open)
        desk.trouble = ""
    except (PicrulesError, typer.BadParameter, OSError, MemoryError) as error:
        desk.trouble = f"the changed model file was not taken: {error}"
