import re

import numpy as np
import pandas as pd
import pytest

from picrules import Category, Explanation, FPICClassifier, PersonalRuleClassifier, Rule
from picrules.explain.explanation import Overruled
from picrules.reports.card import draw_card
from picrules.rules.text import format_share
from tests.reports.parsing import HOSTILE, parse

OURS = {
    "style", "div", "p", "b", "span", "ul", "li", "code", "h4", "svg", "rect", "line", "title",
    "path", "text",
}  # fmt: skip
PLACES = {"x", "y", "width", "height", "x1", "x2", "y1", "y2", "d", "text-anchor"}
PICTURES = {"role", "viewbox", "preserveaspectratio"}


def hostile_table():
    """Columns, categories and classes that would be elements if anyone forgot to escape."""
    values = [HOSTILE[number % len(HOSTILE)] for number in range(96)]
    classes = np.array([HOSTILE[number % 3] for number in range(96)], object)
    columns = {HOSTILE[0]: values, HOSTILE[1]: values[::-1], HOSTILE[3]: np.arange(96.0) % 7}
    return pd.DataFrame(columns, dtype=object), classes


@pytest.mark.parametrize(
    "estimator", [FPICClassifier(), PersonalRuleClassifier(max_length=2, cuts=8)], ids=str
)
def test_what_comes_from_the_data_is_text(estimator):
    X, y = hostile_table()
    for explanation in estimator.fit(X, y).explain(X)[:8]:
        parsed = parse(explanation._repr_html_())
        assert parsed.names <= OURS
        assert parsed.attributes <= {"class", *PLACES, *PICTURES}
        assert HOSTILE[3] not in parsed.styles
        shown = parsed.text.encode("utf-8", "replace").decode()
        for condition in explanation.rule.conditions:
            assert str(condition).encode("utf-8", "replace").decode() in shown


def test_a_card_says_what_the_explanation_says(rng):
    X = rng.integers(0, 3, (60, 3)).astype(float)
    y = np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]
    explanation = PersonalRuleClassifier(max_length=2).fit(X, y).explain(X)[0]
    text = parse(explanation._repr_html_()).text
    assert f"{explanation.cover_size} training rows like this" in text
    assert text.partition(": ")[2].startswith(
        f"Predictions like this one are right {format_share(explanation.confidence)} of the time."
    )
    assert f"Precision {format_share(explanation.precision)}, " in text
    assert f"recall {format_share(explanation.recall)}" in text
    assert "interval" not in text
    assert f"{explanation.lift:.2f} times the share" in text
    assert str(explanation.contrast[0].rule) in text
    nearest = explanation.evidence.rows[:5].tolist()
    assert re.findall(r"(\d+) \((?:no|yes)\)", text.partition("Nearest")[2]) == [
        str(row) for row in nearest
    ]


def test_bars_are_as_long_as_the_counts():
    fitted = FPICClassifier(max_length=1).fit([["a"]] * 4 + [["b"]] * 4, [0, 0, 0, 1, 1, 1, 1, 1])
    parsed = parse(fitted.explain([["a"]])[0]._repr_html_())
    bars = [attributes for name, attributes in parsed.elements if name == "rect"]
    assert [bar["width"] for bar in bars[:2]] == ["75%", "25%"]
    assert [bar["class"] for bar in bars[:2]] == ["pr-c0", "pr-c1"]


def test_the_sides_of_a_case_are_drawn_on_one_scale():
    X = [["a", "c"]] * 6 + [["a", "d"]] * 2 + [["b", "c"]] * 4
    explanation = FPICClassifier(max_length=1).fit(X, [0] * 8 + [1] * 4).explain([["a", "c"]])[0]
    (other,) = explanation.contrast
    assert (explanation.hits, explanation.cover_size, other.hits, other.cover_size) == (8, 8, 4, 10)
    html = explanation._repr_html_()
    sides = parse("<div><h4>" + html[html.index("The two sides") :])
    bars = [(one["class"], one["width"]) for name, one in sides.elements if name == "rect"]
    assert bars == [("pr-rest", "80%"), ("pr-c0", "80%"), ("pr-rest", "100%"), ("pr-c1", "40%")]
    assert "8 of 8" in sides.text
    assert "4 of 10" in sides.text


def test_a_condition_shows_the_row_the_classes_and_the_cut():
    X = pd.DataFrame({"age": np.arange(100.0)})
    clf = PersonalRuleClassifier(cuts=8, max_length=1, look_alikes=False)
    clf.fit(X, np.where(X["age"] > 40, "yes", "no"))
    explanation = clf.explain(pd.DataFrame({"age": [90.0]}))[0]
    parsed = parse(explanation._repr_html_())
    (condition,) = explanation.rule.conditions
    pictures = [one for name, one in parsed.elements if one.get("class") == "pr-place"]
    assert len(pictures) == 1
    assert f"{condition}: training rows by class; this row (90) is marked" in parsed.text
    marks = [one for _, one in parsed.elements if one.get("class") == "pr-here"]
    cuts = [one for name, one in parsed.elements if name == "line" and "class" not in one]
    assert float(marks[0]["x"].rstrip("%")) > float(cuts[0]["x1"].rstrip("%"))
    assert {"pr-c0", "pr-c1"} <= {
        one.get("class") for name, one in parsed.elements if name == "path"
    }
    assert "here 90; without it" in parsed.text


def test_a_row_without_rule_and_one_that_the_offset_decided_say_so():
    fitted = FPICClassifier().fit([["a"], ["b"]], [0, 1])
    assert "No rule covers this row" in fitted.explain([["c"]])[0]._repr_html_()
    content = fitted.explain([["a"]])[0].to_dict()
    other = Overruled(Rule((Category("x<", ("v",)),), 1), 0.9, 0.25)
    text = parse(draw_card({**content, "overruled": other.to_dict()})).text
    assert 'A rule for another class scores higher0.900: if "x<" = v then 1. But 0 has a' in text
    assert "a head start of 0.250 over that class (the class offset)" in text


@pytest.mark.parametrize("n_classes", [2, 30])
@pytest.mark.parametrize("name", ["short", "&" * 500, "長" * 500])
def test_a_card_is_small(n_classes, name, rng):
    X = pd.DataFrame(rng.integers(0, 4, (300, 6)), columns=[f"{name}{i}" for i in range(6)])
    X = X.map(lambda cell: f"{name}{cell}")
    y = np.array([f"{number % n_classes}{name}" for number in range(300)], object)
    explanations = FPICClassifier().fit(X, y).explain(X)
    for explanation in explanations[:5]:
        assert len(explanation._repr_html_().encode()) < 10_000
    html = explanations._repr_html_()
    assert "... and 297 more" in html
    assert html.count('class="picrules-card"') == 3


def test_many_conditions_and_classes_are_counted_not_listed(rng):
    X = rng.integers(0, 2, (40, 16)).astype(str).astype(object)
    fitted = FPICClassifier(max_length=1).fit(X, np.arange(40) % 20)
    content = fitted.explain(X)[0].to_dict()
    content["conditions"] = [{"feature": "x", "text": f"x{number} = 1"} for number in range(16)]
    content["contributions"] *= 16
    text = parse(draw_card(content)).text
    assert "and 4 more conditions" in text
    assert "12 other classes" in text
    assert "more classes" in text


def test_style_stays_in_the_card_and_asks_for_nothing():
    fitted = FPICClassifier().fit([["a"], ["b"]], [0, 1])
    css = parse(fitted.explain([["a"]])[0]._repr_html_()).styles
    selectors = [part for rule in re.findall(r"([^{}]+)\{", css) for part in rule.split(",")]
    assert all(selector.strip().startswith(".picrules-card") for selector in selectors)
    assert not re.search(r"url|import|@", css)


def test_an_explanation_made_by_hand_shows_its_text():
    by_hand = Explanation(Rule((), 1), 0.5, {0: 1, 1: 2}, {0: 1, 1: 2})
    assert parse(by_hand._repr_html_()).text.endswith(str(by_hand))
