"""Plots of explanations and models with matplotlib; each takes an axes and returns it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from picrules.encoding.row import format_cell
from picrules.encoding.tables import MAX_ROWS
from picrules.errors import BadParameter, MissingPackage
from picrules.estimators.parameters import check_whole
from picrules.estimators.target import read_truth
from picrules.explain.changes.change import Change, Changes
from picrules.explain.explanation import Explanation
from picrules.explain.performance import measure_reliability
from picrules.explain.scored_rule import ScoredRule
from picrules.explain.summary import Summary, summarize
from picrules.explain.trust import tell_class
from picrules.reports.asked import check_estimator
from picrules.rules.text import format_share, format_value, show

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from picrules.rules.rule import Rule

# Blue, orange and others that people with colour blindness tell apart (Okabe and Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
_OWN, _OTHER = COLOURS[:2]

_QUARTERS = (0, 0.25, 0.5, 0.75, 1)
_CLASSES_SHOWN = 8
_LONGEST_LINE, _MOST_LINES = 46, 3


def plot_evidence(explanation: Explanation, ax: Axes | None = None) -> Axes:
    """Plot the classes of the training rows that a rule covers.

    The diamond is the confidence, where the estimator knows it: how often predictions like this
    one are right. The dotted line is the share of the predicted class among all training rows.

    Parameters
    ----------
    explanation : Explanation
        The explanation of one row.
    ax : Axes or None
        Where to draw; None makes a figure.

    Returns
    -------
    Axes
        The axes that were drawn on.
    """
    _check_kind(explanation, ScoredRule, "one explanation, such as clf.explain(X)[0],")
    own = explanation.rule.label
    counts = sorted(
        explanation.class_counts.items(), key=lambda entry: (entry[0] != own, -entry[1])
    )
    shown, rest = counts[:_CLASSES_SHOWN], counts[_CLASSES_SHOWN:]
    bars = [(format_value(name), count) for name, count in shown]
    if rest:
        bars.append((f"{len(rest)} others", sum(count for _, count in rest)))
    names, notes = [name for name, _ in bars], [f"{count:,}" for _, count in bars]
    shares = [count / explanation.cover_size for _, count in bars]
    ax = _take_axes(ax, 1.4 + 0.35 * len(bars))
    confidence = getattr(explanation, "confidence", None)
    ends = [max(shares[0], confidence or 0.0) + 0.025, *(share + 0.025 for share in shares[1:])]
    _draw_bars(ax, shares, names, [_OWN, *[_OTHER] * (len(bars) - 1)], ends, notes)
    if confidence is not None:
        ax.plot(confidence, 0, "D", color=_ink(ax), markeredgecolor=ax.get_facecolor(), zorder=3)
    ax.axvline(explanation.share, color=_ink(ax), linestyle=":", linewidth=1)
    ax.set_xlim(0, 1.12)
    ax.set_xticks(_QUARTERS)
    _write_percents(ax.xaxis, "share of the covered training rows")
    reason = explanation.rule.reason
    is_one = not isinstance(explanation, Explanation) or explanation.n_rules == 1
    missing = "no rule covers this row" if is_one else "no rule of its own covers this row"
    why = f", because {reason}" if reason else f": {missing}"
    _title(ax, f"{tell_class(format_value(own), confidence)}{why}")
    return ax


def plot_contrast(explanation: Explanation, ax: Axes | None = None) -> Axes:
    """Plot the score of the rule beside the best rule for every other class.

    The bars are scores plus class offsets: the highest decides. Where look-alikes or several rules
    decide, they are the scores of the rules alone.

    Parameters
    ----------
    explanation : Explanation
        The explanation of one row.
    ax : Axes or None
        Where to draw; None makes a figure.

    Returns
    -------
    Axes
        The axes that were drawn on.
    """
    _check_kind(explanation, Explanation, "one explanation, such as clf.explain(X)[0],")
    scored = [explanation, *explanation.contrast[: _CLASSES_SHOWN - 1]]
    is_plain = explanation.n_rules == 1 and explanation.alike is None
    values = [one.value if is_plain else one.score for one in scored]
    ax = _take_axes(ax, 1.2 + 0.65 * len(scored))
    names = [_name_rule(one.rule) for one in scored]
    gap = 0.015 * (max(*values, 0.0) - min(*values, 0.0) or 1.0)
    ends = [max(value, 0.0) + gap for value in values]
    notes = [
        f"{one.hits:,} of {one.cover_size:,} ({format_share(one.precision)})" for one in scored
    ]
    _draw_bars(ax, values, names, [_OWN, *[_OTHER] * (len(scored) - 1)], ends, notes)
    ax.axvline(0, color=_ink(ax), linewidth=0.8)
    ax.margins(x=0.4)
    ax.set_xlabel("score with class offset" if is_plain else "score of the rule alone")
    _title(ax, f"{format_value(explanation.prediction)}, and the best case for the others")
    return ax


def plot_rule_usage(
    explanations: Sequence[Explanation] | Summary, ax: Axes | None = None, *, top: int = 15
) -> Axes:
    """Plot how many rows each rule answers, the most used first.

    Parameters
    ----------
    explanations : sequence of Explanation, or Summary
        What `clf.explain(X)` returned, or `summarize` made of it.
    ax : Axes or None
        Where to draw; None makes a figure.
    top : int
        The most rules that are shown; the others are counted together.

    Returns
    -------
    Axes
        The axes that were drawn on.
    """
    _check_kind(explanations, Iterable | Summary, "what clf.explain(X) or summarize returned")
    top = check_whole(top, "top", 0, MAX_ROWS)
    summary = explanations if isinstance(explanations, Summary) else summarize(explanations)
    shown, rest = summary.uses[:top], summary.uses[top:]
    classes = sorted({use.rule.label for use in summary.uses}, key=str)
    texts = [_name_rule(use.rule) for use in shown]
    counts = [use.n_rows for use in shown]
    colours = [COLOURS[classes.index(use.rule.label) % len(COLOURS)] for use in shown]
    if rest:
        texts.append(f"{len(rest):,} other rules")
        counts.append(sum(use.n_rows for use in rest))
        colours.append("#999999")
    ax = _take_axes(ax, 1.2 + 0.55 * len(texts))
    ends = [count + 0.01 * max(counts) for count in counts]
    _draw_bars(ax, counts, texts, colours, ends, [f"{count:,}" for count in counts])
    ax.margins(x=0.12)
    ax.set_xlabel("rows")
    _title(ax, f"{summary.n_rows:,} rows, {summary.n_rules:,} rules")
    return ax


def plot_tuning(clf: Any, ax: Axes | None = None) -> Axes:
    """Plot the leave-one-out score of the settings that were tried.

    One line for each kind of conditions, at each length the best of the other settings; dots are
    all settings, and the ring is the choice.

    Parameters
    ----------
    clf : PersonalRuleClassifier
        A fitted estimator.
    ax : Axes or None
        Where to draw; None makes a figure.

    Returns
    -------
    Axes
        The axes that were drawn on.
    """
    if not hasattr(clf, "tuning_"):
        raise BadParameter(
            f"a {type(clf).__name__} without settings that were tried was given; a fitted "
            "PersonalRuleClassifier is accepted"
        )
    tuning = clf.tuning_
    tried: dict[str, list[tuple[int, float]]] = {}
    for entry in tuning.to_dicts():
        more = [text for name, text in _MORE_CONDITIONS.items() if entry[name]]
        kind = ", ".join([f"{entry['cuts']} cuts", *more])
        tried.setdefault(kind, []).append((entry["max_length"], entry["score"]))
    ax = _take_axes(ax, 4.2)
    for number, (kind, points) in enumerate(tried.items()):
        best = dict(sorted(points))  # of each length the last, which has the highest score
        colour, line = COLOURS[number % len(COLOURS)], ("-", "--", ":")[number % 3]
        ax.plot([*best], [*best.values()], line, marker="o", color=colour, label=kind)
        ax.plot(*map(list, zip(*points, strict=True)), ".", color=colour, alpha=0.5)
    length, score = tuning.chosen.max_length, tuning.chosen.score
    ax.plot(length, score, "o", ms=15, fillstyle="none", color=_ink(ax), label="chosen")
    ax.set_xticks(sorted({length for points in tried.values() for length, _ in points}))
    ax.set_xlabel("longest rules")
    ax.set_ylabel(f"leave-one-out {tuning.scoring.replace('_', ' ')}")
    ax.legend(frameon=False)
    return ax


_MORE_CONDITIONS = {"subsets": "sets of values", "intervals": "intervals"}


def plot_calibration(clf: Any, ax: Axes | None = None, X: Any = None, y: Any = None) -> Axes:
    """Plot how often predictions are right, by their confidence.

    Without rows the training rows are judged by leave-one-out. The confidence itself was
    learned from these predictions, so that new rows lie somewhat further from the line.

    Parameters
    ----------
    clf : estimator
        A fitted estimator.
    ax : Axes or None
        Where to draw; None makes a figure.
    X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
        Rows that the estimator was not fitted on.
    y : array of shape (n_rows,)
        Their classes.

    Returns
    -------
    Axes
        The axes that were drawn on.
    """
    parts = measure_reliability(*_judge(clf, X, y))
    ax = _take_axes(ax, 4.4, 4.6)
    ax.plot([0, 1], [0, 1], color=_ink(ax), linestyle="--", linewidth=1)
    confidences, shares, sizes = (
        np.array([part[name] for part in parts]) for name in ("confidence", "share", "n_rows")
    )
    reach = np.abs(np.array([part["interval"] for part in parts]).T - shares)
    ax.errorbar(confidences, shares, yerr=reach, fmt="none", ecolor=_OWN, capsize=3)
    ax.scatter(confidences, shares, s=25 + 120 * sizes / sizes.max(), color=_OWN, zorder=3)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.05)
    ax.set_xticks(_QUARTERS)
    _write_percents(ax.xaxis, "confidence")
    _write_percents(ax.yaxis, "predictions that are right")
    ax.set_aspect("equal")
    how = "training rows by leave-one-out" if X is None else "rows"
    _title(ax, f"{sizes.sum():,} {how}")
    return ax


def _judge(clf: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Return the confidence of predictions, and whether they are right."""
    check_estimator(clf)
    if (X is None) != (y is None):
        given, absent = ("X", "y") if y is None else ("y", "X")
        raise BadParameter(f"{given} was given without {absent}; both or none are accepted")
    if X is not None:
        explanations = clf.explain(X)
        truth, _ = read_truth(clf.classes_, y, len(explanations))
        return explanations.confidences, explanations.labels == truth
    if not hasattr(clf, "leave_one_out"):
        raise BadParameter(f"{type(clf).__name__} has no leave-one-out; give X and y")
    left_out = clf.leave_one_out()
    return left_out.confidences, left_out.labels == left_out.cases.model.training.row_labels


def plot_what_if(changes: Changes, ax: Axes | None = None) -> Axes:
    """Plot the smallest changes that give a row another class, and how far each goes.

    Parameters
    ----------
    changes : Changes
        What `clf.smallest_changes` returned.
    ax : Axes or None
        Where to draw; None makes a figure.

    Returns
    -------
    Axes
        The axes that were drawn on.
    """
    _check_kind(changes, Changes, "what clf.smallest_changes returned")
    names = [format_value(change.explanation.prediction) for change in changes]
    classes = list(dict.fromkeys(names))
    colours = [COLOURS[classes.index(name) % len(COLOURS)] for name in names]
    ax = _take_axes(ax, 1.4 + 0.55 * max(len(changes), 1))
    costs = [change.cost for change in changes]
    ends = [cost + 0.015 * max(costs) for cost in costs]
    notes = [_tell_prediction(change.explanation) for change in changes]
    _draw_bars(ax, costs, list(map(_tell_change, changes)), colours, ends, notes)
    ax.margins(x=0.5)
    ax.set_xlabel("how far the row changes")
    now = _tell_prediction(changes.before)
    _title(ax, f"Now {now}" if names else f"Now {now}; no change of a few features is enough")
    return ax


def _tell_prediction(explanation: Explanation) -> str:
    """Write a class with its confidence; with the counts of the rule where that is not known."""
    name = format_value(explanation.prediction)
    if explanation.confidence is None:
        return f"{name} ({explanation.hits:,} of {explanation.cover_size:,})"
    return tell_class(name, explanation.confidence)


def _check_kind(given: Any, kind: Any, accepted: str) -> None:
    if not isinstance(given, kind):
        raise BadParameter(
            f"{show(given)} ({type(given).__name__}) was given; {accepted} is accepted"
        )


def _name_rule(rule: Rule) -> str:
    """Write a rule so that its class is not what is cut off."""
    return f"{format_value(rule.label)}: {rule.reason or 'no rule'}"


def _tell_change(change: Change) -> str:
    return " and ".join(
        f"{condition} (now {format_cell(change.old_values[condition.feature])})"
        for condition in change.conditions
    )


def _take_axes(ax: Axes | None, height: float, width: float = 8.0) -> Axes:
    """Return the axes that were given, or those of a new figure that leaves room for labels."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415  (an extra, and a second to load)
    except ImportError:
        raise MissingPackage(
            "plots need matplotlib, which is not installed; install it with: "
            'pip install "picrules[plots]"'
        ) from None
    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def _draw_bars(
    ax: Axes,
    lengths: list[Any],
    texts: list[str],
    colours: list[str],
    ends: list[float],
    notes: list[str],
) -> None:
    """Draw bars from top to bottom; the note of each stands where `ends` says."""
    positions = range(len(lengths))
    ax.barh(positions, lengths, color=colours, height=0.65)
    ax.set_yticks(positions, labels=[_shorten(text) for text in texts], parse_math=False)
    ax.set_ylim(max(len(lengths), 1) - 0.5, -0.5)  # the first on top
    ax.spines[["top", "right"]].set_visible(False)
    # The background hides lines that cross the note.
    behind = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 1}
    for position, (end, note) in enumerate(zip(ends, notes, strict=True)):
        ax.text(end, position, _shorten(note), va="center", parse_math=False, bbox=behind)


def _title(ax: Axes, text: str) -> None:
    ax.set_title(_shorten(text, 70), loc="left", fontsize="medium", parse_math=False)


def _ink(ax: Axes) -> Any:
    """Return the colour of the labels, which suits the background."""
    return ax.xaxis.label.get_color()


def _write_percents(axis: Any, label: str) -> None:
    axis.set_major_formatter(lambda share, _: format_share(share).replace(".0", ""))
    axis.set_label_text(label)


def _shorten(text: str, longest: int = _LONGEST_LINE) -> str:
    """Break a text into a few lines, and drop what cannot be drawn."""
    plain = "".join(character if character.isprintable() else "?" for character in text)
    lines = wrap(plain, longest) or [""]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1][: longest - 4]} ..."]
    return "\n".join(lines)
