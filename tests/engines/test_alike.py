"""Look-alikes: boxes and rules against plain loops over the rows."""

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema
from picrules.engines import alike as engine
from picrules.engines.alike import SCALE, AlikeRows
from picrules.engines.base import Alike, Question, Search
from picrules.engines.training import Training
from picrules.kernels.alike import APART, MOST_STEPS
from picrules.kernels.counting import Asked
from picrules.scoring.settings import Setting, make_scorer
from tests.examples import FEWER

WIDTHS = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 4.0])
SETTING = Setting("evidence", 1.0, 2.0)


@st.composite
def alike_tables(draw, sizes=(1, 9, 40, 80, 300)):
    """Ordered and unordered features with missing values, alike rows, and widths."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_features, n_rows = draw(st.integers(1, 5)), draw(st.sampled_from(sizes))
    n_codes = np.array([draw(st.integers(2, 12)) for _ in range(n_features)])
    is_ordered = np.array([draw(st.booleans()) for _ in range(n_features)])
    codes = np.stack([rng.integers(0, count, n_rows) for count in n_codes]).astype(np.int32)
    codes[rng.random(codes.shape) < draw(st.sampled_from([0.0, 0.2]))] = -1
    copied = rng.integers(0, n_rows, n_rows // 3)
    codes[:, : len(copied)] = codes[:, copied]
    labels = rng.integers(0, draw(st.integers(1, 3)), n_rows)
    widths = [draw(WIDTHS) for _ in range(n_features)]
    alike = Alike(tuple(widths), tuple(is_ordered.tolist()), draw(st.integers(1, 9)))
    features = [
        NumberFeature(f"f{at}", tuple(code + 0.5 for code in range(count - 1)))
        if ordered
        else CategoryFeature(f"f{at}", tuple(f"v{code:02}" for code in range(count)))
        for at, (count, ordered) in enumerate(zip(n_codes.tolist(), is_ordered, strict=True))
    ]
    conditions = Conditions(Schema(tuple(features)), has_intervals=True)
    training = Training.from_rows(codes, labels, n_codes, 3)
    return codes, labels, conditions, training, alike


def steps_between(row, other, conditions, alike):
    """After how many steps the box around a row holds another one, by its definition."""
    steps = 0
    for at, width in enumerate(alike.widths):
        if width == 0 or row[at] < 0:
            continue
        if other[at] < 0:
            return np.inf
        apart = float(APART) * (row[at] != other[at])
        if alike.is_ordered[at]:
            scale = SCALE / (conditions.sets.n_codes[at] - 1)
            apart = abs(round(row[at] * scale) - round(other[at] * scale))
        steps = max(steps, int(np.ceil(apart / width)))
    return steps


def box_by_hand(row, codes, labels, conditions, alike):
    """The steps and class counts of the smallest box that holds enough rows."""
    steps = np.array([steps_between(row, other, conditions, alike) for other in codes.T])
    for step in range(MOST_STEPS + 1):
        is_in = steps <= step
        if is_in.sum() >= alike.least or step == MOST_STEPS:
            return step, np.bincount(labels[is_in], minlength=3).tolist()
    raise AssertionError


def find(training, conditions, alike, asked, n_threads=1):
    scorer = make_scorer(
        [SETTING], training.class_sizes, np.ones(3), 1,
        is_leaving_out=bool((asked.left_out >= 0).any()),
    )  # fmt: skip
    search = Search(SETTING, 9, is_by_class=True, alike=alike)
    rows = AlikeRows(training, conditions.sets, alike)
    return rows, rows.search(Question(asked, scorer, search, n_threads))


@given(table=alike_tables())
def test_boxes_are_the_smallest_that_hold_enough_rows(table):
    codes, labels, conditions, training, alike = table
    asked = Asked(codes, np.full(codes.shape[1], -1))
    rows = AlikeRows(training, conditions.sets, alike)
    boxes = rows.find_boxes(asked.codes, asked.left_out, 1)
    for at, row in enumerate(codes.T):
        step, counts = box_by_hand(row, codes, labels, conditions, alike)
        assert (boxes.steps[at], boxes.counts[at].tolist()) == (step, counts)


@FEWER
@given(table=alike_tables())
def test_a_row_left_out_has_the_box_of_a_table_without_it(table):
    codes, labels, conditions, training, alike = table
    own = Asked(training.codes, training.labels)
    boxes = AlikeRows(training, conditions.sets, alike).find_boxes(own.codes, own.left_out, 1)
    for at in range(len(labels)):
        others = np.arange(len(labels)) != at
        _, counts = box_by_hand(codes[:, at], codes[:, others], labels[others], conditions, alike)
        found = boxes.counts[training.pair_of_row[at]].copy()
        found[labels[at]] -= 1
        assert found.tolist() == counts


@FEWER
@given(table=alike_tables(), n_threads=st.integers(1, 2))
def test_rules_are_short_and_no_less_precise_than_the_box(table, n_threads):
    codes, labels, conditions, training, alike = table
    asked = Asked(codes, np.full(codes.shape[1], -1))
    rows, found = find(training, conditions, alike, asked, n_threads)
    boxes = rows.find_boxes(asked.codes, asked.left_out, 1)
    every = np.repeat(np.arange(len(labels)), 3)
    rules = found.rules(every, np.tile(np.arange(3), len(labels)))
    cells = {
        name: np.array([f"v{code:02}" if code >= 0 else None for code in own], object)
        if isinstance(feature, CategoryFeature)
        else np.where(own < 0, np.nan, own)
        for name, feature, own in (
            (feature.name, feature, codes[at])
            for at, feature in enumerate(conditions.schema.features)
        )
    }
    for at, row in enumerate(every):
        label, length = at % 3, rules.lengths[at]
        box = boxes.counts[row]
        known = zip(rules.features[at, :length], rules.positions[at, :length], strict=True)
        own = [conditions.condition(int(f), int(p)) for f, p in known]
        covers = [condition.covers(cells[condition.feature]) for condition in own]
        if box[label] == 0:
            assert length == 0
            continue
        is_in = np.logical_and.reduce([np.ones(len(labels), bool), *covers])
        assert is_in[row]
        if length:  # without any side the rule has nothing to say
            assert np.bincount(labels[is_in], minlength=3).tolist() == rules.counts[at].tolist()

        def is_enough(covered, label=label, box=box):
            hits = (labels[covered] == label).sum()
            return hits * box.sum() >= box[label] * covered.sum()

        # Complete sides that only exclude missing values are no conditions.
        if length < rows.count_sides(codes[:, [row]], boxes.steps[[row]])[0]:
            assert is_enough(is_in)
        for left in range(length if length > 1 else 0):
            rest = np.logical_and.reduce(
                [np.ones(len(labels), bool), *covers[:left], *covers[left + 1 :]]
            )
            assert not is_enough(rest) or not is_enough(is_in)


# Bytes for bits, and for the class counts of every two and three sides; without bits all rows are
# looked at.
SPACES = [(0, 0, 0), (2**28, 0, 0), (2**28, 2**26, 0), (2**28, 2**26, 2**24)]


@given(
    table=st.one_of(alike_tables(), alike_tables(sizes=(1000, 2000))),
    is_left_out=st.booleans(),
    n_threads=st.integers(1, 2),
)
def test_bits_find_the_boxes_and_rules_that_a_look_at_every_row_finds(
    table, is_left_out, n_threads
):
    """Of large tables the rows of a class take many words, of which some runs are looked at."""
    codes, _, conditions, training, alike = table
    asked = Asked(codes[:, :100].copy(), np.full(min(codes.shape[1], 100), -1))
    if is_left_out:
        asked = Asked(training.codes[:, :100].copy(), training.labels[:100])
    n_rows = len(asked.left_out)
    every, each = np.repeat(np.arange(n_rows), 3), np.tile(np.arange(3), n_rows)
    found = []
    for bit_bytes, pair_bytes, triple_bytes in SPACES:
        with (
            patch.object(engine, "BIT_BYTES", bit_bytes),
            patch.object(engine, "PAIR_BYTES", pair_bytes),
            patch.object(engine, "TRIPLE_BYTES", triple_bytes),
            patch.object(engine, "BLOCK", 16),
        ):
            rows, one = find(training, conditions, alike, asked, n_threads)
            boxes, rules = rows.find_boxes(*asked, n_threads), one.rules(every, each)
            assert (rows._bits is None) == (bit_bytes == 0 or not any(alike.widths))
        arrays = (boxes.steps, boxes.counts, one.scores, rules.lengths, rules.counts)
        found.append([*arrays, rules.features, rules.positions])
    for other in found[1:]:
        for left, right in zip(found[0], other, strict=True):
            assert np.array_equal(left, right)


@given(table=alike_tables())
def test_scores_are_those_of_the_counts(table):
    codes, labels, conditions, training, alike = table
    asked = Asked(codes, np.full(codes.shape[1], -1))
    rows, found = find(training, conditions, alike, asked)
    counts = rows.find_boxes(asked.codes, asked.left_out, 1).counts
    shares = training.class_sizes / len(labels)
    is_known = (codes[np.array(alike.widths) > 0] >= 0).any(axis=0)
    for at, row in enumerate(counts):
        for label in range(3):
            hits, share = row[label], shares[label]
            if hits == 0 or not is_known[at]:
                assert found.scores[at, label] == -np.inf
                continue
            misses = row.sum() - hits
            with np.errstate(divide="ignore"):
                odds = np.log((hits + 2 * share) / (misses + 2 * (1 - share)))
                expected = odds - np.log(share / (1 - share)) if share < 1 else None
            if expected is not None:
                assert np.isclose(found.scores[at, label], expected)
