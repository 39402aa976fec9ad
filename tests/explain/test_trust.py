import re

import numpy as np
import pandas as pd
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier, summarize
from picrules.explain.trust import FLATTERED, LED, UNKNOWN, tell_remark
from picrules.rules.text import format_share


@pytest.fixture(scope="module")
def noisy():
    """Classes that chance decides to a good part: the best of many rules is flattered."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(300, 5)).round(2), columns=list("abcde"))
    y = np.where(X.a + rng.normal(size=300) * 2 > 0, "yes", "no")
    return PersonalRuleClassifier(cuts=8, max_length=3, look_alikes=False).fit(X, y), X, y


def test_the_confidence_comes_before_the_counts(noisy):
    fitted, X, _ = noisy
    for explanation in fitted.explain(X[:20]):
        share = format_share(explanation.confidence)
        _, second, third, *_ = str(explanation).splitlines()
        assert second == f"  Predictions like this one are right {share} of the time."
        assert third.startswith(f"  {explanation.hits} of {explanation.cover_size} training rows")


def test_no_text_offers_the_interval_of_the_precision(noisy):
    """Most rules were right less often than its lower end: it is not for the best of many."""
    fitted, X, _ = noisy
    explanations = fitted.explain(X)
    shown = [str(explanations[0]), str(summarize(explanations)), explanations[0]._repr_html_()]
    assert not any("interval" in text for text in shown)
    assert "interval" in explanations[0].to_dict()


def test_a_sentence_says_why_precision_and_confidence_differ(noisy):
    fitted, X, _ = noisy
    remarks = set()
    for explanation in fitted.explain(X):
        difference = explanation.precision - explanation.confidence
        expected = "" if abs(difference) < 0.05 else FLATTERED if difference > 0 else LED
        remark = tell_remark(explanation.to_dict())
        assert remark == expected
        assert remark in str(explanation)
        remarks.add(remark)
    assert FLATTERED in remarks


@pytest.mark.parametrize("estimator", [PICClassifier(), FPICClassifier()], ids=str)
def test_where_no_confidence_is_known_the_text_says_so(estimator, noisy):
    _, X, y = noisy
    fitted = estimator.fit(X, y)
    explanation = fitted.explain(X)[0]
    assert explanation.confidence is None
    texts = (str(explanation), re.sub("<[^>]+>", "", explanation._repr_html_()))
    for text in texts:
        assert UNKNOWN in text
        assert f"{explanation.hits}" in text
        assert "confidence" not in text
    assert "confidence" not in str(fitted.what_if(X.iloc[0], a=0))
    assert fitted.explain(X).to_frame()["confidence"].isna().all()


def test_the_empty_rule_is_not_the_best_of_many():
    fitted = FPICClassifier().fit([["a"], ["b"], ["b"]], [0, 1, 1])
    assert UNKNOWN not in str(fitted.explain([["c"]])[0])


def test_what_if_tells_the_confidence_before_and_after(noisy):
    fitted, X, _ = noisy
    asked = fitted.what_if(X.iloc[0], a=-2.5, b=2.5, d=2.5)
    old, new = (format_share(each.confidence) for each in (asked.before, asked.after))
    told = str(asked)
    assert f"; its confidence goes from {old} to {new}." in told
    assert f"Before: {asked.before.prediction} (confidence {old}), because" in told
    assert f"After: {asked.after.prediction} (confidence {new}), because" in told
    same = fitted.what_if(X.iloc[0], a=X.a[0])
    assert f"; its confidence stays {old}." in str(same)


def test_a_summary_has_the_mean_confidence_of_each_rule(noisy):
    fitted, X, _ = noisy
    explanations = fitted.explain(X)
    for summary in (summarize(explanations), summarize(list(explanations))):
        for use in summary.uses:
            own = [each.confidence for each in explanations if each.rule == use.rule]
            assert use.confidence == pytest.approx(np.mean(own), abs=1e-8)
    parts = [summarize(fitted.explain(X[start : start + 70])) for start in range(0, 300, 70)]
    assert sum(parts[1:], parts[0]).to_dict() == summarize(explanations).to_dict()
