"""Cards, reports and plots of models in which look-alikes or several rules decide."""

import pytest

import picrules
from picrules.explain.scorecard import round_points
from picrules.reports.asked import ask
from picrules.reports.content import collect
from tests.explain.together import MODELS, ask_new
from tests.reports.parsing import parse


@pytest.fixture(params=MODELS, ids=lambda make: make.__name__)
def asked(request):
    clf, new, _, _ = ask_new(request.param)
    return clf, new, clf.explain(new)


def test_a_report_has_the_points_of_each_case(asked):
    clf, new, explanations = asked
    report = collect(ask(clf, new), 10_000, 0)
    cases, classes = report["cases"], clf.classes_.tolist()

    def reason_of(number):
        conditions = report["rules"][number]["conditions"]
        return " and ".join(report["conditions"][at]["text"] for at in conditions)

    for place, explanation in enumerate(explanations):
        card, points = explanation.scorecard, cases["scorecard"] and cases["scorecard"][place]
        assert (card is None) == (points is None)
        if card is None:
            continue
        assert points["points"] == pytest.approx([line.points for line in card.lines], abs=0.01)
        assert points["total"] == pytest.approx(card.total, abs=0.01)
        assert classes[points["rival"]] == card.rival
        told = zip(card.lines, points["rules"], points["between"], strict=True)
        for line, number, between in told:
            named = None if between is None else tuple(classes[label] for label in between)
            assert named == line.between
            assert (number is None) == (line.rule is None)
            if number is not None:
                rule = report["rules"][number]
                assert reason_of(number) == line.rule.rule.reason
                assert classes[rule["class"]] == line.rule.rule.label
                assert (rule["hits"], rule["cover_size"]) == (line.rule.hits, line.rule.cover_size)


def test_a_plain_report_has_no_points(rng):
    X = rng.integers(0, 3, (60, 3)).astype(float)
    clf = picrules.FPICClassifier().fit(X, rng.integers(0, 2, 60))
    assert collect(ask(clf, X), 10_000, 0)["cases"]["scorecard"] is None


def test_a_card_shows_the_lines_with_signed_points(asked):
    _, _, explanations = asked
    for explanation in explanations[8:16]:
        text, card = parse(explanation._repr_html_()).text, explanation.scorecard
        assert ("rules decide together" in text) == (card is not None)
        assert ("10 points double the odds" in text) == (card is not None)
        for line in card.lines if card else ():
            if line.rule is not None:
                rule = line.rule
                counts = f"{rule.hits} of {rule.cover_size} are {rule.rule.label}"
                assert f"{rule.rule.reason}: {counts}" in text
        if card:
            points = [*(line.points for line in card.lines), card.offset_points]
            assert all(f"{each:+d}" in text for each in round_points(points))


def test_a_long_scorecard_stays_small():
    clf, new, _, _ = ask_new(MODELS[1])
    explanation = clf.explain(new)[20]
    content = explanation.to_dict()
    content["scorecard"]["lines"] = content["scorecard"]["lines"] * 20
    html = picrules.reports.card.draw_card(content)
    assert len(html.encode()) < 10_000
    n_more = len(content["scorecard"]["lines"]) - 9
    assert f"{n_more} more rules" in html


def test_plots_are_drawn(asked):
    pytest.importorskip("matplotlib").use("Agg")
    plt = pytest.importorskip("matplotlib.pyplot")
    _, _, explanations = asked
    explanation = explanations[15]
    ax = picrules.plot_contrast(explanation)
    assert ax.get_xlabel() == "score of the rule alone"
    for one in (explanation, explanations[0]):
        assert one.plot() is not None
    assert picrules.plot_rule_usage(explanations) is not None
    plt.close("all")
