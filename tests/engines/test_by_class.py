"""Both engines for conditions that are sets of codes, against looking at every rule."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import NumberFeature, Schema
from picrules.engines import box_rules
from picrules.engines import table as table_engine
from picrules.engines.base import Question, Search
from picrules.engines.plan import ENGINES
from picrules.engines.training import Training
from picrules.kernels.counting import Asked
from picrules.model.searcher import Searcher
from picrules.scoring.settings import Setting, make_scorer
from tests.boxes import SETTINGS, best_rules, box_tables

# The reference looks at every rule in plain Python.
slowly = settings(max_examples=settings().max_examples // 2)


def make_engine(name, table):
    return ENGINES[name](table.training, table.conditions.sets, 2**28)


def by_class(setting, max_length):
    return Search(setting, max_length, is_by_class=True)


def scorer_for(table, setting, weights, min_cover, *, is_leaving_out=False):
    return make_scorer(
        [setting],
        table.class_sizes,
        np.array(weights),
        min_cover,
        is_leaving_out=is_leaving_out,
    )


def found_rules(found, n_rows, n_classes, left_out=None):
    """What an engine found, in the shape of the reference."""
    rows, labels = np.repeat(np.arange(n_rows), n_classes), np.tile(np.arange(n_classes), n_rows)
    rules = found.rules(rows, labels)
    shown = []
    for at, (row, label) in enumerate(zip(rows, labels, strict=True)):
        length = rules.lengths[at]
        if length == 0:
            assert found.scores[row, label] == -np.inf
            shown.append(None)
            continue
        counts = rules.counts[at].copy()
        if left_out is not None:
            counts[left_out[row]] -= 1
        features = tuple(rules.features[at, :length].tolist())
        positions = tuple(rules.positions[at, :length].tolist())
        shown.append((float(found.scores[row, label]), features, positions, counts.tolist()))
    return [shown[start : start + n_classes] for start in range(0, len(shown), n_classes)]


# Engines, and when the table engine finds the boxes of all cells at once: always, or never.
WAYS = [("table", 0.0), ("table", np.inf), ("bitmap", 1.0)]


@pytest.mark.parametrize(("engine", "enough"), WAYS)
@slowly
@given(data=st.data())
def test_best_rule_of_each_class_is_that_of_the_reference(engine, enough, data):
    table = data.draw(box_tables())
    setting, min_cover = data.draw(SETTINGS), data.draw(st.integers(1, 4))
    weights = data.draw(st.lists(st.sampled_from([1.0, 0.7, 3.0]), min_size=5, max_size=5))
    weights = weights[: table.n_classes]
    max_length = data.draw(st.integers(1, 3))
    scorer = scorer_for(table, setting, weights, min_cover)
    n_queries = table.queries.shape[1]
    search = by_class(setting, max_length)
    found = make_engine(engine, table).search(Question(table.asked, scorer, search))
    n_rows = len(table.labels)
    expected = [
        best_rules(table, setting, weights, min_cover, max_length, n_rows + query)
        for query in range(n_queries)
    ]
    with patch.object(box_rules, "ENOUGH", enough):
        for _ in range(2):  # the second time what was found is looked up
            assert found_rules(found, n_queries, table.n_classes) == expected


@pytest.mark.parametrize(("engine", "enough"), WAYS)
@slowly
@given(data=st.data())
def test_leaving_a_row_out_is_to_train_without_it(engine, enough, data):
    table = data.draw(box_tables(max_rows=30, max_features=3))
    setting, min_cover = data.draw(SETTINGS), data.draw(st.integers(1, 4))
    weights = data.draw(st.lists(st.sampled_from([1.0, 0.7]), min_size=5, max_size=5))
    weights = weights[: table.n_classes]
    scorer = scorer_for(table, setting, weights, min_cover, is_leaving_out=True)
    rows = np.arange(min(4, len(table.labels)))
    asked = Asked(np.ascontiguousarray(table.used_codes[:, rows]), table.labels[rows])
    found = make_engine(engine, table).search(Question(asked, scorer, by_class(setting, 2)))
    expected = [
        best_rules(table, setting, weights, min_cover, 2, row, left_out=row) for row in rows
    ]
    with patch.object(box_rules, "ENOUGH", enough):
        rules = found_rules(found, len(rows), table.n_classes, table.labels[rows])
    assert rules == expected


@pytest.mark.parametrize("engine", ENGINES)
@given(table=box_tables(), setting=SETTINGS, n_threads=st.integers(2, 5))
def test_threads_change_nothing(engine, table, setting, n_threads):
    scorer = scorer_for(table, setting, [1.0] * table.n_classes, 1)
    engine, search = make_engine(engine, table), by_class(setting, 3)
    asking = (Question(table.asked, scorer, search, count) for count in (1, n_threads))
    one, many = map(engine.search, asking)
    shape = (table.queries.shape[1], table.n_classes)
    assert found_rules(one, *shape) == found_rules(many, *shape)


@given(
    table=box_tables(max_rows=120), setting=SETTINGS, n_threads=st.integers(1, 2), rows=st.data()
)
def test_boxes_of_all_cells_change_nothing(table, setting, n_threads, rows):
    """Found at once, one by one, in parts of the classes, kept or not, for rows left out or new."""
    is_left_out = rows.draw(st.booleans())
    weights = [1.0, 0.7, 3.0, 1.0, 0.7][: table.n_classes]
    scorer = scorer_for(table, setting, weights, 2, is_leaving_out=is_left_out)
    asked = Asked(table.training.codes, table.training.labels) if is_left_out else table.asked
    shape = (len(asked.left_out), table.n_classes)
    found = []
    for enough, at_once, kept_bytes in [(np.inf, 1, 0), (0.0, 1, 0), (0.0, 2**20, 2**28)]:
        engine = ENGINES["table"](table.training, table.conditions.sets, kept_bytes)
        one = engine.search(Question(asked, scorer, by_class(setting, 3), n_threads))
        with (
            patch.object(box_rules, "ENOUGH", enough),
            patch.object(box_rules, "CELLS_AT_ONCE", at_once),
        ):
            found.append(found_rules(one, *shape))
    assert found[0] == found[1] == found[2]


@given(table=box_tables(), setting=SETTINGS, n_threads=st.integers(1, 3))
def test_kept_scores_change_nothing(table, setting, n_threads):
    scorer = scorer_for(table, setting, [1.0] * table.n_classes, 1)
    engine, search = make_engine("table", table), by_class(setting, 3)
    before = engine.search(Question(table.asked, scorer, search))
    question = Question(table.asked, scorer, search, n_threads)
    assert engine.keep(question)
    after = engine.search(question)
    assert np.array_equal(before.scores, after.scores)
    shape = (table.queries.shape[1], table.n_classes)
    assert found_rules(before, *shape) == found_rules(after, *shape)


def test_the_table_engine_refuses_one_rule_per_row_of_what_it_would_score_otherwise(rng):
    """It scored any measure as precision, and looked at single codes only."""
    cuts = Schema((NumberFeature("x", (0.5, 1.5)), NumberFeature("y", (0.5,))))
    codes = rng.integers(0, 2, (2, 30)).astype(np.int32)
    training = Training.from_rows(codes, codes[0].astype(np.int64), np.array([3, 2]), 2)
    for conditions, measure in (
        (Conditions(cuts), "precision"),
        (Conditions(cuts, is_single=True), "evidence"),
    ):
        setting = Setting(measure, 1.0, 0.0 if measure == "precision" else 1.0)
        searcher = Searcher(training, conditions.sets, np.ones(2), 1, "table")
        with pytest.raises(NotImplementedError, match="search by class"):
            searcher.search(codes, Search(setting, 1), 1)


@given(table=box_tables(), setting=SETTINGS)
def test_a_score_that_no_box_has_is_an_error(table, setting):
    """A box was looked for by its score, and silently left out where none had it."""
    scorer = scorer_for(table, setting, [1.0] * table.n_classes, 1)
    found = make_engine("table", table).search(Question(table.asked, scorer, by_class(setting, 2)))
    rows, labels = np.nonzero(found.scores > -np.inf)
    found.scores[:] = np.nextafter(found.scores, np.inf)
    if len(rows):
        with pytest.raises(AssertionError, match="do not have the scores that were found before"):
            found.rules(rows[:1], labels[:1])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("room", [1, 2**25])
@given(table=box_tables(max_features=3), wanted=st.lists(SETTINGS, min_size=1, max_size=4))
def test_many_settings_at_once_are_each_alone(engine, room, table, wanted):
    ordered = sorted(wanted, key=lambda setting: setting.measure == "evidence")
    weights = np.ones(table.n_classes)
    scorer = make_scorer(ordered, table.class_sizes, weights, 2, is_leaving_out=True)
    asked = Asked(table.used_codes, table.labels)
    engine = make_engine(engine, table)
    best = np.full((len(table.labels), table.n_classes, len(ordered)), -np.inf)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_engine, "SCORE_BYTES", room)
        for length in (1, 2):
            engine.raise_scores(Question(asked, scorer, by_class(ordered[0], 2), 2), length, best)
    for at, setting in enumerate(ordered):
        one = scorer_for(table, setting, weights, 2, is_leaving_out=True)
        found = engine.search(Question(asked, one, by_class(setting, 2)))
        assert np.array_equal(best[:, :, at], found.scores)


@given(table=box_tables(), setting=SETTINGS, times=st.integers(2, 3))
def test_searcher_answers_repeated_rows_alike(table, setting, times):
    searcher = Searcher(table.training, table.conditions.sets, np.ones(table.n_classes), 1)
    codes, search = np.tile(table.asked.codes, times), by_class(setting, 2)
    found = searcher.search(codes, search, 1)
    n_queries = table.queries.shape[1]
    rules = found_rules(found, codes.shape[1], table.n_classes)
    once = found_rules(searcher.search(table.asked.codes, search, 1), n_queries, table.n_classes)
    assert rules == once * times


@pytest.mark.slow
@pytest.mark.parametrize(("n_features", "n_rows", "n_classes"), [(12, 300, 26), (5, 20_000, 3)])
def test_engines_agree_on_larger_tables(n_features, n_rows, n_classes, rng):
    """Shapes past the reach of the reference: many classes, many words."""
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)])
    codes = rng.integers(-1, 6, (n_features, n_rows)).astype(np.int32)
    codes[1] = np.where(rng.random(n_rows) < 0.6, labels % 6, codes[1])
    cuts = (0.5, 1.5, 2.5, 3.5, 4.5)
    schema = Schema(tuple(NumberFeature(f"f{i}", cuts) for i in range(n_features)))
    sets = Conditions(schema, False).sets
    training = Training.from_rows(codes, labels, sets.n_codes, n_classes)
    weights = n_rows / training.class_sizes
    found = []
    for engine in ENGINES:
        searcher = Searcher(training, sets, weights, 3, engine)
        search = by_class(Setting("evidence", 0.9, 1.0), 2)
        answer = searcher.search(np.ascontiguousarray(codes[:, :20]), search, 2)
        found.append(found_rules(answer, 20, n_classes))
    assert found[0] == found[1]


@given(table=box_tables(), setting=SETTINGS)
def test_a_searcher_that_is_asked_once_finds_the_same(table, setting):
    weights = np.ones(table.n_classes)
    parts = (table.training, table.conditions.sets, weights, 1, "table")
    codes, search = table.asked.codes, by_class(setting, 2)
    once, often = Searcher(*parts, is_reused=False), Searcher(*parts)
    found, expected = (each.search(codes, search, 1) for each in (once, often))
    assert np.array_equal(found.scores, expected.scores)
    assert once.prepare("table")._kept_scores is None


@pytest.mark.slow
def test_engines_agree_where_cells_are_far_more_than_rows():
    """The table engine left cells out that no row is in, and added up wrong ones."""
    cuts = (20_000, 3, 2)
    schema = Schema(tuple(
        NumberFeature(f"x{at}", tuple(map(float, range(n)))) for at, n in enumerate(cuts)
    ))  # fmt: skip
    conditions, rng = Conditions(schema), np.random.default_rng(0)
    codes = np.array([rng.integers(0, n + 1, 30) for n in cuts], np.int32)
    labels = ((codes[0] > 9000) ^ (codes[1] > 1)).astype(np.int64)
    training = Training.from_rows(codes, labels, conditions.sets.n_codes, 2)
    setting = Setting("evidence", 1.0, 2.0)
    scorer = make_scorer([setting], training.class_sizes, np.ones(2), 1, is_leaving_out=False)
    asked = Asked(codes, np.full(30, -1))
    found = [
        found_rules(
            ENGINES[name](training, conditions.sets, 2**28).search(
                Question(asked, scorer, by_class(setting, 2))
            ), 30, 2,
        )
        for name in ENGINES
    ]  # fmt: skip
    assert found[0] == found[1]
