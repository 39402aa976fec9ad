"""Rules of one's own, against pandas, and against the explanations of models."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier, RuleScore, parse_rule, score_rule
from picrules.errors import BadParameter, BadRule, BadRuleText, BadTarget
from tests.explain.together import hints


@pytest.fixture
def table(rng):
    n_rows = 200
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows).astype(float),
            "job": rng.choice(["clerk", "cook", None], n_rows),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n_rows), ["S", "M", "L"], True),
            "since": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 999, n_rows), "D"),
            "rings": rng.integers(1, 4, n_rows),
        }
    )
    X.loc[rng.random(n_rows) < 0.2, "age"] = np.nan
    return X, np.where(X["age"] > 40, "old", rng.choice(["young", "old"], n_rows))


def masks(X):
    """Rules, and what pandas selects by them."""
    return {
        "if age > 40 and job = cook then old": (X["age"] > 40) & (X["job"] == "cook"),
        "if job != cook then young": X["job"].notna() & (X["job"] != "cook"),
        "if size in {S, L} and 30 < age <= 50 then young": X["size"].isin(["S", "L"])
        & (X["age"] > 30)
        & (X["age"] <= 50),
        "if since > 2021-02-03 then old": X["since"] > pd.Timestamp("2021-02-03"),
        "if rings = 2 then old": X["rings"] == 2,
        "if rings <= 2 then old": X["rings"] <= 2,
        "no rule; the most frequent class is old": pd.Series(True, X.index),
    }


def test_counts_are_those_of_pandas(table):
    X, y = table
    for text, mask in masks(X).items():
        score = score_rule(text, X, y, alpha=0.7)
        covered, label = y[mask.to_numpy()], parse_rule(text).label
        assert score.class_counts == {name: (covered == name).sum() for name in ("old", "young")}
        assert score.class_sizes == {name: (y == name).sum() for name in ("old", "young")}
        hits = (covered == label).sum()
        assert score.precision == pytest.approx(hits / len(covered))
        assert score.recall == pytest.approx(hits / (y == label).sum())
        assert score.coverage == pytest.approx(mask.mean())
        assert score.lift == pytest.approx(hits / len(covered) / (y == label).mean())
        assert score.score == pytest.approx(0.7 * score.precision + 0.3 * score.recall)
        assert score == score_rule(parse_rule(text), X, y, alpha=0.7)
        assert score == score_rule(text, pl.from_pandas(X), y.tolist(), alpha=0.7)


@pytest.mark.parametrize("estimator", [FPICClassifier(), PersonalRuleClassifier(cuts=4)], ids=str)
def test_rules_of_a_model_have_the_counts_of_their_explanations(estimator):
    X, y = hints()
    for explanation in estimator.fit(X, y).explain(X)[:40]:
        score = score_rule(str(explanation.rule), X, y)
        assert score.class_counts == explanation.class_counts
        assert (score.interval, score.lift) == (explanation.interval, explanation.lift)


def test_a_rule_that_covers_nothing_says_so(table):
    X, y = table
    score = score_rule("if job = smith then old", X, y)
    assert score.cover_size == 0
    assert np.isnan([score.precision, score.score, score.lift]).all()
    assert (score.interval, score.recall, score.fisher_p_value) == ((0.0, 1.0), 0.0, 1.0)
    content = score.to_dict()
    assert [content[name] for name in ("precision", "score", "lift")] == [None] * 3
    assert str(score).endswith("covers 0 of 200 rows (0%); nothing is known about it.")
    assert isinstance(hash(score), int)
    assert type(score) is RuleScore


@pytest.mark.parametrize(
    ("rule", "error", "said"),
    [
        ("if town = a then old", BadRule, "'town = a' speaks of 'town'; the table has age, job"),
        ("if job > 3 then old", BadRule, "'job > 3' does not fit the column 'job', which holds"),
        ("if age > 2020-01-01 then old", BadRule, "does not fit the column 'age', which holds num"),
        ("if age > 3 then ancient", BadRule, "predicts 'ancient'; the classes of y are 'old', 'yo"),
        ("age > 3", BadRuleText, "is not a rule"),
        (3, BadRule, "3 is not a Rule"),
    ],
)
def test_rules_that_do_not_fit_are_refused(rule, error, said, table):
    with pytest.raises(error, match=said):
        score_rule(rule, *table)


def test_wrong_tables_and_weights_are_refused(table):
    X, y = table
    with pytest.raises(BadTarget, match="X has 200 rows and y has 3"):
        score_rule("if age > 3 then old", X, y[:3])
    with pytest.raises(BadParameter, match="alpha is 2; a number from 0 to 1"):
        score_rule("if age > 3 then old", X, y, alpha=2)
