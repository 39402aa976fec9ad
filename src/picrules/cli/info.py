"""`picrules info`: what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from picrules.cli import options, output
from picrules.rules.text import format_bound, format_name, format_share, format_value, plural

if TYPE_CHECKING:
    from picrules.encoding.schema import Feature
    from picrules.estimators.candidates import Tuning
    from picrules.estimators.settling import Drift

EXAMPLE = "picrules info income.pic"

_N_SHOWN = 6


def run(model: options.Model, *, as_json: options.Json = False) -> None:
    """Show what a model file holds, after checking all of it."""
    from picrules.cli.model_rows import open_model
    from picrules.persist.load import find_format

    clf = open_model(model)
    counts = clf._fitted.training.counts  # noqa: SLF001
    content = {
        "model": model,
        "format": find_format(model),
        "bytes": Path(model).stat().st_size,
        **describe_model(clf),
        "accuracy": clf.tuning_.accuracy if hasattr(clf, "tuning_") else None,
        "drift": _describe_drift(clf.drift_) if hasattr(clf, "drift_") else None,
        "counted_features": None if counts is None else counts.max_length,
    }
    output.show(content, _to_lines, as_json=as_json)


def describe_model(clf: Any) -> dict[str, Any]:
    """Return what a fitted estimator is, as plain values."""
    from picrules.explain.scorecard import name_members
    from picrules.persist.state import name_of

    return {
        "estimator": name_of(clf),
        "parameters": clf.get_params(),
        "rows": int(clf.class_sizes_.sum()),
        "classes": output.list_classes(clf),
        "engine": clf.engine_,
        "decided_by": name_members(clf._model),  # noqa: SLF001
        "in_use": _describe_choice(clf.tuning_) if hasattr(clf, "tuning_") else None,
        "features": [_describe(feature) for feature in clf.schema_.features],
    }


def _describe_choice(tuning: Tuning) -> dict[str, Any]:
    """Return the settings in use; the score is that of all rules that decide together."""
    chosen = tuning.chosen
    return {**chosen.to_dict(), "score": tuning.by_rules.get(tuning.n_rules, chosen.score)}


def _describe_drift(drift: Drift) -> dict[str, Any] | None:
    """Return how far the rows have moved on; nothing where none came or went."""
    if not drift.n_added and not drift.n_forgotten:
        return None
    counts = {"added": drift.n_added, "forgotten": drift.n_forgotten}
    return {**counts, "share": drift.share, "text": str(drift)}


def _describe(feature: Feature) -> dict[str, Any]:
    conditions = [feature.condition(code) for code in range(feature.n_codes)]
    known = (
        {"categories": list(feature.categories)}
        if hasattr(feature, "categories")
        else {"cuts": [format_bound(condition.upper) for condition in conditions[:-1]]}  # type: ignore[attr-defined]
    )
    texts = [str(condition) for condition in conditions]
    return {"name": feature.name, "kind": str(feature.kind), **known, "conditions": texts}


def _to_lines(content: dict[str, Any]) -> list[str]:
    changed = ", ".join(f"{name} {value}" for name, value in content["parameters"].items())
    classes = [
        f"{format_value(entry['class'])} ({entry['rows']:,})" for entry in content["classes"]
    ]
    from picrules.explain.scorecard import tell_members

    lines = [
        f"Model       {content['model']}, format {content['format']}, {content['bytes']:,} bytes",
        f"Estimator   {content['estimator']}: {changed}",
        f"Decides     {tell_members(content['decided_by'])}",
        *(_in_use_lines(content) if content["in_use"] else []),
        f"Trained on  {plural(content['rows'], 'row')}{_tell_counts(content)}",
        f"Classes     {output.list_some(classes, _N_SHOWN)}",
        f"Features    {len(content['features'])}",
    ]
    width = max(len(format_name(feature["name"])) for feature in content["features"])
    return lines + [
        f"  {format_name(feature['name']):{width}}  {feature['kind']:8}  {_values(feature)}"
        for feature in content["features"]
    ]


def _tell_counts(content: dict[str, Any]) -> str:
    """Say what a model keeps in place of its rows."""
    most = content["counted_features"]
    return f"; counts of up to {plural(most, 'feature')} are kept in their place" if most else ""


def _in_use_lines(content: dict[str, Any]) -> list[str]:
    """Say what was chosen by leave-one-out; look-alikes alone do not use it."""
    from picrules.explain.scorecard import LOOK_ALIKES

    in_use = content["in_use"]
    # Of one class all rows are right, whatever is chosen.
    is_told = len(content["classes"]) > 1
    score = [f"Score       {in_use['score']:.4f} by leave-one-out, when settings were chosen"]
    score = score if is_told else []
    if is_told and content["accuracy"] is not None:
        score += [f"Expected    {format_share(content['accuracy'])} of new predictions are right"]
    if content["drift"] is not None:
        score += [f"Drift       {content['drift']['text']}"]
    if content["decided_by"] == [LOOK_ALIKES]:
        return score
    chosen = {name: value for name, value in in_use.items() if name not in ("score", "n_rules")}
    settings = ", ".join(f"{name} {value}" for name, value in chosen.items())
    return [f"In use      {settings}", *score]


def _values(feature: dict[str, Any]) -> str:
    if "categories" in feature:
        return output.list_some(list(map(format_value, feature["categories"])), _N_SHOWN)
    if not feature["conditions"]:
        return "always missing in training"
    cuts = output.list_some(feature["cuts"], _N_SHOWN)
    return f"cut at {cuts}" if cuts else "one part"
