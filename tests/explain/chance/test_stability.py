from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.errors import BadParameter
from tests import reference
from tests.explain.chance.test_significance import each_estimator, noise, to_cells
from tests.tables import coded_tables, to_rows


@given(
    table=coded_tables(max_rows=30),
    seed=st.integers(0, 1000),
    alpha=st.sampled_from([0.3, 0.9, 1.0]),
    is_greedy=st.booleans(),
)
@settings(max_examples=60)
def test_shares_are_those_of_plain_resamples(table, seed, alpha, is_greedy):
    """Also where a resample lacks a class, and where no rule covers a row."""
    estimator = PICClassifier if is_greedy else FPICClassifier
    search = reference.naive_greedy if is_greedy else reference.fpic
    fitted = estimator(alpha=alpha, max_length=2).fit(to_cells(table.codes), table.labels)
    found = fitted.stability(to_cells(table.queries), n_resamples=7, random_state=seed)

    n_rows = len(table.labels)
    order = sorted(range(n_rows), key=lambda row: (*table.codes[:, row], table.labels[row]))
    rng = np.random.default_rng(seed)
    resamples = [np.array(order)[rng.integers(0, n_rows, n_rows)] for _ in range(7)]
    for x, row in zip(to_rows(table.queries), found, strict=True):
        rules = Counter()
        for drawn in resamples:
            labels = table.labels[drawn].tolist()
            best = search(to_rows(table.codes[:, drawn]), labels, table.n_classes, x, alpha, 2)
            sizes = reference.class_sizes(labels, table.n_classes)
            label = best.label if best.features else sizes.index(max(sizes))
            rules[tuple(f"x{feature}" for feature in best.features), label] += 1
        expected = {rule: count / 7 for rule, count in rules.items()}
        named = {
            (tuple(condition.feature for condition in rule.conditions), rule.label): share
            for rule, share in row.rules
        }
        assert named == expected
        for label in range(table.n_classes):
            share = sum(count for (_, other), count in rules.items() if other == label) / 7
            assert row.classes[label] == share


@each_estimator
def test_a_feature_that_decides_the_class_is_always_the_rule(estimator):
    """Its rules cover all rows of their class and no others, so none can be better, and as good
    ones are longer or of a later column; the other class has no rule but that of everything."""
    decides = np.repeat(["a", "b"], 40)
    X = np.column_stack([decides, decides, np.full(80, "c")]).astype(object)
    found = estimator.fit(X, decides).stability(X[[0, 79]], n_resamples=50)
    for row, name in zip(found, ["a", "b"], strict=True):
        assert row.class_share == row.rule_share == 1
        assert str(row.rule) == f"if x0 = {name} then {name}"
        assert row.rules == ((row.rule, 1.0),)
        assert row.classes == {"a": float(name == "a"), "b": float(name == "b")}
    assert "Otherwise" not in str(found)


@each_estimator
def test_noise_is_not_stable(estimator, rng):
    X, y = noise(rng, 60)
    found = estimator.fit(X, y).stability(noise(rng, 30)[0], 40)
    assert np.median(found.rule_shares) < 0.5
    assert found.class_shares.tolist() == [row.class_share for row in found]
    assert found.rule_shares.tolist() == [row.rule_share for row in found]
    for row in found:
        shares = [share for _, share in row.rules]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1)
        assert sum(row.classes.values()) == pytest.approx(1)
        assert row.class_share >= row.rule_share


@each_estimator
def test_nothing_but_the_seed_matters(estimator, rng):
    X, y = noise(rng, 100)
    new = noise(rng, 12)[0]
    first = estimator.set_params(n_jobs=1).fit(X, y).stability(new, 12, random_state=3)
    for n_jobs in (1, 2):
        order = rng.permutation(100)
        fitted = estimator.set_params(n_jobs=n_jobs).fit(X[order], y[order])
        again = fitted.stability(new, 12, random_state=3)
        assert again == first
        assert again.to_dict() == first.to_dict()
        assert str(again) == str(first)
    assert fitted.stability(new, 12, random_state=4) != first


@each_estimator
def test_a_resample_may_lack_a_class(estimator, rng):
    """One row in 30 is of the class, so a third of the resamples have none of it."""
    X, _ = noise(rng, 30)
    y = np.where(np.arange(30) == 0, "rare", np.where(np.arange(30) % 2, "odd", "even"))
    found = estimator.fit(X, y).stability(X[:1], 60)
    assert found[0].classes["rare"] < 0.9
    assert sum(found[0].classes.values()) == pytest.approx(1)


def test_results_can_be_taken_elsewhere(rng):
    X, y = noise(rng, 60)
    found = FPICClassifier().fit(X, y).stability(noise(rng, 4)[0], 30)
    assert found.to_frame()["rule_share"].tolist() == found.rule_shares.tolist()
    assert found.to_frame("polars")["class_share"].to_list() == found.class_shares.tolist()
    entry = found.to_dict()["rows"][0]
    assert entry["rules"][0] == {"rule": str(found[0].rules[0][0]), "share": found[0].rules[0][1]}
    assert len(entry["rules"]) <= 5
    text = str(found[0])
    assert "of 30 resamples" in text
    assert "other rules" in text
    assert "held fixed" in str(found)


def test_bad_parameters_are_refused(rng):
    fitted = PersonalRuleClassifier(cuts=3, max_length=1).fit(*noise(rng, 20))
    with pytest.raises(BadParameter, match="n_resamples is 0; a whole number from 1 to"):
        fitted.stability(noise(rng, 1)[0], n_resamples=0)
    with pytest.raises(BadParameter, match="random_state is 'x'; a whole number from 0 to"):
        fitted.stability(noise(rng, 1)[0], random_state="x")
