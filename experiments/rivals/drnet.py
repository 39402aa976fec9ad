"""DR-Net (Qiao, Wang, Lin 2021): a rule set as a two-layer network with stochastic gates.

A rule is a neuron whose sum is 1 exactly when all its conditions hold; the answer is positive
when any rule holds. Straight-through gradients are written out, so no framework is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from experiments.rivals.columns import merge_two_valued
from experiments.rivals.loops import drnet as loops

if TYPE_CHECKING:
    from experiments.rivals.pair_votes import Literals


class DRNet:
    """DR-Net with the settings that reproduce the paper's figures.

    A batch has 400 rows and an incomplete one is left out, as in the example of its authors: with
    fewer than 400 training rows no update is made, and the network keeps all its rules, which
    hold for no row. `n_updates` tells.
    """

    n_rules = 50
    rate = 1e-2
    n_batch = 400
    is_dropped = True
    penalties = (1e-2, 1e-2)

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def _plan(self, n_rows: int) -> tuple[int, int]:
        """How many epochs, and after how many the two layers take turns."""
        del n_rows
        return 2000, 500

    def fit(self, codes: np.ndarray, n_codes: np.ndarray, is_positive: np.ndarray) -> Self:
        rng = np.random.default_rng(self.seed)
        self.columns = merge_two_valued(n_codes)
        shape = (self.n_rules, self.columns.count)
        W = rng.uniform(-1, 1, shape) / np.sqrt(self.columns.count)
        network = loops.Network(W, rng.normal(0, 0.01, shape), rng.normal(0, 0.01, self.n_rules))
        memory = loops.new_memory(network)
        epochs, phase = self._plan(len(codes))
        n_batch = self.n_batch if self.is_dropped else min(self.n_batch, len(codes))
        loops.train(
            self.columns.active(codes), is_positive.astype(float), network, memory,
            (epochs, n_batch, phase), self.is_dropped, np.array(self.penalties), self.rate,
            int(rng.integers(2**31)),
        )  # fmt: skip
        self.n_updates = int(memory.steps.sum())
        gates = np.vectorize(loops.evaluation_gate)
        self.V = (network.W * gates(network.A)).T.copy()
        self.is_kept = gates(network.b) > 0
        return self

    def predict(self, codes: np.ndarray) -> np.ndarray:
        sums = np.empty((len(codes), self.n_rules))
        loops.rule_sums(self.columns.active(codes), np.arange(len(codes)), self.V, sums)
        return ((sums > loops.IS_TRUE) & self.is_kept).any(axis=1)

    def rules(self) -> list[Literals]:
        return [
            [
                (int(self.columns.features[j]), int(self.columns.codes[j]), bool(self.V[j, k] < 0))
                for j in np.flatnonzero(self.V[:, k])
            ]
            for k in np.flatnonzero(self.is_kept)
        ]


class TrainedDRNet(DRNet):
    """DR-Net with a budget of updates in place of epochs, so that small tables are learned too.

    The penalty of the second layer is its authors' default; the paper's closes every rule on
    transfusion.
    """

    n_batch = 64
    is_dropped = False
    penalties = (1e-2, 1e-5)
    budget = 100_000

    def _plan(self, n_rows: int) -> tuple[int, int]:
        a_epoch = -(-n_rows // min(self.n_batch, n_rows))
        epochs = max(8, self.budget // a_epoch)
        return epochs, max(1, epochs // 8)
