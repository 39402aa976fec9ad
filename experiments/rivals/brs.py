"""Bayesian Rule Sets (Wang et al. 2017): a rule set of high posterior, found by annealing.

The prior makes each rule cost about as much as two errors are worth. As in the code that the
paper ran, the most accurate rule set of the walk is taken; `select = "posterior"` takes the most
probable one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.special import betaln

from experiments.rivals import brs_candidates
from experiments.rivals.columns import one_column_a_value
from experiments.rivals.items import covers
from experiments.rivals.loops import bits

if TYPE_CHECKING:
    from experiments.rivals.pair_votes import Literals


def rule_spaces(n_codes: np.ndarray, longest: int) -> np.ndarray:
    """How many rules of each length there are: every feature is there twice, plain and negated."""
    spaces = np.zeros(longest + 1)
    spaces[0] = 1
    for n_values in np.repeat(n_codes, 2):
        spaces[1:] += n_values * spaces[:-1].copy()
    return spaces[1:]


class Posterior:
    """The logarithm of prior and likelihood of a rule set, from its lengths and its errors."""

    def __init__(self, spaces: np.ndarray, alpha: float = 500, beta: float = 1) -> None:
        self.spaces, self.alpha, self.beta = spaces, alpha, beta
        self.rule_alpha = 10.0
        self.rule_beta = 10.0 * len(spaces) * spaces

    def prior(self, lengths: np.ndarray) -> float:
        """The prior of a set with rules of these lengths."""
        counts = np.bincount(lengths, minlength=len(self.spaces) + 1)[1:]
        chosen = betaln(counts + self.rule_alpha, self.spaces - counts + self.rule_beta)
        return float((chosen - betaln(self.rule_alpha, self.rule_beta)).sum())

    def likelihood(self, hits: int, misses: int) -> float:
        """The likelihood of one side: true and false positives, or true and false negatives."""
        return float(betaln(hits + self.alpha, misses + self.beta) - betaln(self.alpha, self.beta))


class BRS:
    """BRS with its authors' example settings, which are the paper's."""

    n_chains = 2
    n_steps = 500
    explore = 0.1
    select = "accuracy"

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, codes: np.ndarray, n_codes: np.ndarray, is_positive: np.ndarray) -> Self:
        self.rng = np.random.default_rng(self.seed)
        self.columns = one_column_a_value(n_codes)
        self.chosen: list[Literals] = []
        self.default = bool(is_positive.mean() > 0.5)
        self.sizes = np.bincount(~is_positive, minlength=2)
        if self.sizes.min() == 0:
            return self
        X = (codes[:, self.columns.features] == self.columns.codes).T
        self.pool = brs_candidates.make_pool(X, is_positive, self.seed)
        self.words, self.n_positive_words = self.pool.words, self.pool.n_positive_words
        if len(self.words) < 2:
            return self
        self.default = False
        self.posterior = Posterior(rule_spaces(n_codes, brs_candidates.LONGEST))
        walks = [self._walk() for _ in range(self.n_chains)]
        _, best = max(walks, key=lambda walk: walk[0])
        self.chosen = [self._literals(rule) for rule in best]
        return self

    def predict(self, codes: np.ndarray) -> np.ndarray:
        covered = np.full(len(codes), self.default)
        for literals in self.chosen:
            covered |= covers(literals, codes)
        return covered

    def rules(self) -> list[Literals]:
        return self.chosen

    def _literals(self, rule: int) -> Literals:
        n_columns = self.columns.count
        return [
            (
                int(self.columns.features[literal % n_columns]),
                int(self.columns.codes[literal % n_columns]),
                bool(literal >= n_columns),
            )
            for literal in self.pool.members[rule]
            if literal >= 0
        ]

    def _cover(self, rules: list[int]) -> np.ndarray:
        if not rules:
            return np.zeros(self.words.shape[1], np.uint64)
        return np.bitwise_or.reduce(self.words[rules], axis=0)

    def _counts(self, cover: np.ndarray) -> tuple[int, int]:
        """True and false positives."""
        return bits.count(cover[: self.n_positive_words]), bits.count(
            cover[self.n_positive_words :]
        )

    def _value(self, rules: list[int]) -> tuple[float, int]:
        """The log posterior of a set of rules, and how many training rows it gets right."""
        hits, false = self._counts(self._cover(rules))
        n_positive, n_negative = self.sizes
        likelihood = self.posterior.likelihood(hits, false) + self.posterior.likelihood(
            n_negative - false, n_positive - hits
        )
        return self.posterior.prior(
            self.pool.lengths[rules]
        ) + likelihood, hits + n_negative - false

    def _walk(self) -> tuple[float, list[int]]:
        """Anneal once; return the best value and its rules."""
        rng, n_rules = self.rng, len(self.words)
        rules = rng.choice(n_rules, min(n_rules, int(rng.integers(1, 8))), replace=False).tolist()
        current, improved = -1e11, [(self._value(rules)[0], rules)]
        best: tuple[float, list[int]] = (-np.inf, rules)
        for step in range(self.n_steps):
            if step >= 0.7 * self.n_steps:
                weights = np.arange(1, len(improved) + 1)
                rules = improved[rng.choice(len(improved), p=weights / weights.sum())][1]
            proposal = self._propose(rules)
            value, n_right = self._value(proposal)
            if value > improved[-1][0]:
                improved.append((value, proposal))
            merit = n_right if self.select == "accuracy" else value
            if merit > best[0]:
                best = (merit, proposal)
            temperature = 1000 ** (1 - step / self.n_steps)
            if np.log(rng.random()) <= (value - current) / temperature:
                rules, current = proposal, value
        return best

    def _propose(self, rules: list[int]) -> list[int]:
        """Change the set where it errs on one training row."""
        cover = self._cover(rules)
        wrong = self._wrong_bits(cover)
        if len(wrong) == 0:
            return rules
        bit = int(self.rng.choice(wrong))
        is_missed = bit < 64 * self.n_positive_words
        is_low = self.rng.random() < 0.5
        if is_missed or len(rules) == 1:
            if is_low or len(rules) == 1:
                return self._add(rules, cover)
        elif is_low:
            return self._cut(rules, bit)
        fewer = self._cut(rules, bit)
        return self._add(fewer, self._cover(fewer))

    def _wrong_bits(self, cover: np.ndarray) -> np.ndarray:
        covered = np.unpackbits(cover.view(np.uint8), bitorder="little")
        n_positive, n_negative = self.sizes
        first_negative = 64 * self.n_positive_words
        missed = np.flatnonzero(covered[:n_positive] == 0)
        false = np.flatnonzero(covered[first_negative : first_negative + n_negative])
        return np.concatenate([missed, false + first_negative])

    def _cut(self, rules: list[int], bit: int) -> list[int]:
        if len(rules) == 0:
            return rules
        if self.rng.random() < self.explore:
            fires = [r for r in rules if (int(self.words[r, bit >> 6]) >> (bit & 63)) & 1]
            gone = int(self.rng.choice(fires or rules))
        else:
            left = [[r for r in rules if r != rule] for rule in rules]
            precisions = np.array([_precision(*self._counts(self._cover(s))) for s in left])
            weights = np.exp(precisions)
            gone = int(self.rng.choice(rules, p=weights / weights.sum()))
        return [r for r in rules if r != gone]

    def _add(self, rules: list[int], cover: np.ndarray) -> list[int]:
        if self.rng.random() < self.explore:
            new = int(self.rng.integers(len(self.words)))
        else:
            counts = np.empty((len(self.words), 2), np.int64)
            bits.count_within(self.words, ~cover, self.n_positive_words, counts)
            precisions = _precision(counts[:, 0], counts[:, 1])
            precisions[rules] = -1
            new = int(self.rng.choice(np.flatnonzero(precisions == precisions.max())))
        return rules if new in rules else [*rules, new]


def _precision(hits: np.ndarray, false: np.ndarray) -> np.ndarray:
    return hits / (hits + false + 1)
