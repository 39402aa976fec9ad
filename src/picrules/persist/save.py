"""Write a fitted estimator to a model file."""

from __future__ import annotations

import zlib
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from picrules.errors import BadModelFile
from picrules.persist.archive import Member, arrange
from picrules.persist.atomic import write_atomically
from picrules.persist.fields import Fields
from picrules.persist.format import CONTENT, ArraySpec, from_bytes, member_of, to_bytes
from picrules.persist.state import ESTIMATORS, State, name_of

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray


def save(estimator: Any, path: str | os.PathLike[str], *, keep_order: bool = False) -> None:
    """Write a fitted estimator of this library to a model file, complete or not at all."""
    text, arrays = _describe(estimator, name_of(estimator), keep_order=keep_order)
    with write_atomically(path) as file:
        write_archive(file, text, arrays)


def to_array(estimator: Any) -> NDArray[np.uint8] | None:
    """Return what `save` would write, for pickle and its like; None where no file can hold it.

    Parameters that no file can hold are left out, and so is what subclasses add.
    """
    for name, kind in ESTIMATORS.items():
        if isinstance(estimator, kind):
            for settings in (None, kind().get_params(deep=False)):
                with suppress(BadModelFile):
                    file = BytesIO()
                    write_archive(file, *_describe(estimator, name, settings, keep_order=True))
                    return np.frombuffer(file.getbuffer(), np.uint8)
    return None


def _describe(
    estimator: Any, name: str, settings: dict[str, Any] | None = None, *, keep_order: bool
) -> tuple[bytes, dict[str, NDArray[Any]]]:
    """Return the JSON and the arrays of a fitted estimator, with these parameters."""
    state, arrays = State.describe(estimator, ESTIMATORS[name], settings, keep_order=keep_order)
    text = to_bytes({"format": state.format, "estimator": name, "state": state.to_content()})
    # What could not be read must not be written; parameters may have changed since `fit`.
    State.read(Fields(from_bytes(text)["state"], "state"), ESTIMATORS[name])
    return text, arrays


def write_archive(file: BinaryIO, text: bytes, arrays: dict[str, NDArray[Any]]) -> None:
    """Write the JSON and the arrays of a model as one archive."""
    parts: dict[str, list[Any]] = {CONTENT: [text]}
    for name, array in arrays.items():
        content = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        header = ArraySpec(content.dtype.str, content.shape).header
        parts[member_of(name)] = [header, content.reshape(-1).view(np.uint8)]
    members, directory = arrange([_to_member(name, part) for name, part in parts.items()])
    for member, part in zip(members, parts.values(), strict=True):
        file.write(member.header)
        file.writelines(part)
    file.write(directory)


def _to_member(name: str, part: list[Any]) -> Member:
    size = crc = 0
    for piece in part:
        size, crc = size + len(piece), zlib.crc32(piece, crc)
    return Member(name, size, crc)
