"""Files of every kind are read; what cannot be read is told in one sentence."""

import gzip
import io
import json

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest
import typer

from picrules.cli.options import Reading
from picrules.cli.tables.source import open_source
from picrules.errors import BadDataFile

COLUMNS = {"a": ["x", "y, z", None], "b": [1.5, None, 3.0]}


def read(path, **how):
    with open_source(str(path), Reading(**how)) as source:
        return source.whole()


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("packed", [False, True])
def test_csv_of_every_common_delimiter(delimiter, packed, tmp_path):
    text = f'a{delimiter}b\nx{delimiter}1.5\n"y, z"{delimiter}\n{delimiter}3.0\n'
    path = tmp_path / ("d.csv.gz" if packed else "d.csv")
    write(path, gzip.compress(text.encode()) if packed else text)
    assert read(path).to_pydict() == {"a": ["x", "y, z", None], "b": ["1.5", None, "3.0"]}


def test_typed_files(tmp_path):
    table = pa.table(COLUMNS)
    pq.write_table(table, tmp_path / "d.parquet")
    pf.write_feather(table, tmp_path / "d.feather")
    (tmp_path / "d.jsonl").write_text(
        "\n".join(json.dumps(row) for row in table.to_pylist()) + "\n\n"
    )
    write(tmp_path / "e.jsonl.gz", gzip.compress((tmp_path / "d.jsonl").read_bytes()))
    write(tmp_path / "e.parquet.gz", gzip.compress((tmp_path / "d.parquet").read_bytes()))
    write(tmp_path / "e.feather.gz", gzip.compress((tmp_path / "d.feather").read_bytes()))
    write(tmp_path / "unnamed", (tmp_path / "d.parquet").read_bytes())
    for path in tmp_path.iterdir():
        assert read(path).to_pydict() == COLUMNS, path


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "feather"])
def test_standard_input_is_recognised(form, tmp_path, monkeypatch):
    table = pa.table({"a": ["x", "y"]})
    file = io.BytesIO()
    if form == "csv":
        file.write(b"a\nx\ny\n")
    elif form == "jsonl":
        file.write(b'{"a": "x"}\n{"a": "y"}\n')
    elif form == "parquet":
        pq.write_table(table, file)
    else:
        pf.write_feather(table, file)
    stdin = io.TextIOWrapper(io.BytesIO(file.getvalue()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert read("-").to_pydict() == {"a": ["x", "y"]}


def test_texts_for_missing_cells(tmp_path):
    path = write(tmp_path / "d.csv", 'a,b\nNA,?\n"",n/k\nnull,x\n')
    assert read(path).to_pydict() == {"a": [None] * 3, "b": ["?", "n/k", "x"]}
    known = read(path, missing=("?", "n/k")).to_pydict()
    assert known == {"a": ["NA", None, "null"], "b": [None, None, "x"]}
    assert read(path, missing=("",))["a"].to_pylist() == ["NA", None, "null"]
    path = write(tmp_path / "d.jsonl", '{"a": "?"}\n{"a": 3}\n')
    assert read(path, missing=("?",)).to_pydict() == {"a": [None, 3.0]}


def test_quoted_lines_marks_and_other_encodings(tmp_path):
    text = 'näme,b\r\n"two\nlines",1\r\n'
    expected = {"näme": ["two\nlines"], "b": ["1"]}
    for encoding in ("utf-8", "utf-8-sig", "latin-1", "utf-16"):
        path = write(tmp_path / "d.csv", text.encode(encoding))
        given = encoding.removesuffix("-sig")
        assert read(path, encoding=given).to_pydict() == expected


def test_chunks_hold_all_rows_in_order(tmp_path):
    path = write(tmp_path / "d.csv", "a\n" + "\n".join(map(str, range(20_000))))
    for n_rows in (1_000, 8_191, 8_192, 8_193, 30_000):
        with open_source(str(path), Reading()) as source:
            chunks = list(source.chunks(n_rows))
        assert all(len(chunk) == n_rows for chunk in chunks[:-1])
        cells = [cell for chunk in chunks for cell in chunk["a"].to_pylist()]
        assert cells == [str(number) for number in range(20_000)]


def test_first_chunks_are_shorter_where_asked_for(tmp_path):
    path = write(tmp_path / "d.csv", "a\n" + "\n".join(map(str, range(20_000))))
    with open_source(str(path), Reading()) as source:
        chunks = list(source.chunks(5_000, 1_500))
    assert list(map(len, chunks)) == [1_500, 3_000, 5_000, 5_000, 5_000, 500]
    cells = [cell for chunk in chunks for cell in chunk["a"].to_pylist()]
    assert cells == [str(number) for number in range(20_000)]


def test_json_lines_may_change_their_types(tmp_path):
    lines = [{"a": 1, "b": True}] * 9_000 + [{"a": "one"}, {"a": True, "b": None}]
    path = write(tmp_path / "d.jsonl", "\n".join(map(json.dumps, lines)))
    table = read(path)
    assert table["a"].to_pylist()[-3:] == ["1", "one", "true"]
    assert table["b"].to_pylist()[-3:] == [True, None, None]


@pytest.mark.parametrize(
    ("name", "content", "how", "said"),
    [
        ("d.csv", "", {}, "it is empty"),
        ("d.csv", "\n\n", {}, "names? the columns"),
        ("d.csv", "a,b\n", {}, "names columns and has no rows"),
        ("d.csv", "a,b\n1,2\n3\n", {}, "line 3 has 1 cell where the first line names 2 columns"),
        ("d.csv", "a,b\n1,2,3\n", {"delimiter": ","}, "--delimiter"),
        ("d.csv", "a,a\n1,2\n", {}, "two columns have the name 'a'"),
        ("d.csv", "a,b\n1,\xe4\n".encode("latin-1"), {}, "0xe4, which is not utf-8.*latin-1"),
        ("d.csv", "a,b\n1,2\n".encode("utf-16"), {}, "--encoding utf-16"),
        ("d.csv", b"a\0b\n1\n", {}, "zero bytes, so it is no text"),
        ("d.csv", 'a,b\n1,2\n3,"' + "x,\n" * 3_000_000, {}, "after line 2 a row has more than"),
        ("d.csv.gz", gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-20], {}, "cannot be read"),
        ("d.parquet", b"PAR1" + b"x" * 100, {}, "cannot be read"),
        ("d.feather", b"ARROW1" + b"x" * 100, {}, "cannot be read"),
        ("d.jsonl", '{"a": 1}\n[1]\n', {}, r"line 2 is \[1\]; an object"),
        ("d.jsonl", '{"a": 1}\n{"a"\n', {}, "line 2 is not JSON"),
        ("d.jsonl", '{"a": [1]}\n', {}, r"the column 'a' holds \[1\]"),
        ("d.jsonl", "{}\n", {}, "no keys"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 80 else "",
)
def test_what_cannot_be_read_is_told(name, content, how, said, tmp_path):
    path = write(tmp_path / name, content)
    with pytest.raises(BadDataFile, match=said) as failure:
        read(path, **how)
    assert str(path) in str(failure.value)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"delimiter": "::"}, "one character"),
        ({"delimiter": '"'}, "one character"),
        ({"encoding": "klingon"}, "a name that Python knows"),
    ],
)
def test_misuse_is_told(how, said, tmp_path):
    path = write(tmp_path / "d.csv", "a,b\n1,2\n")
    with pytest.raises(typer.BadParameter, match=said):
        read(path, **how)


def test_a_tab_can_be_named(tmp_path):
    path = write(tmp_path / "d.csv", "a\tb\n1\t2\n")
    assert read(path, delimiter="tab").column_names == ["a", "b"]


def test_folders_and_files_that_are_not_there(tmp_path):
    with pytest.raises(typer.BadParameter, match="is a folder"):
        read(tmp_path)
    with pytest.raises(typer.BadParameter, match="is not there"):
        read(tmp_path / "none.csv")


@pytest.mark.parametrize("packing", ["gzip", "bz2", "zstd"])
def test_packed_files(packing, tmp_path):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, packing) as stream:
        stream.write(b"a,b\nx,1\ny,2\n")
    path = write(tmp_path / "d.csv.packed", sink.getvalue().to_pybytes())
    assert read(path).to_pydict() == {"a": ["x", "y"], "b": ["1", "2"]}


def test_json_arrays(tmp_path):
    objects = [{"a": "x", "n": 1}, {"a": None, "n": 2.5, "late": True}]
    path = write(tmp_path / "d.json", json.dumps(objects, indent=1))
    expected = {"a": ["x", None], "n": [1.0, 2.5], "late": [None, True]}
    assert read(path).to_pydict() == expected
    path = write(tmp_path / "d.json", '[{"a": 1},\n {"a": }]')
    with pytest.raises(BadDataFile, match=r"not JSON .*line 2"):
        read(path)


def test_several_files_are_one_table(tmp_path):
    write(tmp_path / "p1.csv", "a,b\nx,1\n\ny,2\n")
    write(tmp_path / "p2.csv", "b;a\n3;z\n4;w\n")
    pattern = str(tmp_path / "p*.csv")
    with open_source(pattern, Reading()) as source:
        assert source.whole().to_pydict() == {"a": ["x", "y", "z", "w"], "b": list("1234")}
        assert source.where(2) == f"row 2 (line 4 of {tmp_path / 'p1.csv'})"
        assert source.where(4) == f"row 4 (line 3 of {tmp_path / 'p2.csv'})"
    with open_source([str(tmp_path / "p2.csv"), str(tmp_path / "p1.csv")], Reading()) as source:
        assert source.whole()["a"].to_pylist() == ["z", "w", "x", "y"]
    write(tmp_path / "p3.csv", "a,c\n1,2\n")
    with pytest.raises(BadDataFile, match=r"p3.csv: it is CSV .* with the columns 'a', 'c'"):
        read(pattern)
    write(tmp_path / "p3.csv", "a,b\n1,2\n3\n")
    with pytest.raises(BadDataFile, match=r"p3.csv: line 3 has 1 cell "):
        read(pattern)


def test_typed_files_may_differ_in_types_of_numbers(tmp_path):
    pq.write_table(pa.table({"n": [1, 2]}), tmp_path / "p1.parquet")
    pq.write_table(pa.table({"n": [2.5]}), tmp_path / "p2.parquet")
    assert read(tmp_path / "p*.parquet")["n"].to_pylist() == [1.0, 2.0, 2.5]
    pq.write_table(pa.table({"n": ["x"]}), tmp_path / "p2.parquet")
    with pytest.raises(BadDataFile, match="other types in other files"):
        read(tmp_path / "p*.parquet")
