"""Write a file so that its name always stands for the old content or the complete new one."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO


@contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file beside the path, and rename it to the path when the block is done.

    When the block fails, nothing is left behind. When the process is killed, a file named
    `.NAME.RANDOM.part` may stay, and the path is as it was. A path that is no plain file, such
    as a pipe, is written directly.

    Parameters
    ----------
    path : str or path
        The file to write; a link is followed.

    Yields
    ------
    binary file
        To be written in the block.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    part = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last; systems that cannot open folders do so by themselves."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
