import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

import picrules
from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.errors import BadParameter, BadTarget, MissingPackage
from picrules.rules.text import format_share
from tests.reports.tables import people

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    X, y = people(300)
    return PersonalRuleClassifier(max_length=[1, 2], cuts=8, smoothing=1).fit(X, y)


@pytest.fixture(scope="module")
def explanations(fitted):
    return fitted.explain(people(200, seed=5)[0])


@pytest.fixture(scope="module")
def changes(fitted):
    return fitted.smallest_changes(people(1, seed=5)[0])


def texts_of(ax):
    return [
        text.get_text() for text in [*ax.texts, *ax.get_yticklabels(), ax.title, ax._left_title]
    ]


def widths_of(ax):
    return [bar.get_width() for bar in ax.patches]


def _shown_ticks(ax):
    """Labels of ticks; those beyond the ends of an axis exist, too, but are not drawn."""
    for axis, limits in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        for position, label in zip(
            axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True
        ):
            if min(limits) <= position <= max(limits):
                yield label


def assert_all_labels_fit(ax):
    """Nothing that is drawn lies outside the figure."""
    figure = ax.figure
    figure.canvas.draw()
    inside = figure.bbox.padded(1)
    for text in [*ax.texts, *_shown_ticks(ax), ax.xaxis.label, ax._left_title]:
        if text.get_text():
            box = text.get_window_extent()
            assert inside.x0 <= box.x0, text
            assert box.x1 <= inside.x1, text
            assert inside.y0 <= box.y0, text
            assert box.y1 <= inside.y1, text


def test_evidence_has_the_shares_and_the_confidence(explanations):
    explanation = explanations[0]
    ax = explanation.plot()
    assert widths_of(ax)[0] == pytest.approx(explanation.precision)
    assert sum(widths_of(ax)) == pytest.approx(1)
    assert ax.lines[0].get_xdata() == [explanation.confidence]
    assert any(f"(confidence {format_share(explanation.confidence)})" in t for t in texts_of(ax))
    assert str(explanation.hits) in texts_of(ax)
    assert_all_labels_fit(ax)


def test_evidence_needs_no_training_rows():
    by_hand = picrules.Explanation(picrules.Rule((), "b"), 0.5, {"a": 1, "b": 3}, {"a": 1, "b": 3})
    ax = by_hand.plot()
    assert widths_of(ax) == [0.75, 0.25]
    assert any("no rule covers this row" in text for text in texts_of(ax))


def test_contrast_has_the_scores_that_decide(explanations):
    explanation = explanations[0]
    ax = picrules.plot_contrast(explanation)
    values = [explanation.value, *(other.value for other in explanation.contrast)]
    assert widths_of(ax) == pytest.approx(values)
    assert values == sorted(values, reverse=True)
    assert_all_labels_fit(ax)


@pytest.mark.parametrize("form", [list, picrules.summarize, lambda explanations: explanations])
def test_rule_usage_counts_every_row(explanations, form):
    ax = picrules.plot_rule_usage(form(explanations), top=3)
    widths = widths_of(ax)
    assert sum(widths) == 200
    assert widths[:3] == sorted(widths[:3], reverse=True)
    most = max(sum(one.rule == other.rule for one in explanations) for other in explanations[:200])
    assert widths[0] == most
    assert any("other rules" in text for text in texts_of(ax))
    assert_all_labels_fit(ax)


def test_tuning_marks_the_choice(fitted):
    ax = picrules.plot_tuning(fitted)
    chosen = next(line for line in ax.lines if line.get_label() == "chosen")
    assert chosen.get_xdata().tolist() == [fitted.tuning_.chosen.max_length]
    assert chosen.get_ydata().tolist() == [fitted.tuning_.chosen.score]
    n_dots = sum(len(line.get_xdata()) for line in ax.lines if line.get_marker() == ".")
    assert n_dots == len(fitted.tuning_.candidates)
    with pytest.raises(BadParameter, match="a fitted PersonalRuleClassifier is accepted"):
        picrules.plot_tuning(FPICClassifier())


def test_calibration_of_given_rows_and_by_leave_one_out(fitted):
    X, y = people(200, seed=9)
    ax = picrules.plot_calibration(fitted, X=X, y=y)
    confidences = np.array([each.confidence for each in fitted.explain(X)])
    is_right = fitted.predict(X) == y
    spots = ax.collections[-1].get_offsets()
    part = np.floor(confidences * 10) == np.floor(spots[0][0] * 10)
    assert spots[0].tolist() == pytest.approx([confidences[part].mean(), is_right[part].mean()])
    assert_all_labels_fit(ax)
    left_out = picrules.plot_calibration(fitted)
    assert "300 training rows by leave-one-out" in texts_of(left_out)
    with pytest.raises(BadParameter, match="X was given without y"):
        picrules.plot_calibration(fitted, X=X)
    with pytest.raises(BadParameter, match="FPICClassifier has no leave-one-out; give X and y"):
        picrules.plot_calibration(FPICClassifier().fit(X, y))


def test_calibration_reads_the_classes_as_a_report_does(fitted):
    X, y = people(200, seed=9)
    expected = picrules.plot_calibration(fitted, X=X, y=y).collections[-1].get_offsets()
    ax = picrules.plot_calibration(fitted, X=X, y=y.tolist())
    assert ax.collections[-1].get_offsets().tolist() == expected.tolist()
    with pytest.warns(DataConversionWarning):
        column = picrules.plot_calibration(fitted, X=X, y=y[:, np.newaxis])
    assert column.collections[-1].get_offsets().tolist() == expected.tolist()
    with pytest.raises(BadTarget, match="X has 200 rows and y has 199"):
        picrules.plot_calibration(fitted, X=X, y=y[1:])
    with pytest.raises(BadTarget, match="none of which the model knows"):
        picrules.plot_calibration(fitted, X=X, y=np.arange(200) % 3)
    with pytest.raises(BadParameter, match="a fitted estimator of this library"):
        picrules.plot_calibration(None, X=X, y=y)


def test_what_is_no_explanation_is_refused(fitted, explanations):
    changed = fitted.what_if(people(1, seed=5)[0], age=30)
    for draw in (picrules.plot_evidence, picrules.plot_contrast):
        for wrong in (explanations, fitted, None):
            with pytest.raises(
                BadParameter, match=r"one explanation, such as clf\.explain\(X\)\[0"
            ):
                draw(wrong)
    for wrong in (changed, explanations[0], None):
        with pytest.raises(BadParameter, match=r"what clf\.smallest_changes returned is accepted"):
            picrules.plot_what_if(wrong)
    with pytest.raises(BadParameter, match=r"what clf\.explain\(X\) or summarize returned"):
        picrules.plot_rule_usage(explanations[0])
    for top in (-3, 1.5, True):
        with pytest.raises(BadParameter, match=f"top is {top}; a whole number from 0"):
            picrules.plot_rule_usage(explanations, top=top)


def test_what_if_has_the_costs(fitted, changes):
    ax = picrules.plot_what_if(changes)
    assert len(changes) > 1
    assert widths_of(ax) == [change.cost for change in changes]
    labels = [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]
    assert f"Now yes (confidence {format_share(changes.before.confidence)})" in texts_of(ax)
    for label, change in zip(labels, changes, strict=True):
        new = change.explanation
        assert f"{new.prediction} (confidence {format_share(new.confidence)})" in texts_of(ax)
        for condition in change.conditions:
            old = change.old_values[condition.feature]
            assert f"{condition} (now {'missing' if old is None else ''}" in label
    assert_all_labels_fit(ax)
    already = fitted.smallest_changes(people(1)[0], to=fitted.predict(people(1)[0])[0])
    empty = picrules.plot_what_if(already)
    assert any("no change" in text for text in texts_of(empty))
    empty.figure.canvas.draw()


def test_the_given_axes_are_drawn_on(fitted, explanations, changes):
    one = explanations[0]
    draw = [
        one.plot,
        lambda ax: picrules.plot_evidence(one, ax),
        lambda ax: picrules.plot_contrast(one, ax),
        lambda ax: picrules.plot_rule_usage(explanations, ax),
        lambda ax: picrules.plot_tuning(fitted, ax),
        lambda ax: picrules.plot_calibration(fitted, ax),
        lambda ax: picrules.plot_what_if(changes, ax),
    ]
    for each in draw:
        _, ax = plt.subplots()
        assert each(ax) is ax
        assert ax.has_data()
    assert len(plt.get_fignums()) == len(draw)


def test_names_are_never_formulas_and_many_fit(rng):
    """A dollar sign begins a formula in matplotlib, and a wrong formula is an error."""
    X = rng.integers(0, 4, (300, 2)).astype(object)
    X[:, 0] = [f"$\\frac{{{cell} \ud800 {'very ' * 60}long" for cell in X[:, 0]]
    y = np.array([f"$class^{number % 20}" for number in range(300)], object)
    explanations = FPICClassifier().fit(X, y).explain(X)
    for ax in (
        explanations[0].plot(),
        picrules.plot_contrast(explanations[0]),
        picrules.plot_rule_usage(explanations),
    ):
        assert_all_labels_fit(ax)
    assert any("12 others" in text for text in texts_of(explanations[0].plot()))


def test_missing_matplotlib_is_told(explanations, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackage, match=r'pip install "picrules\[plots\]"'):
        explanations[0].plot()
