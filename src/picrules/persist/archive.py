"""A strict zip archive: members are stored, aligned, and written in one way only.

From the names, sizes and checksums of the members follows every other byte outside of their
contents. So reading rebuilds these bytes and compares: nothing of a file is left uninterpreted,
and members that overlap, hide or claim more than is there cannot exist. Any program that reads zip
files with 64-bit sizes can open these; only archives that were written here can be read here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from picrules.errors import BadModelFile
from picrules.persist.format import ALIGNMENT, MAX_MEMBERS, MAX_NAME, MEMBER_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_SIZES = struct.Struct("<2H2Q")
_SIZES_AND_START = struct.Struct("<2H3Q")
_PADDING = struct.Struct("<2H")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_END = struct.Struct("<4s4H2LH")
_TAIL = _END_64.size + _LOCATOR.size + _END.size

_VERSION = 45  # of the zip format: the first with 64-bit sizes
_MADE_BY = 3 << 8 | _VERSION  # as on Unix, whatever the system
_DATE = 0x21  # the first of January 1980, so that a file does not depend on the clock
_MODE = 0o100644 << 16
_IN_EXTRA = 0xFFFFFFFF  # "the number stands in the 64-bit field"
_PADDING_ID = 0x5049


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an archive: its name, size in bytes and CRC-32."""

    name: str
    size: int
    crc: int


@dataclass(frozen=True, slots=True)
class Place:
    """A member, where its header and its content begin, and the header's bytes."""

    member: Member
    header_start: int
    start: int
    header: bytes


def arrange(members: Sequence[Member]) -> tuple[list[Place], bytes]:
    """Return the place of each member, and the bytes that follow the last one."""
    places = []
    position = 0
    for member in members:
        header = _local_header(member, position)
        start = position + len(header)
        places.append(Place(member, position, start, header))
        position = start + member.size
    return places, _directory(places, position)


def read_places(file: BinaryIO, file_size: int) -> list[Place]:
    """Find the members of an archive, and check every byte outside of their contents.

    Parameters
    ----------
    file : binary file
        Where the archive is read from.
    file_size : int
        How many bytes it has.

    Returns
    -------
    list of Place
        The members, in the order of the file, with names that are plain and differ.
    """
    members = _read_members(file, file_size)
    places, directory = arrange(members)
    end = places[-1].start + places[-1].member.size
    if end + len(directory) != file_size or _read(file, end, len(directory)) != directory:
        raise BadModelFile("the list of members at the end of the file is damaged")
    for place in places:
        if _read(file, place.header_start, len(place.header)) != place.header:
            raise BadModelFile(f"the header of {place.member.name} is damaged")
    return places


def _read_members(file: BinaryIO, file_size: int) -> list[Member]:
    if file_size < _TAIL:
        raise BadModelFile(f"it has {file_size} bytes, fewer than the smallest model file")
    magic, *_, n_members, size, start = _END_64.unpack(_read(file, file_size - _TAIL, _END_64.size))
    if magic != b"PK\x06\x06":
        raise BadModelFile("it does not end as a model file does; it is cut off or another file")
    largest = MAX_MEMBERS * (_CENTRAL.size + MAX_NAME + _SIZES_AND_START.size)
    if not 1 <= n_members <= MAX_MEMBERS or size > largest or start + size + _TAIL != file_size:
        raise BadModelFile("the list of members at the end of the file is damaged")
    directory = _read(file, start, size)
    members = []
    position = 0
    for _ in range(n_members):
        member, position = _read_member(directory, position)
        members.append(member)
    _check_names([member.name for member in members])
    return members


def _read_member(directory: bytes, position: int) -> tuple[Member, int]:
    try:
        fields = _CENTRAL.unpack_from(directory, position)
        crc, name_size = fields[7], fields[10]
        position += _CENTRAL.size
        name = directory[position : position + name_size].decode("ascii")
        _, _, size, _, _ = _SIZES_AND_START.unpack_from(directory, position + name_size)
    except (struct.error, UnicodeDecodeError):
        raise BadModelFile("the list of members at the end of the file is damaged") from None
    return Member(name, size, crc), position + name_size + _SIZES_AND_START.size


def _check_names(names: list[str]) -> None:
    for name in names:
        if len(name) > MAX_NAME or not MEMBER_NAME.fullmatch(name):
            raise BadModelFile(f"it has a member named {name[:MAX_NAME]!r}, which no model has")
    if len(set(names)) < len(names):
        raise BadModelFile("two of its members have the same name")


def _local_header(member: Member, position: int) -> bytes:
    name = member.name.encode("ascii")
    fixed = _LOCAL.size + len(name) + _SIZES.size + _PADDING.size
    n_zeros = -(position + fixed) % ALIGNMENT
    extra = _SIZES.pack(1, 16, member.size, member.size)
    extra += _PADDING.pack(_PADDING_ID, n_zeros) + bytes(n_zeros)
    fields = (b"PK\x03\x04", _VERSION, 0, 0, 0, _DATE, member.crc, _IN_EXTRA, _IN_EXTRA)
    return _LOCAL.pack(*fields, len(name), len(extra)) + name + extra


def _directory(places: Sequence[Place], start: int) -> bytes:
    entries = b"".join(map(_directory_entry, places))
    end, count = start + len(entries), len(places)
    return (
        entries
        + _END_64.pack(
            b"PK\x06\x06", _END_64.size - 12, _MADE_BY, _VERSION, 0, 0, count, count,
            len(entries), start,
        )
        + _LOCATOR.pack(b"PK\x06\x07", 0, end, 1)
        + _END.pack(b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, _IN_EXTRA, _IN_EXTRA, 0)
    )  # fmt: skip


def _directory_entry(place: Place) -> bytes:
    member, name = place.member, place.member.name.encode("ascii")
    extra = _SIZES_AND_START.pack(1, 24, member.size, member.size, place.header_start)
    fields = (b"PK\x01\x02", _MADE_BY, _VERSION, 0, 0, 0, _DATE, member.crc, _IN_EXTRA, _IN_EXTRA)
    return _CENTRAL.pack(*fields, len(name), len(extra), 0, 0, 0, _MODE, _IN_EXTRA) + name + extra


def _read(file: BinaryIO, start: int, size: int) -> bytes:
    file.seek(start)
    return file.read(size)
