"""Columns with a time zone: rules print moments on its clocks, and select by moments."""

import json
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import picrules
from picrules import FPICClassifier, PersonalRuleClassifier, parse_rule
from picrules.encoding.columns import read_columns
from picrules.errors import BadModelFile
from picrules.rules.zones import find_zone
from tests.cli.running import run
from tests.persist import damage

ZONE = "America/New_York"


def seen_table(n_rows=200):
    """Moments around the days when clocks change, of which the later ones are another class."""
    rng = np.random.default_rng(0)
    seconds = rng.integers(0, 500 * 86400, n_rows)
    seen = pd.Timestamp("2021-01-01", tz="UTC") + pd.to_timedelta(np.sort(seconds), "s")
    X = pd.DataFrame({"seen": seen.tz_convert(ZONE), "x": rng.normal(size=n_rows).round(2)})
    return X, np.where(np.arange(n_rows) > n_rows // 3, "late", "early")


@pytest.fixture(scope="module", params=["personal", "fpic"])
def fitted(request):
    X, y = seen_table()
    settings = {"cuts": 8, "max_length": 1}
    personal = PersonalRuleClassifier(look_alikes=False, **settings)
    return (personal if request.param == "personal" else FPICClassifier(max_length=1)).fit(X, y)


def shown(rule):
    """The moments in the text of a rule."""
    return [word for word in str(rule).split() if word.startswith("20")]


def test_rules_print_moments_of_the_zone_and_select_the_counted_rows(fitted):
    X, _ = seen_table()
    offsets = set()
    for each in fitted.explain(X):
        rule = parse_rule(str(each.rule))
        assert (rule, str(rule)) == (each.rule, str(each.rule))
        for text in shown(rule):
            moment = pd.Timestamp(text)
            assert moment.utcoffset() == moment.tz_convert(ZONE).utcoffset()
            offsets.add(text[-6:])
        for table in (X, X.assign(seen=X.seen.dt.tz_convert("UTC")), pl.from_pandas(X)):
            assert fitted.cover(rule, table).sum() == each.cover_size
        mask = eval(rule.to_pandas(), {"df": X, "pd": pd})
        assert mask.sum() == each.cover_size
    seen = fitted.schema_.features[0]
    cuts = {text for code in range(seen.n_codes) for text in shown(seen.condition(code))}
    assert offsets <= {text[-6:] for text in cuts} == {"-05:00", "-04:00"}
    assert 0 in {pd.Timestamp(text).hour for text in cuts}  # days begin on the clocks of New York


def test_what_if_takes_the_moment_that_a_rule_prints(fitted):
    X, _ = seen_table()
    text = shown(fitted.explain(X)[-1].rule)[0]
    result = fitted.what_if(X.iloc[0], seen=text)
    old, new = result.changes["seen"]
    assert new == pd.Timestamp(text)
    assert f"With seen = {text} instead of " in str(result)
    assert old == X.seen[0]
    assert json.dumps(result.to_dict()["changes"][0]["new"]) == f'"{text}"'
    change = fitted.smallest_changes(X.iloc[0])[0]
    assert all(pd.Timestamp(word).tzinfo is not None for word in shown(change.explanation.rule))


def test_files_keep_the_zone(fitted, tmp_path):
    X, y = seen_table()
    fitted.save(tmp_path / "m.pic")
    told = [str(each) for each in fitted.explain(X)]
    assert [str(each) for each in picrules.load(tmp_path / "m.pic").explain(X)] == told
    text, _ = damage.read_parts((tmp_path / "m.pic").read_bytes())
    content = json.loads(text)
    assert content["state"]["features"][0]["zone"] == ZONE
    assert content["format"] == 4
    fitted_without = FPICClassifier(max_length=1).fit(X[["x"]], y)
    fitted_without.save(tmp_path / "n.pic")
    without, _ = damage.read_parts((tmp_path / "n.pic").read_bytes())
    assert b"zone" not in without


@pytest.mark.parametrize("zone", ["", "../../etc/passwd", "+25:00", 7, None, "a" * 65, "A B", "/x"])
def test_a_file_with_another_zone_is_refused(fitted, zone, tmp_path):
    fitted.save(tmp_path / "m.pic")
    text, arrays = damage.read_parts((tmp_path / "m.pic").read_bytes())
    content = json.loads(text)
    content["state"]["features"][0]["zone"] = zone
    changed = damage.write_parts(json.dumps(content).encode(), arrays)
    (tmp_path / "m.pic").write_bytes(changed)
    with pytest.raises(BadModelFile, match="the name of a time zone is expected"):
        picrules.load(tmp_path / "m.pic")


def test_a_zone_that_this_machine_does_not_know_is_shown_in_utc(fitted, tmp_path):
    fitted.save(tmp_path / "m.pic")
    X, _ = seen_table()
    changed = (tmp_path / "m.pic").read_bytes()
    text, arrays = damage.read_parts(changed)
    other = text.replace(ZONE.encode(), b"Mars/Olympus")
    (tmp_path / "m.pic").write_bytes(damage.write_parts(other, arrays))
    loaded = picrules.load(tmp_path / "m.pic").explain(X)
    assert [each.rule for each in loaded] == [each.rule for each in fitted.explain(X)]
    assert all(word.endswith("+00:00") for each in loaded for word in shown(each.rule))


def test_the_command_line_prints_the_zone(fitted, tmp_path):
    X, y = seen_table()
    fitted.save(tmp_path / "m.pic")
    X.assign(y=y).to_parquet(tmp_path / "new.parquet")
    X.assign(y=y).to_csv(tmp_path / "new.csv", index=False)
    for name in ("new.parquet", "new.csv"):
        content = json.loads(run("rules", tmp_path / "m.pic", tmp_path / name, "--json").stdout)
        rules = {entry["rule"] for entry in content["rules"]}
        assert rules == {str(each.rule) for each in fitted.explain(X)}


WEST = timezone(timedelta(hours=-3))
ZONED = [datetime(2021, 7, 1, 12, tzinfo=find_zone(ZONE)), None]


@pytest.mark.parametrize(
    ("column", "zone"),
    [
        (pd.Series(pd.to_datetime(ZONED, utc=True)).dt.tz_convert(ZONE), ZONE),
        (pd.Series(ZONED, dtype=object), ZONE),
        (pd.Series(pd.to_datetime(["2021-07-01"])), ""),
        (pd.Series([datetime(2021, 7, 1, tzinfo=WEST)], dtype=object), "-03:00"),
        (pd.Series([datetime(2021, 7, 1, tzinfo=UTC), ZONED[0]], dtype=object), "UTC"),
        (pd.Series([datetime(2021, 7, 1), ZONED[0]], dtype=object), "UTC"),
        (pl.Series([datetime(2021, 7, 1)]).dt.replace_time_zone("Asia/Kolkata"), "Asia/Kolkata"),
        (pa.chunked_array([pa.array([0], pa.timestamp("us", "+05:30"))]), "+05:30"),
    ],
)  # fmt: skip
def test_every_library_tells_its_zone(column, zone):
    frames = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    (read,) = read_columns(frames[type(column).__module__.partition(".")[0]]({"a": column}))
    assert read.zone == zone
