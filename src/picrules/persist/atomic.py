"""Write a file so that its name always stands for the old content or the complete new one."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file beside the path, and rename it to the path when the block is done.

    When the block fails, nothing is left behind. When the process is killed, a file named
    `.NAME.RANDOM.part` may stay, and the path is as it was. A link is followed. A file that is
    replaced keeps its permissions, but not its owner. A path that is no plain file, such as a
    pipe, is written directly.
    """
    target = Path(path).resolve()
    if not target.parent.is_dir():
        raise FileNotFoundError(
            errno.ENOENT, "there is no such folder to write the file to", str(target.parent)
        )
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    part = target.with_name(f".{target.name[:50]}.{secrets.token_hex(8)}.part")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    # A file that may be private is so from its first byte on; its permissions come last.
    first_mode = 0o666 if mode is None else 0o600
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(part, flags, first_mode), "wb") as file:
            yield file
            file.flush()
            if mode is not None:
                part.chmod(mode)
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
