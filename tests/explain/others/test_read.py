import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from picrules import Category, Interval, Rule, parse_rule, read_rules
from picrules.errors import BadParameter, BadRuleText

CLASSES = np.array(["no", "perhaps", "yes"])


@pytest.fixture
def table(rng):
    X = rng.normal(size=(300, 4)).astype(np.float32)
    X[:, 1] = X[:, 1].round(1)
    noise = rng.normal(size=300)
    return X, CLASSES[np.digitize(X[:, 0] * X[:, 1] + noise, [-0.5, 0.5])]


def columns(X):
    return {f"x{feature}": X[:, feature] for feature in range(X.shape[1])}


def beside_thresholds(tree, X):
    """Rows with cells at the thresholds, and one float32 beside them."""
    rows = []
    for feature, cut in zip(tree.tree_.feature, tree.tree_.threshold, strict=True):
        for to in (-np.inf, np.float32(cut), np.inf) if feature >= 0 else ():
            rows.append(X[len(rows) % len(X)].copy())
            rows[-1][feature] = np.nextafter(np.float32(cut), np.float32(to))
    return np.vstack([X, *rows])


def check_leaves(tree, rules, X, classes):
    leaves = np.flatnonzero(tree.tree_.children_left == -1)
    assert len(rules) == len(leaves)
    reached = tree.apply(X)
    for rule, leaf in zip(rules, leaves, strict=True):
        covered = rule.covers(columns(X), len(X))
        np.testing.assert_array_equal(covered, reached == leaf)
        assert rule.label == classes[tree.tree_.value[leaf, 0].argmax()]


@pytest.mark.parametrize("make", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("max_depth", [1, 3, None])
def test_rules_of_a_tree_select_the_rows_of_its_leaves(make, max_depth, table):
    X, y = table
    tree = make(max_depth=max_depth, random_state=0).fit(X, y)
    check_leaves(tree, read_rules(tree), beside_thresholds(tree, X), CLASSES)


def test_rules_of_a_tree_predict_as_it_does(table):
    X, y = table
    tree = DecisionTreeClassifier(min_samples_leaf=5).fit(X, y)
    predicted = np.empty(len(X), object)
    for rule in read_rules(tree):
        predicted[rule.covers(columns(X), len(X))] = rule.label
    assert predicted.tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize("make", [RandomForestClassifier, ExtraTreesClassifier])
def test_rules_of_a_forest_are_those_of_all_its_trees(make, table):
    X, y = table
    forest = make(n_estimators=4, max_depth=4, random_state=0).fit(X, y)
    rules = read_rules(forest)
    for tree in forest.estimators_:
        count = tree.get_n_leaves()
        check_leaves(tree, rules[:count], X, CLASSES)
        rules = rules[count:]
    assert rules == []


def test_conditions_of_a_path_are_one_interval_per_feature():
    X = np.arange(4.0).reshape(-1, 1)
    assert read_rules(DecisionTreeClassifier(random_state=0).fit(X, [0, 1, 1, 0])) == [
        Rule((Interval("x0", -np.inf, 0.5),), 0),
        Rule((Interval("x0", 0.5, 2.5),), 1),
        Rule((Interval("x0", 2.5, np.inf),), 0),
    ]


def test_tree_without_a_split_has_the_empty_rule():
    assert read_rules(DecisionTreeClassifier().fit([[1], [2]], [True, True])) == [Rule((), True)]


def test_names_are_those_the_model_saw_or_those_given():
    X = pd.DataFrame({"size": [1, 2], "weight": [3, 3]})
    tree = DecisionTreeClassifier().fit(X, ["a", "b"])
    assert [str(rule) for rule in read_rules(tree)] == [
        "if size <= 1.5 then a", "if size > 1.5 then b",
    ]  # fmt: skip
    assert str(read_rules(tree, ["s", "w"], ["A", "B"])[1]) == "if s > 1.5 then B"
    with pytest.raises(BadParameter, match="feature_names has 1 names; the model needs 2"):
        read_rules(tree, ["s"])
    with pytest.raises(BadParameter, match="class_names has 3 names; the model needs 2"):
        read_rules(tree, class_names="abc")


SPLITS_OF_MISSING = [
    ([1, 1, np.nan, 2, 2, 2, 2], "aaabbbb"),
    # Two values: scikit-learn before 1.8 does not split a column of one value.
    ([np.nan, np.nan, 1, 2, 1], "aabbb"),
]


@pytest.mark.parametrize(("x", "y"), SPLITS_OF_MISSING, ids=["smaller side", "apart"])
@pytest.mark.parametrize("make", [DecisionTreeClassifier, RandomForestClassifier])
def test_trees_that_learned_where_missing_cells_go_are_refused(make, x, y):
    """Their rules covered no row with a missing cell, and some leaves had no rule at all."""
    options = {"bootstrap": False, "n_estimators": 2} if make is RandomForestClassifier else {}
    X = pd.DataFrame({"size": x})
    model = make(random_state=0, **options).fit(X, list(y))
    assert model.predict(X).tolist() == list(y)
    with pytest.raises(BadParameter, match="learned where rows with a missing 'size' go"):
        read_rules(model)


def test_trees_that_ask_no_column_with_missing_cells_are_read(table):
    holes = table[0].copy()
    holes[::2, 3] = np.nan
    tree = DecisionTreeClassifier().fit(holes, CLASSES[1 + (holes[:, 0] > 0)])
    assert tree.tree_.feature.tolist() == [0, -2, -2]
    check_leaves(tree, read_rules(tree), holes, CLASSES[1:])


@pytest.mark.parametrize(
    "options",
    [{}, {"max_leaf_nodes": 9}, {"ccp_alpha": 0.01}, {"class_weight": "balanced"}],
    ids=str,
)
@pytest.mark.parametrize("make", [RandomForestClassifier, ExtraTreesClassifier])
def test_trees_trained_without_missing_cells_are_all_read(make, options, table, rng):
    X, y = table
    forest = make(n_estimators=20, random_state=0, **options)
    forest.fit(X.round(1), y, rng.choice([0, 1, 2.5], len(y)))
    assert len(read_rules(forest)) == sum(tree.get_n_leaves() for tree in forest.estimators_)


TREES = [(name, DecisionTreeClassifier()) for name in "ab"]


def test_trees_that_vote_alike_are_read():
    rules = read_rules(VotingClassifier(TREES).fit([[1], [2]], ["no", "yes"]))
    assert rules == 2 * [parse_rule("if x0 <= 1.5 then no"), parse_rule("if x0 > 1.5 then yes")]


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(),
        DecisionTreeRegressor().fit([[1], [2]], [1, 2]),
        DecisionTreeClassifier().fit([[1], [2]], [[1, 2], [2, 1]]),
        GradientBoostingClassifier(n_estimators=2).fit([[1], [2]], [1, 2]),
        BaggingClassifier(max_features=0.5, n_estimators=2).fit([[1, 1], [2, 2]], [1, 2]),
        AdaBoostClassifier(n_estimators=2).fit([[1], [2]], [1, 2]),
        StackingClassifier(TREES, cv=2).fit([[1], [2]] * 2, [1, 2] * 2),
        VotingClassifier(TREES, weights=[1, 2]).fit([[1], [2]], [1, 2]),
        LogisticRegression().fit([[1], [2]], [1, 2]),
        type("GreedyRuleListClassifier", (), {})(),
        None,
        ["if a = 1 then b"],
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_whose_rules_cannot_be_read_are_named(model):
    with pytest.raises(BadParameter, match=f"type {type(model).__name__}, whose rules it cannot"):
        read_rules(model)


def test_text_is_read_line_by_line():
    rules = [Rule((Category("a b", ("#1", "x")),), 1), Rule((), "no")]
    text = f"# two rules\n\n{rules[0]}\n   \n  # and\n  {rules[1]}\n"
    assert read_rules(text) == rules
    assert read_rules("") == []
    with pytest.raises(BadRuleText, match="line 2: 'a' is not a condition"):
        read_rules("if a = 1 then b\nif a then b")


def fake(name, **fitted):
    """A model as imodels leaves it, so that the readers are tested without imodels, too."""
    return type(name, (), {"n_features_in_": 2, "classes_": np.array(["no", "yes"]), **fitted})()


def step(feature, cutoff, flip, value):
    return {"index_col": feature, "cutoff": cutoff, "flip": flip, "val_right": value}


def test_greedy_rule_list_takes_the_cut_to_the_right():
    steps = [step(0, 1.5, False, 0.9), step(1, 2.0, True, 0.5), {"val": np.float64(0.7)}]
    rules = read_rules(fake("GreedyRuleListClassifier", rules_=steps))
    assert [rule.label for rule in rules] == ["yes", "no", "yes"]
    before = np.nextafter(1.5, 0)
    assert rules[0].covers({"x0": [1.5, before]}, 2).tolist() == [True, False]
    assert rules[1].covers({"x1": [2.0, np.nextafter(2, 0)]}, 2).tolist() == [False, True]
    assert rules[2].length == 0


def test_fast_frugal_tree_takes_the_cut_to_the_left():
    steps = [step(0, 1.5, False, 1.0), step(1, 2.0, True, 0.0), {"val": 1.0}]
    assert read_rules(fake("FastFrugalTreeClassifier", rules_=steps)) == [
        parse_rule("if x0 > 1.5 then yes"), parse_rule("if x1 <= 2 then no"), Rule((), "yes"),
    ]  # fmt: skip


def rule_object(**claims):
    return type("Rule", (), {"agg_dict": claims["claims"]})()


def test_rules_of_imodels_are_read_by_their_claims():
    found = [
        rule_object(claims={("X_1", ">"): "0.5", ("X_0", "<="): "2.0", ("X_0", ">"): "1.0"}),
        rule_object(claims={("X_0", ">"): "2.0"}),
    ]
    conditions = [rule.conditions for rule in map(parse_rule, (
        "if x1 > 0.5 and 1 < x0 <= 2 then a", "if x0 > 2 then a",
    ))]  # fmt: skip
    parts = {"rules_": found, "rules_without_feature_names_": found}
    votes = read_rules(fake("SkopeRulesClassifier", **parts))
    assert votes == [Rule(each, "yes") for each in conditions]
    in_order = read_rules(fake("BayesianRuleListClassifier", theta=[0.5, 0.1, 0.2], **parts))
    assert in_order == [Rule(conditions[0], "yes"), Rule(conditions[1], "no"), Rule((), "no")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name",
    [
        "GreedyRuleListClassifier",
        "OneRClassifier",
        "FastFrugalTreeClassifier",
        "BayesianRuleListClassifier",
        "SkopeRulesClassifier",
        "FPSkopeClassifier",
        "HSTreeClassifier",
        "GreedyTreeClassifier",
    ],
)
def test_rules_of_imodels_predict_as_it_does(name, rng):
    imodels = pytest.importorskip("imodels")
    X = (
        rng.integers(0, 2, (200, 4))
        if name.startswith(("Bay", "FP"))
        else rng.normal(size=(200, 4))
    )
    y = np.array(["no", "yes"])[
        (X[:, 0] + X[:, 1] + rng.normal(scale=0.3, size=200) > 1).astype(int)
    ]
    model = getattr(imodels, name)().fit(X, y)
    rules = read_rules(model)
    covers = [rule.covers(columns(X), len(X)) for rule in rules]
    if "Skope" in name:
        weights = np.array([rule.args[0] for rule in model.rules_])
        expected = model.predict_proba(X)[:, 1]
        np.testing.assert_allclose(weights @ covers / weights.sum(), expected, atol=1e-12)
        assert {rule.label for rule in rules} == {"yes"}
    else:
        first = np.argmax(covers, axis=0)
        assert [rules[index].label for index in first] == model.predict(X).tolist()
