"""Read a model file: check everything, then build."""

from __future__ import annotations

import mmap as memory_map
import os
import zlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from picrules.errors import BadModelFile
from picrules.persist.archive import Member, read_members
from picrules.persist.fields import Fields, is_whole
from picrules.persist.format import CONTENT, FORMAT, ArraySpec, from_bytes, member_of
from picrules.persist.state import ESTIMATORS, State
from picrules.rules.text import show

if TYPE_CHECKING:
    from numpy.typing import NDArray


def load(path: str | os.PathLike[str], *, mmap: bool = False) -> Any:
    """Read a model file that `save` wrote.

    Nothing in the file is ever executed, and everything in it is checked before anything
    is built: a file that is damaged, or was made to harm, raises `BadModelFile`.

    Parameters
    ----------
    path : str or path
        The model file.
    mmap : bool, default=False
        Whether to use the training rows where they lie in the file, so that a model of any size
        opens in milliseconds. The rows are then checked at the first prediction, which raises
        `BadModelFile` if they are damaged. The file must not be changed while it is in use;
        `save` never changes a file, it puts a new one in its place.

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
            return _load(file, is_mapped=mmap)
        except (BadModelFile, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else error
            raise BadModelFile(f"{os.fspath(path)} cannot be opened as a model: {reason}") from None


def _load(file: BinaryIO, *, is_mapped: bool) -> Any:
    file_size = os.fstat(file.fileno()).st_size
    members = {member.name: member for member in read_members(file, file_size)}
    if next(iter(members)) != CONTENT:
        raise BadModelFile(f"its first member is not {CONTENT}")
    state = _read_state(file, members.pop(CONTENT))
    _check_members(file, members, state.specs)
    view = memory_map.mmap(file.fileno(), 0, access=memory_map.ACCESS_COPY) if is_mapped else None
    arrays = {
        name: _read_array(file, view, members[member_of(name)], spec)
        for name, spec in state.specs.items()
    }
    check = partial(_check_rows, state, arrays, members)
    if not is_mapped:
        check()
    return state.build(arrays, check if is_mapped else None)


def _read_state(file: BinaryIO, member: Member) -> State:
    file.seek(member.start)
    text = file.read(member.size)
    if zlib.crc32(text) != member.crc:
        raise BadModelFile(f"the checksum of {CONTENT} is wrong; the file is damaged")
    content = from_bytes(text)
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


def _read_array(
    file: BinaryIO, view: memory_map.mmap | None, member: Member, spec: ArraySpec
) -> NDArray[Any]:
    start = member.start + len(spec.header)
    array: NDArray[Any]
    if view is not None:
        array = np.ndarray(spec.shape, spec.dtype, view, start)
    else:
        array = np.empty(spec.shape, spec.dtype)
        file.seek(start)
        if file.readinto(array) != spec.n_bytes:  # type: ignore[attr-defined]
            raise BadModelFile(f"{member.name} ends early")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _check_rows(state: State, arrays: dict[str, NDArray[Any]], members: dict[str, Member]) -> None:
    """Check the contents of the arrays: their checksums, and the ranges of their numbers."""
    for name, array in arrays.items():
        member, spec = members[member_of(name)], state.specs[name]
        written = array.astype(spec.dtype, copy=False).reshape(-1).view(np.uint8)
        if zlib.crc32(written.data, zlib.crc32(spec.header)) != member.crc:
            raise BadModelFile(f"the checksum of {member.name} is wrong; it is damaged")
    state.check_arrays(arrays)
