import math
import sqlite3
from functools import cache
from itertools import chain

import duckdb
import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from picrules import Category, Exclusion, Interval, PersonalRuleClassifier, Rule
from picrules.errors import BadRule
from tests.rules import awkward


@cache
def connect(engine):
    return {"sqlite": sqlite3, "duckdb": duckdb}[engine].connect(":memory:")


class Table:
    """A table of one column and the numbers of its rows, in one of the databases."""

    def __init__(self, engine, name, kind, cells):
        self.base = connect(engine)
        column = '"' + name.replace('"', '""') + '"'
        self.base.execute(f'create table t ("the row" integer, {column} {kind})')
        marks = ", ".join(["(?, ?)"] * len(cells))
        self.base.execute(f"insert into t values {marks}", list(chain(*enumerate(cells))))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.base.execute("drop table t")

    def rows(self, condition, known=None):
        query = f'select "the row" from t where {Rule((condition,), 1).to_sql(known)} order by 1'
        return [row for (row,) in self.base.execute(query).fetchall()]


ENGINES = pytest.mark.parametrize("engine", ["sqlite", "duckdb"])


def check(table, conditions, cells):
    for condition in conditions:
        assert table.rows(condition) == awkward.covered(condition, cells).tolist(), condition


@ENGINES
@pytest.mark.parametrize("name", awkward.NAMES)
def test_sql_takes_any_name(engine, name):
    with Table(engine, name, "varchar", ["it's", None, "b"]) as table:
        assert table.rows(Category(name, ("it's",))) == [0]
        assert table.rows(Exclusion(name, "it's")) == [2]


@ENGINES
def test_sql_selects_the_rows_of_texts(engine):
    with Table(engine, "x", "varchar", awkward.TEXTS) as table:
        check(table, awkward.text_conditions("x"), awkward.TEXTS)


def test_sql_selects_the_rows_of_enums():
    with Table("duckdb", "x", "enum('a', 'it''s')", ["a", "it's", None]) as table:
        assert table.rows(Category("x", ("it's", "never seen"))) == [1]
        assert table.rows(Exclusion("x", "never seen")) == [0, 1]


@ENGINES
def test_sql_selects_the_rows_of_numbers(engine):
    with Table(engine, "x", "double", awkward.NUMBERS) as table:
        check(table, awkward.number_conditions("x"), awkward.NUMBERS)
        check(table, [Category("x", (10**40, 7)), Exclusion("x", -(10**40))], awkward.NUMBERS)


@ENGINES
def test_sql_selects_the_rows_of_whole_numbers(engine):
    with Table(engine, "x", "bigint", awkward.WHOLES) as table:
        check(table, awkward.whole_conditions("x"), awkward.WHOLES)
        doubles = {float(number) for number in awkward.WHOLES if number is not None}
        check(table, [Category("x", (number,)) for number in doubles], awkward.WHOLES)
        check(table, [Category("x", (True,)), Exclusion("x", False)], awkward.WHOLES)


def test_sql_selects_the_rows_of_short_floats():
    """DuckDB rounds a literal to 32 bits in a column of 32 bits, unless it is a double."""
    cells = [float(np.float32(edge)) for edge in (0.1, 16777216.0, 1 / 3, 41)] + [math.nan]
    conditions = [
        *awkward.intervals("x", [0.1, 16777217.0, 1 / 3, 41.0, float(np.float32(0.1))]),
        Category("x", (16777217, 41)),
        Category("x", (0.1,)),
        Category("x", (float(np.float32(0.1)),)),
        Exclusion("x", 16777217),
    ]
    with Table("duckdb", "x", "float", cells) as table:
        check(table, conditions, cells)


@ENGINES
def test_sql_selects_the_rows_of_booleans(engine):
    cells = [True, False, None]
    conditions = [*awkward.boolean_conditions("x"), Category("x", (1,)), Exclusion("x", 0)]
    with Table(engine, "x", "boolean", cells) as table:
        check(table, conditions, cells)


@pytest.mark.parametrize("kind", ["timestamp", "timestamptz", "varchar"])
def test_sql_selects_the_rows_of_moments_in_duckdb(kind):
    cells = [None if moment is None else f"{moment}+00:00" for moment in awkward.MOMENTS]
    with Table("duckdb", "x", kind, cells) as table:
        table.base.execute("set timezone = 'Asia/Tokyo'")
        check(table, awkward.moment_conditions("x"), awkward.MOMENTS)
        table.base.execute("reset timezone")


def test_sql_selects_the_rows_of_days_in_duckdb():
    days = [m if m is None else m.replace(hour=0, minute=0, microsecond=0) for m in awkward.MOMENTS]
    with Table("duckdb", "x", "date", days) as table:
        check(table, awkward.moment_conditions("x"), days)


@pytest.mark.parametrize(
    "write",
    [
        str,
        lambda moment: f"{moment}+00:00",
        lambda moment: moment.isoformat(" ", "microseconds"),
        lambda moment: str(moment).removesuffix(" 00:00:00"),
    ],
    ids=["shortest", "with a zone", "all digits", "days"],
)
def test_sql_selects_the_rows_of_moments_in_sqlite(write):
    cells = [None if moment is None else write(moment) for moment in awkward.MOMENTS]
    with Table("sqlite", "x", "timestamp", cells) as table:
        check(table, awkward.moment_conditions("x"), awkward.MOMENTS)


@ENGINES
def test_sql_of_moments_knows_missing_ones(engine):
    with Table(engine, "x", "date", ["2020-01-01", None]) as table:
        assert table.rows(Interval("x", -math.inf, math.inf)) == [0]


@ENGINES
def test_sql_with_known_values_leaves_out_those_never_seen(engine):
    with Table(engine, "odor", "varchar", ["foul", "none", "new", None]) as table:
        assert table.rows(Exclusion("odor", "foul")) == [1, 2]
        assert table.rows(Exclusion("odor", "foul"), {"odor": ["none", "foul"]}) == [1]
        assert table.rows(Exclusion("odor", "foul"), {"odor": ["foul"]}) == []
        assert table.rows(Exclusion("odor", "foul"), {"height": [1]}) == [1, 2]
        assert table.rows(Category("odor", ("new",)), {"odor": ["foul"]}) == [2]


@ENGINES
def test_sql_of_several_conditions_and_of_none(engine):
    with Table(engine, "a", "double", [1.5, 2.5, None]) as table:
        table.base.execute("alter table t add column b varchar")
        table.base.execute("""update t set b = 'x' where "the row" <> 1""")
        rule = Rule((Interval("a", 1.0, 3.0), Category("b", ("x",))), "yes")
        for each, rows in [(rule, [0]), (Rule((), "yes"), [0, 1, 2])]:
            found = table.base.execute(f'select "the row" from t where {each.to_sql()}').fetchall()
            assert sorted(row for (row,) in found) == rows


@ENGINES
def test_sql_numbers_read_back_to_the_same_bits(engine, rng):
    """SQLite 3.40 reads one decimal number in some thousands as the neighbouring double."""
    bits = rng.integers(0, 2**64, 4000, dtype=np.uint64).view(np.float64)
    decimals = [round(number, digits) for digits in range(1, 13) for number in rng.random(2000)]
    numbers = [*bits[np.isfinite(bits)].tolist(), *decimals, *awkward.EDGES, 0.0, 1e15, 1e16]
    base = connect(engine)
    for start in range(0, len(numbers), 500):
        chunk = numbers[start : start + 500]
        claims = [Rule((Interval("x", -math.inf, number),), 1).to_sql() for number in chunk]
        texts = [claim.partition(" <= ")[2] for claim in claims]
        assert list(base.execute(f"select {', '.join(texts)}").fetchone()) == chunk


@awkward.FEWER
@hypothesis.given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1
    ),
    st.data(),
)
def test_sql_selects_the_rows_of_any_texts(name, cells, data):
    value = data.draw(st.sampled_from(cells))
    for engine in ("sqlite", "duckdb") if name.lower() != "the row" else ():
        with Table(engine, name, "varchar", [*cells, None]) as table:
            check(table, [Category(name, (value,)), Exclusion(name, value)], [*cells, None])


@awkward.FEWER
@hypothesis.given(
    st.lists(st.floats(allow_infinity=False), min_size=1),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_sql_selects_the_rows_of_any_numbers(cells, edge):
    cells = [*cells, edge, math.nextafter(edge, -math.inf), math.nextafter(edge, math.inf)]
    cells = [cell for cell in cells if not math.isinf(cell)]
    for engine in ("sqlite", "duckdb"):
        with Table(engine, "x", "double", cells) as table:
            check(table, [*awkward.intervals("x", [edge]), Exclusion("x", edge)], cells)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_sql_refuses_texts_that_databases_do_not_hold(text):
    for condition in (Category("x", (text,)), Category(text, ("x",))):
        with pytest.raises(BadRule, match="SQL takes names and texts without them"):
            Rule((condition,), 1).to_sql()


@pytest.mark.parametrize(
    "condition", [Category("", ("x",)), Exclusion("", "x"), Interval("", 0.0, 1.0)], ids=str
)
def test_sql_refuses_the_empty_name(condition):
    """It was written as two quotes, which DuckDB cannot parse."""
    with pytest.raises(BadRule, match="column ''; SQL takes names of one character or more"):
        Rule((Category("a", ("",)), condition), 1).to_sql()
    assert Rule((Category("a", ("",)),), 1).to_sql() == "\"a\" = ''"


@ENGINES
def test_sql_selects_the_rows_that_the_estimator_covers(engine, rng):
    values = [*"abcdef", "it's", None]
    X = pd.DataFrame(
        {
            "size": np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300)),
            "kind": rng.choice(np.array(values, object), 300),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, 300), "D"),
        }
    )
    is_ill = (X["size"] > 0.3) | (X["kind"] == "it's") | (X["seen"] > "2020-03-01")
    clf = PersonalRuleClassifier(random_state=0).fit(X, np.where(is_ill, "ill", "well"))
    X.loc[::10, "kind"] = "never seen"
    rules = {explanation.rule for explanation in clf.explain(X)}
    assert {type(condition) for rule in rules for condition in rule.conditions} >= {Interval}
    known = {"kind": [value for value in values if value is not None]}
    base = connect(engine)
    kinds = "double, kind varchar, seen timestamp"
    base.execute(f'create table t ("the row" integer, size {kinds})')
    texts = X.assign(seen=X["seen"].astype(str)).astype(object)
    cells = texts.where(X.notna(), None).itertuples(name=None)
    base.executemany("insert into t values (?, ?, ?, ?)", list(cells))
    for rule in [*rules, Rule((Exclusion("kind", "a"),), "ill")]:
        found = base.execute(f'select "the row" from t where {rule.to_sql(known)}').fetchall()
        assert sorted(row for (row,) in found) == np.flatnonzero(clf.cover(rule, X)).tolist()
    base.execute("drop table t")
