"""Damaged tables are read or refused; they never crash."""

import gzip
import io
import json

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from picrules.cli.options import Reading
from picrules.cli.tables.source import open_source
from picrules.errors import BadDataFile
from tests.cli.running import HEADER, rows

PIECES = [
    b'"', b",", b";", b"\n", b"\0", b"\r", b"{", b"1e999", b"nan", b"\xff", b"[1]", b"-9" * 30,
    b"\xff\xff\xff\x7f", b"\0\0\0\0", b"true", b"null",
]  # fmt: skip


def intact(form):
    table = pa.table(
        {name: [line[position] for line in rows(30)] for position, name in enumerate(HEADER)}
    )
    file = io.BytesIO()
    if form == "parquet":
        pq.write_table(table, file)
    elif form == "feather":
        pf.write_feather(table, file)
    elif form == "jsonl":
        file.write("\n".join(map(json.dumps, table.to_pylist())).encode())
    else:
        file.write("\n".join(",".join(line) for line in [HEADER, *rows(30)]).encode())
    return gzip.compress(file.getvalue(), mtime=0) if form == "csv.gz" else file.getvalue()


def damage(rng, content):
    damaged = bytearray(content)
    for _ in range(rng.choice([1, 1, 3, 20])):
        position = int(rng.integers(len(damaged))) if damaged else 0
        change = rng.integers(4)
        if change == 0 and damaged:
            damaged[position] = rng.integers(256)
        elif change == 1:
            damaged[position:position] = PIECES[rng.integers(len(PIECES))]
        elif change == 2:
            del damaged[position : position + rng.integers(40)]
        else:
            damaged[position : position + 4] = PIECES[rng.integers(len(PIECES))]
    return bytes(damaged)


@pytest.mark.parametrize("form", ["csv", "csv.gz", "jsonl", "parquet", "feather"])
def test_damaged_tables_are_read_or_refused(form, rng, tmp_path):
    """PyArrow believed a damaged Feather file, and read beyond the end of its memory."""
    content = intact(form)
    path = tmp_path / f"table.{form}"
    n_refused = 0
    for _ in range(100):
        path.write_bytes(damage(rng, content))
        try:
            with open_source(str(path), Reading()) as source:
                source.whole().to_pydict()
        except BadDataFile:
            n_refused += 1
    assert n_refused > 10
