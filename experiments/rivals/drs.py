"""Diverse Rule Sets (Zhang, Gionis 2020): good rules that overlap little, greedily chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from experiments.rivals.drs_rules import Candidates, Sampler, join
from experiments.rivals.items import ItemEncoder, covers
from experiments.rivals.loops import drs as loops
from experiments.rivals.rule import FoundRule, RuleUse

if TYPE_CHECKING:
    import pandas as pd


class DRS:
    """DRS with the settings of its authors' run script; the weight of diversity is the paper's.

    A row that no rule covers gets the class that the rules cover least, as in the authors'
    code; on tables where few rows are covered that is worse than guessing.
    """

    is_personal = False
    n_samples = 500
    n_first_samples = 100  # a class, for the weight of diversity
    most_rules = 100
    least_gain = 0.01  # of the recall of a class

    def __init__(self, bins: int, seed: int) -> None:
        self.bins = bins
        self.seed = seed

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Self:
        self.encoder = ItemEncoder(self.bins).fit(X)
        codes = self.encoder.transform(X)
        self.classes, labels = np.unique(y, return_inverse=True)
        sampler = Sampler(codes, self.encoder.n_codes, labels, np.random.default_rng(self.seed))
        self.diversity = self._diversity(sampler)
        chosen, pool = self._choose(sampler)
        again = self._choose_again(pool, len(chosen))
        if self._objective(again) > self._objective(chosen):
            chosen = again
        self.default = self._least_covered(sampler, chosen)
        own = chosen.counts[np.arange(len(chosen)), chosen.labels]
        order = np.argsort(-own / np.maximum(chosen.counts.sum(axis=1), 1), kind="stable")
        self.chosen = chosen.take(order)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        codes = self.encoder.transform(X)
        labels = np.full(len(codes), self.default)
        for rule in reversed(range(len(self.chosen))):
            labels[covers(self._literals(rule), codes)] = self.chosen.labels[rule]
        return self.classes[labels]

    def rules(self, X: pd.DataFrame) -> list[RuleUse]:
        codes = self.encoder.transform(X)
        uses = []
        for rule in range(len(self.chosen)):
            literals = self._literals(rule)
            items = frozenset(self.encoder.item(feature, code) for feature, code, _ in literals)
            found = FoundRule(items, self.classes[self.chosen.labels[rule]])
            uses.append(RuleUse(found, int(covers(literals, codes).sum())))
        return uses

    def _literals(self, rule: int) -> list[tuple[int, int, bool]]:
        codes = self.chosen.codes[rule]
        return [(int(f), int(codes[f]), False) for f in np.flatnonzero(codes >= 0)]

    def _diversity(self, sampler: Sampler) -> float:
        nothing = np.zeros(len(sampler.labels), bool)
        drawn = [
            sampler.draw(label, self.n_first_samples, nothing) for label in range(len(self.classes))
        ]
        return max((part.qualities.max() for part in drawn if len(part)), default=0.0)

    def _choose(self, sampler: Sampler) -> tuple[Candidates, Candidates]:
        """Draw, take the best, repeat; also return everything that was drawn."""
        covered = np.zeros(len(sampler.labels), bool)
        own_covered = np.zeros_like(covered)
        active = set(range(len(self.classes)))
        accepted: list[Candidates] = []
        looked_at: list[Candidates] = []
        pools = [sampler.draw(0, 0, np.ones_like(covered))]
        while len(accepted) < self.most_rules and active:
            drawn = join([sampler.draw(label, self.n_samples, covered) for label in sorted(active)])
            drawn = _without(drawn, looked_at)
            if len(drawn) == 0:
                break
            pools.append(drawn)
            best = drawn.take([self._best(drawn, looked_at)])
            looked_at.append(best)
            label = int(best.labels[0])
            rows = sampler.is_covered(best.covers[0])
            is_new = rows & (sampler.labels == label) & ~own_covered
            if is_new.sum() / sampler.sizes[label] <= self.least_gain:
                active.discard(label)
                continue
            accepted.append(best)
            covered |= rows
            own_covered |= is_new
            if own_covered[sampler.labels == label].all():
                active.discard(label)
        pool = join(pools)
        return join([pool.take([]), *accepted]), pool

    def _best(self, drawn: Candidates, looked_at: list[Candidates]) -> int:
        if not looked_at:
            return int(drawn.qualities.argmax())
        distances = np.zeros(len(drawn))
        for other in looked_at:
            loops.add_distances(drawn.covers, other.covers[0], distances)
        return int((0.5 * drawn.qualities + self.diversity * distances).argmax())

    def _choose_again(self, pool: Candidates, n_rules: int) -> Candidates:
        """Choose as many rules from everything that was drawn."""
        places: list[int] = []
        distances = np.zeros(len(pool))
        for _ in range(n_rules):
            merits = (
                pool.qualities
                if not places
                else (0.5 * pool.qualities + self.diversity * distances)
            )
            merits = merits.copy()
            merits[places] = -np.inf
            places.append(int(merits.argmax()))
            loops.add_distances(pool.covers, pool.covers[places[-1]], distances)
        return pool.take(places)

    def _objective(self, rules: Candidates) -> float:
        distances = np.zeros(len(rules))
        for cover in rules.covers:
            loops.add_distances(rules.covers, cover, distances)
        return float(rules.qualities.sum() + self.diversity * distances.sum())

    def _least_covered(self, sampler: Sampler, rules: Candidates) -> int:
        recalls = []
        for label in range(len(self.classes)):
            mine = rules.covers[rules.labels == label]
            is_hit = sampler.is_covered(
                np.bitwise_or.reduce(mine, axis=0) if len(mine) else 0 * sampler.everything
            )
            recalls.append(is_hit[sampler.labels == label].mean())
        return int(np.argmin(recalls))


def _without(drawn: Candidates, looked_at: list[Candidates]) -> Candidates:
    seen = {(int(c.labels[0]), c.codes[0].tobytes()) for c in looked_at}
    keys = zip(drawn.labels.tolist(), drawn.codes, strict=True)
    return drawn.take([i for i, (label, c) in enumerate(keys) if (label, c.tobytes()) not in seen])
