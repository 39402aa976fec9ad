"""The format of model files: its number, its limits, and how its members are written.

A model file is a zip archive whose members are stored, not compressed: `model.json` first, then
one `.npy` member for each array. `docs/model-files.md` describes it for other programs.

A file has the number of the first format that has all its keys, so that programs which know no
later one can read it, and refuse it by its number where they cannot.

To raise the format number where keys are added: give those that are absent their meaning, and let
`State.format` tell by them. Where keys change: move the states of the old number to
`old/v<number>.py` and let `load` choose by the number. Either way keep the stored files of the old
formats in the tests, add one of the new, and say in `docs/model-files.md` what changed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from picrules.errors import BadModelFile

FORMAT = 6
CONTENT = "model.json"

MAX_MEMBERS = 256
MAX_NAME = 100
MEMBER_NAME = re.compile(r"[a-z][a-z0-9_]*\.(?:json|npy)", re.ASCII)

# Arrays begin at multiples of this, so that they can be used where they lie in the file.
ALIGNMENT = 64

_MAGIC = b"\x93NUMPY\x01\x00"


@dataclass(frozen=True, slots=True)
class ArraySpec:
    """The type and shape that an array of a model file must have."""

    dtype: str  # NumPy's short name, little-endian: "<i4"
    shape: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        """How many bytes the elements take, exactly, however large the shape."""
        return np.dtype(self.dtype).itemsize * prod(self.shape)

    @property
    def header(self) -> bytes:
        """The first bytes of the member: NumPy's header, written in one way only."""
        text = f"{{'descr': '{self.dtype}', 'fortran_order': False, 'shape': {self.shape}, }}"
        n_spaces = -(len(_MAGIC) + 2 + len(text) + 1) % ALIGNMENT
        line = text.encode("ascii") + b" " * n_spaces + b"\n"
        return _MAGIC + len(line).to_bytes(2, "little") + line


def member_of(name: str) -> str:
    """Return the name of the member that holds an array."""
    return f"{name}.npy"


def to_bytes(content: dict[str, Any]) -> bytes:
    """Write JSON: the same bytes for the same content, readable by people."""
    return json.dumps(content, allow_nan=False, indent=1).encode("ascii")


def from_bytes(text: bytes) -> Any:
    """Read JSON; refuse what the standard does not know, and a key that an object has twice."""
    try:
        return json.loads(
            text.decode("ascii"), object_pairs_hook=_to_dict, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise BadModelFile(f"{CONTENT} is not JSON of a model: {reason}") from None


def _to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key stands twice")
    return content


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number of JSON")
