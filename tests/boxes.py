"""Rules whose conditions are sets of codes, found by looking at every single one.

What a condition covers is asked of the condition itself, as it is printed; nothing here adds up,
passes down or prunes.
"""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from picrules.encoding.conditions import Conditions
from picrules.encoding.schema import CategoryFeature, NumberFeature, Schema
from picrules.engines.training import Training
from picrules.kernels.measures import natural_log
from picrules.scoring.settings import HIGHEST_PRIOR, Setting
from tests.tables import ask, coded_tables


@dataclass
class BoxTable:
    """Training rows, rows that ask, and the conditions of every feature."""

    conditions: Conditions
    codes: np.ndarray
    labels: np.ndarray
    queries: np.ndarray
    n_classes: int

    @property
    def training(self):
        n_codes = self.conditions.sets.n_codes
        return Training.from_rows(self.used_codes, self.labels, n_codes, self.n_classes)

    @property
    def used_codes(self):
        return np.ascontiguousarray(self.codes[self.conditions.features])

    @property
    def asked(self):
        return ask(np.ascontiguousarray(self.queries[self.conditions.features]))

    @property
    def class_sizes(self):
        return np.bincount(self.labels, minlength=self.n_classes)

    def covers(self):
        """For each feature that has conditions: what each of them covers, of rows and queries."""
        cells = {
            feature.name: [None if code < 0 else int(code) for code in (*own, *asked)]
            for feature, own, asked in zip(
                self.conditions.schema.features, self.codes, self.queries, strict=True
            )
        }
        numbers = {name: np.array(column, np.float64) for name, column in cells.items()}
        covers = []
        for number, count in enumerate(self.conditions.n_conditions):
            made = [self.conditions.condition(number, position) for position in range(count)]
            is_number = isinstance(self._feature(number), NumberFeature)
            source = numbers if is_number else cells
            covers.append([condition.covers(source[condition.feature]) for condition in made])
        return covers

    def _feature(self, number):
        return self.conditions.schema.features[self.conditions.features[number]]


@st.composite
def box_tables(draw, max_rows=60, max_features=4):
    """Coded tables with ordered features, categories of few values and of many."""
    table = draw(coded_tables(max_rows=max_rows))
    features = []
    for position, n_codes in enumerate(table.n_codes[:max_features].tolist()):
        kind = draw(st.sampled_from(["number", "category", "ordered"]))
        name = f"f{position}"
        if kind == "number":
            features.append(NumberFeature(name, tuple(code + 0.5 for code in range(n_codes - 1))))
        else:
            features.append(CategoryFeature(name, tuple(range(n_codes)), kind == "ordered"))
    if draw(st.booleans()):  # more values than sets of values are looked at for
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        features[0] = CategoryFeature("f0", tuple(range(7)))
        for codes in (table.codes, table.queries):
            codes[0] = np.where(codes[0] < 0, -1, rng.integers(0, 7, codes.shape[1]))
    has_subsets, has_intervals = draw(st.booleans()), draw(st.booleans())
    conditions = Conditions(Schema(tuple(features)), has_subsets, has_intervals=has_intervals)
    return BoxTable(
        conditions,
        table.codes[: len(features)],
        table.labels,
        np.ascontiguousarray(table.queries[: len(features)]),
        table.n_classes,
    )


SETTINGS = st.one_of(
    st.builds(Setting, st.just("precision"), st.sampled_from([0.0, 0.5, 0.9, 1.0]), st.just(0.0)),
    st.builds(
        Setting,
        st.sampled_from(["smoothed_precision", "certainty_factor", "evidence"]),
        st.sampled_from([0.5, 0.9, 1.0]),
        st.sampled_from([0.3, 1.0, 5.0]),
    ),
)


def score(setting, counts, sizes, weights, label, min_cover):
    """The score of a rule by its definition; None where the class has no rule."""
    if counts[label] < 1 or sum(counts) < min_cover:
        return None
    groups = sorted(set(weights))
    cover = 0.0
    total = 0.0
    for weight in groups:  # added up in the order of the weights, so that sums round alike
        mine = [k for k in range(len(sizes)) if weights[k] == weight]
        cover += weight * sum(counts[k] for k in mine)
        total += weight * sum(sizes[k] for k in mine)
    weighted_share = min(weights[label] * sizes[label] / total, HIGHEST_PRIOR)
    share = min(sizes[label] / sum(sizes), 1.0)
    hits = weights[label] * counts[label]
    recall = counts[label] / sizes[label]
    alpha, m = setting.alpha, setting.smoothing
    if setting.measure == "evidence":
        odds = (hits + m * weighted_share) / (cover - hits + m * (1.0 - weighted_share))
        base = 0.0 if share in (0.0, 1.0) else natural_log(share / (1 - share))
        return alpha * (natural_log(np.float64(odds)) - base) + (1.0 - alpha) * natural_log(recall)
    value = (hits + m * weighted_share) / (cover + m)
    if setting.measure == "certainty_factor" and 0 < share < 1:
        value = (value - share) / (1.0 - share)
    return alpha * value + (1.0 - alpha) * recall


def rules_that_cover(table, depth, asker, left_out=None):
    """Every rule for one asker: features, positions, and the training rows it covers."""
    n_rows = len(table.labels)
    keep = np.arange(n_rows) != (-1 if left_out is None else left_out)
    covers = table.covers()
    for length in range(1, depth + 1):
        for features in combinations(range(len(covers)), length):
            for positions in product(*(range(len(covers[f])) for f in features)):
                chosen = [covers[f][p] for f, p in zip(features, positions, strict=True)]
                if all(condition[asker] for condition in chosen):
                    yield features, positions, [condition[:n_rows][keep] for condition in chosen]


def ranked_rules(table, setting, weights, min_cover, depth, asker, order):
    """The best rules of one asker, whatever their class, the best first.

    Returns (value, score, label, features, positions, counts) for each, and its cover.
    """
    labels = np.delete(table.labels, [] if order.left_out is None else order.left_out)
    sizes = np.bincount(labels, minlength=table.n_classes).tolist()
    in_order = sorted(range(table.n_classes), key=lambda label: -sizes[label])
    found = []
    for features, positions, conditions in rules_that_cover(table, depth, asker, order.left_out):
        cover = np.logical_and.reduce(conditions)
        if len(conditions) > 1 and any(
            np.array_equal(np.logical_and.reduce(conditions[:i] + conditions[i + 1 :]), cover)
            for i in range(len(conditions))
        ):
            continue
        counts = np.bincount(labels[cover], minlength=table.n_classes).tolist()
        scores = [score(setting, counts, sizes, weights, k, min_cover) for k in in_order]
        of_class = [
            (value + order.offset[label], value, label)
            for label, value in zip(in_order, scores, strict=True)
            if value is not None
        ]
        if of_class:
            best = max(of_class, key=lambda entry: entry[0])  # the first of equal ones
            found.append(((*best, features, positions, counts), cover))
    return sorted(found, key=lambda entry: _rank(entry[0], in_order, order.is_class_first))


def _rank(rule, in_order, is_class_first):
    value, own_score, label, features, positions, _ = rule
    conditions = (len(features), features, positions)
    if is_class_first:
        return (-value, in_order.index(label), -own_score, *conditions)
    return (-value, *conditions)


def different_rules(ranked, top, max_overlap):
    """The first rules of a list of which no two cover too much of the same."""
    chosen = []
    for rule, cover in ranked:
        overlaps = [(cover & other).sum() / (cover | other).sum() for _, other in chosen]
        if all(overlap <= max_overlap for overlap in overlaps):
            chosen.append((rule, cover))
    return [rule for rule, _ in chosen[:top]]


@dataclass
class RankOrder:
    """How the rules of one asker are put in order."""

    offset: list
    is_class_first: bool = True
    left_out: int | None = None


def best_rules(table, setting, weights, min_cover, max_length, asker, left_out=None):
    """The best rule of each class for one asker: a query, or a training row that is left out.

    Returns for each class (score, features, positions, counts), or None.
    """
    n_rows = len(table.labels)
    keep = np.ones(n_rows, bool)
    if left_out is not None:
        keep[left_out] = False
    labels = table.labels[keep]
    sizes = np.bincount(labels, minlength=table.n_classes).tolist()
    covers = table.covers()
    best = [None] * table.n_classes
    for length in range(1, max_length + 1):
        for features in combinations(range(len(covers)), length):
            for positions in product(*(range(len(covers[f])) for f in features)):
                chosen = [covers[f][p] for f, p in zip(features, positions, strict=True)]
                covered = np.logical_and.reduce(chosen)
                if not covered[asker]:
                    continue
                found = labels[covered[:n_rows][keep]]
                counts = np.bincount(found, minlength=table.n_classes).tolist()
                for label in range(table.n_classes):
                    value = score(setting, counts, sizes, weights, label, min_cover)
                    if value is not None and (best[label] is None or value > best[label][0]):
                        best[label] = (value, features, positions, counts)
    return best
