import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from picrules.errors import BadParameter
from picrules.explain.chance.shuffles import shuffle_labels
from picrules.explain.chance.significance import check_chance
from picrules.explain.chance.stability import check_stability
from tests import reference
from tests.tables import coded_tables, to_rows

PERSONAL = PersonalRuleClassifier(
    alpha=0.9, smoothing=1, cuts=4, subsets=True, max_length=2, min_cover=2, class_offset=False
)
ESTIMATORS = [PICClassifier(), FPICClassifier(max_length=2), PERSONAL]
each_estimator = pytest.mark.parametrize(
    "estimator", ESTIMATORS, ids=lambda one: type(one).__name__
)


def noise(rng, n_rows, n_columns=4):
    X = rng.normal(size=(n_rows, n_columns))
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, rng.choice(["no", "yes"], n_rows, p=[0.6, 0.4])


def to_cells(codes):
    """Codes as categories, which keep their order; -1 is missing."""
    names = np.array(["v0", "v1", "v2", "v3", "v4", None], object)
    return names[codes].T


@given(
    table=coded_tables(max_rows=40),
    seed=st.integers(0, 1000),
    alpha=st.sampled_from([0.3, 0.9, 1.0]),
    is_greedy=st.booleans(),
)
@settings(max_examples=60)
def test_p_values_are_those_of_plain_shuffles(table, seed, alpha, is_greedy):
    estimator = PICClassifier if is_greedy else FPICClassifier
    search = reference.naive_greedy if is_greedy else reference.fpic
    fitted = estimator(alpha=alpha, max_length=2).fit(to_cells(table.codes), table.labels)
    found = fitted.significance(to_cells(table.queries), n_permutations=9, random_state=seed)

    # The classes are shuffled in the order of the sorted rows; the codes in use are those of
    # values that occur, in the same order.
    order = sorted(
        range(len(table.labels)), key=lambda row: (*table.codes[:, row], table.labels[row])
    )
    rows, labels = to_rows(table.codes[:, order]), table.labels[order]
    rng = np.random.default_rng(seed)
    shuffles = [labels, *(rng.permutation(labels) for _ in range(9))]
    for x, row in zip(to_rows(table.queries), found, strict=True):
        values = [
            search(rows, shuffled.tolist(), table.n_classes, x, alpha, 2).score
            for shuffled in shuffles
        ]
        assert row.p_value == sum(value >= values[0] for value in values) / 10


def p_values_of_noise(n_rows):
    """One p-value per table, since those of one table depend on each other."""
    rng = np.random.default_rng(0)
    p_values = []
    for seed in range(300):
        fitted = FPICClassifier(max_length=2).fit(*noise(rng, n_rows))
        new = rng.normal(size=(1, 4))
        p_values.append(fitted.significance(new, 99, random_state=seed).p_values[0])
    # There are a hundred different p-values; each stands for a step of that width.
    return np.array(p_values) - rng.random(300) / 100


@pytest.mark.slow
def test_p_values_of_random_labels_are_uniform():
    """With 1,500 rows few rules score exactly alike."""
    assert kstest(p_values_of_noise(1500), "uniform").pvalue > 0.05


@pytest.mark.slow
def test_p_values_of_few_rows_are_on_the_safe_side():
    """With 150 rows one shuffle in ten ties with the rule, and a tie counts against it."""
    p_values = p_values_of_noise(150)
    assert kstest(p_values, "uniform", alternative="greater").pvalue > 0.05
    assert np.mean(p_values) > 0.5


def test_fishers_p_values_of_random_labels_are_far_too_small():
    """What the permutations are for: most rules of pure noise look significant by themselves."""
    rng = np.random.default_rng(1)
    X, y = noise(rng, 150, 8)
    found = FPICClassifier(alpha=0.9).fit(X, y).significance(rng.normal(size=(40, 8)), 50)
    assert np.median(found.fisher_p_values) < 0.05
    assert np.median(found.p_values) > 0.1


@each_estimator
def test_a_strong_rule_has_the_smallest_p_value(estimator, rng):
    X, _ = noise(rng, 200)
    X[:, 2] = rng.integers(0, 2, 200)
    found = estimator.fit(X, X[:, 2] == 1).significance([[0.0, 0.0, 1.0, 0.0]], 40)
    assert found.p_values.tolist() == [1 / 41]
    assert found[0].n_as_good == 0
    assert [condition.feature for condition in found[0].rule.conditions] == ["x2"]


@each_estimator
def test_nothing_but_the_seed_matters(estimator, rng):
    X, y = noise(rng, 120)
    new = noise(rng, 15)[0]
    first = estimator.set_params(n_jobs=1).fit(X, y).significance(new, 10, random_state=3)
    for n_jobs in (1, 2):
        order = rng.permutation(120)
        fitted = estimator.set_params(n_jobs=n_jobs).fit(X[order], y[order])
        again = fitted.significance(new, 10, random_state=3)
        assert again == first
        assert again.to_dict() == first.to_dict()
    assert fitted.significance(new, 10, random_state=4) != first


@each_estimator
def test_a_row_that_no_rule_covers_has_the_p_value_one(estimator, rng):
    X, y = noise(rng, 60)
    new = np.vstack([np.full((1, 4), np.nan), X[:1]])
    found = estimator.fit(X, y).significance(new, 19)
    assert found.p_values[0] == found.fisher_p_values[0] == found.adjusted[0] == 1
    assert "no rule covers this row" in str(found[0])
    assert "no rule covers" not in str(found[1])


@each_estimator
def test_rows_stand_for_themselves(estimator, rng):
    """Identical rows, and rows asked with others, have the p-value they have alone."""
    X, y = noise(rng, 100)
    new = noise(rng, 6)[0]
    fitted = estimator.fit(X, y)
    together = fitted.significance(new[[0, 1, 1, 2, 3, 0, 4, 5]], 12)
    alone = [fitted.significance(row[np.newaxis], 12).p_values[0] for row in new]
    assert together.p_values.tolist() == [alone[i] for i in (0, 1, 1, 2, 3, 0, 4, 5)]
    explanations = fitted.explain(new[[0, 1, 1, 2, 3, 0, 4, 5]])
    for entry, explanation in zip(together, explanations, strict=True):
        assert entry.rule == explanation.rule
        assert entry.fisher_p_value == explanation.fisher_p_value


def test_p_values_count_the_class_offsets(rng):
    """With a large offset for a class only its rules are compared, however they score."""
    X, y = noise(rng, 150)
    fitted, new = clone(PERSONAL).fit(X, y), noise(rng, 4)[0]
    model = fitted._model
    codes = model.encode(fitted._read_rows(new))
    model.offset = np.array([0.0, 10.0])
    found = fitted.significance(new, 20, random_state=5)
    assert [row.rule.label for row in found] == ["yes"] * 4
    own = model.ask(codes).found.scores[:, 1]
    shuffled = [
        model.trained_on(*rows).ask(codes).found.scores[:, 1]
        for rows in shuffle_labels(model.training, 20, 5)
    ]
    assert found.n_as_good.tolist() == (np.array(shuffled) >= own).sum(axis=0).tolist()


def test_results_can_be_taken_elsewhere(rng):
    X, y = noise(rng, 100)
    found = FPICClassifier().fit(X, y).significance(noise(rng, 5)[0], 10)
    frame = found.to_frame()
    assert frame["p_value"].tolist() == found.p_values.tolist()
    assert found.to_frame("polars")["rule"].to_list() == [str(row.rule) for row in found]
    assert [row["adjusted"] for row in found.to_dict()["rows"]] == found.adjusted.tolist()
    assert found[-1] == found[4]
    assert list(found[1:3]) == [found[1], found[2]]
    assert found[0].to_dict()["n_permutations"] == 10
    text = str(found)
    assert "ignores the search" in text
    assert "held fixed" in text
    assert len(text.splitlines()) == 5 + 5


@each_estimator
@pytest.mark.parametrize("check", [check_chance, check_stability])
def test_an_interrupt_leaves_the_estimator_usable(estimator, check, rng):
    X, y = noise(rng, 80)
    fitted = estimator.fit(X, y)
    model = fitted._model
    codes = model.encode(fitted._read_rows(X[:3]))
    before, shares = check(model, codes, 5, 0), []

    def interrupt(share):
        shares.append(share)
        if len(shares) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(model, codes, 5, 0, interrupt)
    assert shares == [0.2, 0.2]
    assert check(model, codes, 5, 0, shares.append) == before
    assert len(shares) == 7


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("n_permutations", 0, "n_permutations is 0; a whole number from 1 to"),
        ("n_permutations", 2.5, "n_permutations is 2.5"),
        ("n_permutations", True, "n_permutations is True"),
        ("random_state", "x", "random_state is 'x'; a whole number from 0 to"),
        ("random_state", -1, "random_state is -1"),
        ("random_state", None, "random_state is None"),
    ],
)
def test_bad_parameters_are_refused(name, value, part, rng):
    fitted = FPICClassifier().fit(*noise(rng, 20))
    with pytest.raises(BadParameter, match=part):
        fitted.significance(noise(rng, 1)[0], **{name: value})
