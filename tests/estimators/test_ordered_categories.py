"""Categories with an order: what a rule prints selects the rows that were counted."""

import sqlite3
from contextlib import closing
from math import inf

import duckdb
import hypothesis
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import strategies as st

import picrules
from picrules import Interval, PersonalRuleClassifier, PICClassifier, parse_rule, score_rule
from picrules.encoding.columns import read_columns
from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import learn_schema
from picrules.errors import BadRule
from tests.examples import FEWER
from tests.rules import awkward

LEVELS = ["very low", "low", "2020-01-01", "7", 'say "hi"', "Ω, very high"]  # not alphabetical
NAMES = st.sampled_from(awkward.NAMES)
TEXTS = st.lists(
    st.sampled_from([*LEVELS, *filter(None, awkward.TEXTS)]), min_size=3, max_size=7, unique=True
)
NUMBERS = st.lists(
    st.integers(-3, 9) | st.sampled_from([0.5, 2.25, 1e300]), min_size=3, max_size=7, unique=True
)


def level_table(n_rows=400, seed=0, levels=tuple(LEVELS)):
    """Classes that follow a level, with some missing."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, len(levels), n_rows)
    cells = [levels[place] for place in places]
    cells[::17] = [None] * len(cells[::17])
    X = pd.DataFrame(
        {"level": pd.Categorical(cells, levels, ordered=True), "x": rng.normal(size=n_rows)}
    )
    is_high = (places > 2) | (X.x > 1.5) | (rng.random(n_rows) < 0.05)
    return X, np.where(is_high, "yes", "no")


def selected(base, table, rule, known):
    """The rows that a database selects."""
    query = f'select "the row" from {table} where {rule.to_sql(known)} order by 1'
    return [row for (row,) in base.execute(query).fetchall()]


def to_known(schema):
    return {each.name: each.categories for each in schema.features if each.kind == "category"}


@FEWER
@hypothesis.given(NAMES, TEXTS | NUMBERS.map(sorted), st.data())
def test_every_interval_of_categories_reads_back_and_selects_its_rows(name, order, data):
    """Held against pandas' own comparison of ordered categories, DuckDB, SQLite and Polars."""
    hypothesis.assume("\n" not in name)
    positions = data.draw(st.lists(st.integers(-1, len(order) - 1), min_size=4, max_size=30))
    cells = pd.Series(pd.Categorical.from_codes(positions, order, ordered=True), name=name)
    X = cells.to_frame()
    schema = learn_schema(read_columns(X), [1], None)
    conditions = Conditions(schema, has_subsets=True, has_intervals=True)
    known, frame = to_known(schema), X.astype(object).where(X.notna(), None)
    frame["the row"] = np.arange(len(X))
    kind = "varchar" if isinstance(order[0], str) else "double"
    quoted = '"' + name.replace('"', '""') + '"'
    with closing(duckdb.connect(":memory:")) as one, closing(sqlite3.connect(":memory:")) as other:
        bases = [one, other]
        for base in bases:
            base.execute(f'create table t ({quoted} {kind}, "the row" integer)')
            base.executemany("insert into t values (?, ?)", frame.to_numpy().tolist())
        for position in range(sum(conditions.n_conditions)):
            condition = conditions.condition(0, position)
            rule = parse_rule(str(picrules.Rule((condition,), "yes")))
            assert rule.conditions == (condition,)
            codes = np.flatnonzero(schema.features[0].holds(condition))
            expected = np.flatnonzero(np.isin(schema.encode(read_columns(X))[0], codes)).tolist()
            covered = schema.check_rule(rule).covers(schema.read(read_columns(X)), len(X))
            assert np.flatnonzero(covered).tolist() == expected
            mask = eval(rule.to_pandas(known), {"df": X, "pd": pd})
            assert np.flatnonzero(mask).tolist() == expected
            if isinstance(condition, Interval):
                as_printed = cells.notna()
                if condition.lower != -inf:
                    as_printed &= cells > condition.lower
                if condition.upper != inf:
                    as_printed &= cells <= condition.upper
                assert np.flatnonzero(as_printed).tolist() == expected
            for base in bases:
                assert selected(base, "t", rule, known) == expected
            if kind == "varchar":
                column = pl.Series(name, frame[name].tolist(), pl.Enum(order))
                mask = column.to_frame().select(eval(rule.to_polars(known), {"pl": pl}))
                # A list: Polars takes the name of a series for a pattern, `fill_null` of one too.
                found = mask.to_series().to_list()
                assert [row for row, holds in enumerate(found) if holds] == expected


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("look_alikes", [False, True])
def test_printed_rules_select_the_rows_that_were_counted(kind, look_alikes, tmp_path):
    X, y = level_table()
    if kind == "polars":
        cells = X.level.astype(object).where(X.level.notna(), None).tolist()
        X = pl.DataFrame({"level": pl.Series(cells, dtype=pl.Enum(LEVELS)), "x": X.x.to_numpy()})
    settings = {"cuts": 4, "max_length": 2}
    clf = PersonalRuleClassifier(look_alikes=look_alikes, intervals=True, **settings).fit(X, y)
    clf.save(tmp_path / "m.pic")
    explanations = clf.explain(X)
    told = [str(each.rule) for each in explanations]
    assert [str(each.rule) for each in picrules.load(tmp_path / "m.pic").explain(X)] == told
    base, frame = duckdb.connect(":memory:"), X.to_pandas() if kind == "polars" else X
    frame = frame.assign(**{"the row": range(len(y))}).astype({"level": object})
    base.register("t", frame)
    for each in {str(one.rule): one for one in explanations}.values():
        rule = parse_rule(str(each.rule))
        assert rule == each.rule
        assert clf.cover(rule, X).sum() == each.cover_size
        rows = selected(base, "t", rule, to_known(clf.schema_))
        assert len(rows) == each.cover_size
        assert [y[row] for row in rows].count(rule.label) == each.class_counts[rule.label]
    # A box around a row may hold one level alone.
    wanted = "level = " if look_alikes else 'level > "'
    assert any(wanted in text for text in told)
    assert not any("level in" in text for text in told)


def test_numbers_that_fall_in_their_order_stand_as_sets():
    """`<=` would say the opposite of what the order means."""
    X, y = level_table(levels=(5, 3, 2, 1))
    clf = PersonalRuleClassifier(cuts=4, max_length=1, intervals=True).fit(X, y)
    texts = [str(condition) for each in clf.explain(X) for condition in each.rule.conditions]
    assert any("level" in text for text in texts)
    assert not any("level" in text and "<" in text for text in texts)


def test_what_if_and_smallest_changes_speak_of_the_order():
    X, y = level_table()
    clf = PersonalRuleClassifier(cuts=4, max_length=1).fit(X, y)
    row = {"level": "low", "x": 0.0}
    assert 'because level <= "2020-01-01"' in str(clf.what_if(row, level="very low"))
    change = clf.smallest_changes(row)[0]
    assert 'because level > "2020-01-01"' in str(change)
    assert 'level > "2020-01-01"' in str(change.to_dict()["explanation"]["rule"])


def test_a_category_never_seen_in_training_lies_in_no_interval():
    X, y = level_table()
    clf = PersonalRuleClassifier(cuts=4, max_length=1).fit(X[X.level != "7"], y[X.level != "7"])
    rule = parse_rule('if level > "2020-01-01" then yes')
    asked = X[X.level == "7"]
    assert not clf.cover(rule, asked).any()
    frame = asked.assign(**{"the row": 0}).astype({"level": object})
    base = duckdb.connect(":memory:")
    base.register("t", frame)
    assert selected(base, "t", rule, to_known(clf.schema_)) == []


def test_the_paper_has_single_categories():
    X, y = level_table()
    rules = {str(each.rule) for each in PICClassifier(max_length=1).fit(X, y).explain(X)}
    assert any("level = " in rule for rule in rules)
    assert not any('level <= "' in rule or 'level > "' in rule for rule in rules)


def test_a_rule_of_ones_own_takes_the_order_of_the_table():
    X, y = level_table()
    places = X.level.cat.codes
    score = score_rule('if "low" < level <= "7" then yes', X, y)
    assert score.cover_size == places.isin([2, 3]).sum()
    # A category that no row holds has its place in the order all the same.
    without = X.level != "7"
    score = score_rule('if "low" < level <= "7" then yes', X[without], y[without])
    assert score.cover_size == (places == 2).sum()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('if level <= "none" then yes', "has the end 'none'; the order of 'level' is"),
        ('if "7" < level <= "low" then yes', "has its ends turned round"),
        ("if level <= 7 then yes", "has the end 7.0"),
        ('if x <= "7" then yes', "does not fit the column 'x', which holds numbers"),
        ('if plain <= "a" then yes', "does not fit the column 'plain', which holds categories"),
    ],
)
def test_ends_that_do_not_fit_are_refused(text, part):
    X, y = level_table(50)
    with pytest.raises(BadRule, match=part):
        score_rule(text, X.assign(plain="a"), y)


def test_other_languages_need_the_order():
    rule = parse_rule('if level <= "b" then yes')
    with pytest.raises(BadRule, match="in which order the categories of 'level' stand"):
        rule.to_sql()
    assert rule.to_sql({"level": ["c", "b", "a"]}) == "\"level\" IN ('b', 'c')"
    assert rule.to_english() == "If level is at most b, then yes."
    assert parse_rule('if level > "b" then yes').to_english() == "If level is above b, then yes."


@pytest.mark.parametrize("order", [("a", 1), (1, 3, 2), ("a", "a"), (True, "a"), (None,)])
def test_an_order_is_of_texts_or_of_rising_numbers(order):
    with pytest.raises(BadRule, match="the order of 'level'"):
        Interval("level", -inf, inf, order)
