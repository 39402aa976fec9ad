"""Read a model file: check everything, then build."""

from __future__ import annotations

import os
import zlib
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from picrules.engines.memory import free_memory
from picrules.errors import BadModelFile, NotEnoughMemory
from picrules.persist.archive import Member, read_members
from picrules.persist.fields import Fields, is_whole
from picrules.persist.format import CONTENT, FORMAT, ArraySpec, from_bytes, member_of
from picrules.persist.rows import RowReader
from picrules.persist.state import ESTIMATORS, State
from picrules.rules.text import show

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# What each byte of JSON takes at most while it is read: lists of nothing take most.
_BYTES_PER_BYTE = 40


def load(path: str | os.PathLike[str], *, mmap: bool = False) -> Any:
    """Read a model file that `save` wrote.

    Nothing in the file is ever executed, and everything in it is checked before anything
    is built: a file that is damaged, or was made to harm, raises `BadModelFile`.

    Parameters
    ----------
    path : str or path
        The model file.
    mmap : bool, default=False
        Whether to leave the training rows in the file until they are first needed, so that a
        model of any size opens in milliseconds. The first prediction reads and checks them, and
        raises `BadModelFile` if they are damaged or were changed since. A file that takes the
        name of this one, as `save` does it, changes nothing.

    Returns
    -------
    estimator
        Predicts and explains as the one that was saved, to the bit; with `engine="auto"` it
        picks the engine that suits this machine.

    Raises
    ------
    BadModelFile
        The file is damaged, of a later format, or no model file.
    NotEnoughMemory
        No engine fits into the memory of this machine, or into the model's `memory_limit`.

    Examples
    --------
    >>> import picrules, tempfile, pathlib
    >>> clf = picrules.FPICClassifier().fit([["a"], ["b"]], ["no", "yes"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "letters.pic"
    >>> clf.save(path)
    >>> str(picrules.load(path).explain([["b"]])[0].rule)
    'if x0 = b then yes'
    """
    with Path(path).open("rb") as file:
        try:
            return _load(file, is_late=mmap)
        except (BadModelFile, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else error
            raise BadModelFile(f"{os.fspath(path)} cannot be opened as a model: {reason}") from None


def from_array(content: NDArray[np.uint8]) -> Any:
    """Read what `to_array` returned, as strictly as a file."""
    return _load(BytesIO(content), is_late=False)  # type: ignore[arg-type]


def find_format(path: str | os.PathLike[str]) -> int:
    """Return the number of the format of a model file that could be read."""
    with Path(path).open("rb") as file:
        (member, *_) = read_members(file, file.seek(0, os.SEEK_END))
        file.seek(member.start)
        return int(from_bytes(file.read(member.size))["format"])


def _load(file: BinaryIO, *, is_late: bool) -> Any:
    file_size = file.seek(0, os.SEEK_END)
    members = {member.name: member for member in read_members(file, file_size)}
    if next(iter(members)) != CONTENT:
        raise BadModelFile(f"its first member is not {CONTENT}")
    state = _read_state(file, members.pop(CONTENT))
    _check_members(file, members, state.specs)
    if not is_late:
        reader = RowReader(file, state, members)
        reader()
        return state.build(reader.training, None)
    # What is read later needs a file of its own, which nothing else closes where this fails.
    own = os.fdopen(os.dup(file.fileno()), "rb", buffering=0)
    try:
        reader = RowReader(own, state, members)
        return state.build(reader.training, reader)
    except BaseException:
        own.close()
        raise


def _read_state(file: BinaryIO, member: Member) -> State:
    if member.size * _BYTES_PER_BYTE > free_memory():
        raise NotEnoughMemory(f"its description has {member.size / 2**20:.0f} MiB")
    file.seek(member.start)
    text = file.read(member.size)
    if zlib.crc32(text) != member.crc:
        raise BadModelFile(f"the checksum of {CONTENT} is wrong; the file is damaged")
    content = from_bytes(text)
    del text  # it may be as large as what was read from it
    _check_format(content)
    fields = Fields(content, "the model")
    number = fields.take("format", "a format", is_whole)
    kind = ESTIMATORS[fields.one_of("estimator", list(ESTIMATORS))]
    state = State.read(fields.fields("state"), kind)
    fields.finish()
    if number != state.format:
        raise BadModelFile(f"its format is {number}, but what it holds is format {state.format}")
    return state


def _check_format(content: Any) -> None:
    number: Any = content.get("format") if isinstance(content, dict) else None
    if not is_whole(number) or number < 1:
        raise BadModelFile(f"its format is {show(number)}; a number from 1 is expected")
    if number > FORMAT:
        raise BadModelFile(
            f"it has the format {show(number)} of a later version of picrules; this one reads "
            f"formats up to {FORMAT}, so upgrade picrules"
        )


def _check_members(file: BinaryIO, members: dict[str, Member], specs: dict[str, ArraySpec]) -> None:
    """Check names, sizes, types and shapes of the arrays before anything is made for them."""
    expected = list(map(member_of, specs))
    if list(members) != expected:
        raise BadModelFile(f"its arrays are {show(list(members))}; {expected} are expected")
    for member, spec in zip(members.values(), specs.values(), strict=True):
        file.seek(member.start)
        is_size_right = member.size == len(spec.header) + spec.n_bytes
        if not is_size_right or file.read(len(spec.header)) != spec.header:
            raise BadModelFile(
                f"{member.name} is not an array of the type {spec.dtype} and the shape {spec.shape}"
            )
