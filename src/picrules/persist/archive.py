"""A strict zip archive: members are stored, aligned, and written in one way only.

From the names, sizes and checksums of the members follows every other byte outside of their
contents. So reading rebuilds these bytes and compares: nothing of a file is left uninterpreted,
and members that overlap, hide or claim more than is there cannot exist. Any program that reads zip
files with 64-bit sizes can open these; only archives that were written here can be read here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

from picrules.errors import BadModelFile
from picrules.persist.format import ALIGNMENT, MAX_MEMBERS, MAX_NAME, MEMBER_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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

_DAMAGED = "the list of members at the end of the file is damaged"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an archive: a header, then the content."""

    name: str
    size: int  # of the content, in bytes
    crc: int  # CRC-32 of the content
    header_start: int = 0  # in the file

    @property
    def header(self) -> bytes:
        """The bytes before the content, with zeros so that the content is aligned."""
        name = self.name.encode("ascii")
        fixed = _LOCAL.size + len(name) + _SIZES.size + _PADDING.size
        n_zeros = -(self.header_start + fixed) % ALIGNMENT
        extra = _SIZES.pack(1, 16, self.size, self.size)
        extra += _PADDING.pack(_PADDING_ID, n_zeros) + bytes(n_zeros)
        fields = (b"PK\x03\x04", _VERSION, 0, 0, 0, _DATE, self.crc, _IN_EXTRA, _IN_EXTRA)
        return _LOCAL.pack(*fields, len(name), len(extra)) + name + extra

    @property
    def start(self) -> int:
        """Where in the file the content begins."""
        return self.header_start + len(self.header)


def arrange(members: Sequence[Member]) -> tuple[list[Member], bytes]:
    """Return the members one after the other, and the bytes that follow the last one."""
    arranged = []
    position = 0
    for member in members:
        arranged.append(replace(member, header_start=position))
        position = arranged[-1].start + member.size
    return arranged, _directory(arranged, position)


def read_members(file: BinaryIO, file_size: int) -> list[Member]:
    """Find the members of an archive, and check every byte outside of their contents.

    They have the order of the file, and names that are plain and differ.
    """
    members, directory = arrange(_read_directory(file, file_size))
    end = file_size - len(directory)
    if members[-1].start + members[-1].size != end or _read(file, end, file_size) != directory:
        raise BadModelFile(_DAMAGED)
    for member in members:
        if _read(file, member.header_start, len(member.header)) != member.header:
            raise BadModelFile(f"the header of {member.name} is damaged")
    return members


def _read_directory(file: BinaryIO, file_size: int) -> list[Member]:
    if file_size < _TAIL:
        raise BadModelFile(f"it has {file_size} bytes, fewer than the smallest model file")
    magic, *_, n_members, size, start = _END_64.unpack(_read(file, file_size - _TAIL, _END_64.size))
    if magic != b"PK\x06\x06":
        raise BadModelFile("it does not end as a model file does; it is cut off or another file")
    largest = MAX_MEMBERS * (_CENTRAL.size + MAX_NAME + _SIZES_AND_START.size)
    if not 1 <= n_members <= MAX_MEMBERS or size > largest or start + size + _TAIL != file_size:
        raise BadModelFile(_DAMAGED)
    try:
        members = list(_split_directory(_read(file, start, size), n_members))
    except (struct.error, UnicodeDecodeError):
        raise BadModelFile(_DAMAGED) from None
    names = [member.name for member in members]
    for name in names:
        if len(name) > MAX_NAME or not MEMBER_NAME.fullmatch(name):
            raise BadModelFile(f"it has a member named {name[:MAX_NAME]!r}, which no model has")
    if len(set(names)) < len(names):
        raise BadModelFile("two of its members have the same name")
    if any(member.size > file_size for member in members):  # their sum may not fit into a header
        raise BadModelFile(_DAMAGED)
    return members


def _split_directory(directory: bytes, n_members: int) -> Iterator[Member]:
    position = 0
    for _ in range(n_members):
        fields = _CENTRAL.unpack_from(directory, position)
        name_start = position + _CENTRAL.size
        name_end = name_start + fields[10]
        name = directory[name_start:name_end].decode("ascii")
        _, _, size, _, _ = _SIZES_AND_START.unpack_from(directory, name_end)
        yield Member(name, size, crc=fields[7])
        position = name_end + _SIZES_AND_START.size


def _directory(members: Sequence[Member], start: int) -> bytes:
    entries = b"".join(map(_directory_entry, members))
    end, count = start + len(entries), len(members)
    return (
        entries
        + _END_64.pack(
            b"PK\x06\x06", _END_64.size - 12, _MADE_BY, _VERSION, 0, 0, count, count,
            len(entries), start,
        )
        + _LOCATOR.pack(b"PK\x06\x07", 0, end, 1)
        + _END.pack(b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, _IN_EXTRA, _IN_EXTRA, 0)
    )  # fmt: skip


def _directory_entry(member: Member) -> bytes:
    name = member.name.encode("ascii")
    extra = _SIZES_AND_START.pack(1, 24, member.size, member.size, member.header_start)
    fields = (b"PK\x01\x02", _MADE_BY, _VERSION, 0, 0, 0, _DATE, member.crc, _IN_EXTRA, _IN_EXTRA)
    return _CENTRAL.pack(*fields, len(name), len(extra), 0, 0, 0, _MODE, _IN_EXTRA) + name + extra


def _read(file: BinaryIO, start: int, size: int) -> bytes:
    file.seek(start)
    return file.read(size)
