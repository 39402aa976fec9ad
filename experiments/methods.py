"""The methods of the comparison by name, each with the paper's settings for a data set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from experiments.printed import setting
from experiments.rivals.fpic_readings import READINGS

if TYPE_CHECKING:
    from collections.abc import Callable

    from experiments.rivals.rule import Rival

ALPHAS = tuple(round(0.1 * step, 1) for step in range(1, 11))
LENGTHS = (1, 2, 3, 4, 5)


class NotAvailable(LookupError):
    """A method whose class or package is not there; its fits are skipped."""


@dataclass(frozen=True)
class Method:
    """How to make a rival for a data set, and the group that it is run with.

    Groups: "ours", "paper" (the paper's rivals), "more" (rivals that the paper has not),
    "alpha" and "length" (the sweeps of fPIC) and "variants" (other readings of fPIC).
    """

    name: str
    group: str
    make: Callable[[str, int], Rival]  # from the name of the data set and a seed


def _load(path: str) -> Any:
    """Import `module:name`, as late as possible: most methods need packages of their own."""
    module, name = path.split(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise NotAvailable(f"{path} is not there: {error}") from error


def _pic(dataset: str, seed: int, alpha: float) -> Rival:
    del seed
    return _personal(
        "picrules:PICClassifier",
        alpha=alpha,
        bins=setting("bins", dataset),
        max_length=setting("PIC_max_length", dataset),
    )


def _fpic(dataset: str, seed: int, alpha: float = 0.9, max_length: int | None = None) -> Rival:
    del seed
    return _personal(
        "picrules:FPICClassifier",
        alpha=alpha,
        bins=setting("bins", dataset),
        max_length=max_length or setting("fPIC_max_length", dataset),
    )


def _personal(path: str, **parameters: Any) -> Rival:
    return _load("experiments.rivals.personal:Personal")(_load(path)(**parameters))


def _recommended(dataset: str, seed: int) -> Rival:
    del dataset, seed
    return _personal("picrules:PersonalRuleClassifier")


def _rule_set(dataset: str, seed: int, path: str, **options: Any) -> Rival:
    learner = _load(path)
    votes = _load("experiments.rivals.pair_votes:PairVotes")
    return votes(lambda: learner(seed), setting("bins", dataset), **options)


def _ripper(dataset: str, seed: int) -> Rival:
    _load("wittgenstein:RIPPER")
    return _rule_set(dataset, seed, "experiments.rivals.ripper:Ripper", rarer_is_positive=True)


def _drs(dataset: str, seed: int) -> Rival:
    return _load("experiments.rivals.drs:DRS")(setting("bins", dataset), seed)


def _tree(dataset: str, seed: int, path: str, **parameters: Any) -> Rival:
    del dataset
    return _load("experiments.rivals.trees:TreeRival")(_load(path)(random_state=seed, **parameters))


def _boosting(dataset: str, seed: int) -> Rival:
    # Early stopping, from 10,000 rows on, sets rows of every class aside, and nursery has a class
    # with one or two. It stops by the loss in training; not stopping has 0.81 there, not 0.98.
    path = "sklearn.ensemble:HistGradientBoostingClassifier"
    return _tree(dataset, seed, path, validation_fraction=None)


def _reading(dataset: str, seed: int, reading: str) -> Rival:
    readings = _load("experiments.rivals.fpic_readings:FPICReading")
    return readings(reading, setting("bins", dataset), seed)


_ALL = (
    Method("PIC(0.7)", "ours", partial(_pic, alpha=0.7)),
    Method("PIC(0.9)", "ours", partial(_pic, alpha=0.9)),
    Method("fPIC", "ours", _fpic),
    Method("PersonalRule", "ours", _recommended),
    Method("DR-Net", "paper", partial(_rule_set, path="experiments.rivals.drnet:DRNet")),
    Method("BRS", "paper", partial(_rule_set, path="experiments.rivals.brs:BRS")),
    Method("DRS", "paper", _drs),
    Method("CART", "paper", partial(_tree, path="sklearn.tree:DecisionTreeClassifier")),
    Method("RF", "paper", partial(_tree, path="sklearn.ensemble:RandomForestClassifier")),
    Method(
        "DR-Net trained", "more", partial(_rule_set, path="experiments.rivals.drnet:TrainedDRNet")
    ),
    Method("RIPPER", "more", _ripper),
    Method("FIGS", "more", partial(_tree, path="imodels:FIGSClassifier", max_rules=20)),
    Method("boosting", "more", _boosting),
    *(Method(f"fPIC alpha={a}", "alpha", partial(_fpic, alpha=a)) for a in ALPHAS),
    *(Method(f"fPIC L={k}", "length", partial(_fpic, max_length=k)) for k in LENGTHS),
    *(Method(f"fPIC: {name}", "variants", partial(_reading, reading=name)) for name in READINGS),
)
METHODS = {method.name: method for method in _ALL}
GROUPS = tuple(dict.fromkeys(method.group for method in _ALL))
