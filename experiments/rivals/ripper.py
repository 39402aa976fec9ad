"""RIPPER (Cohen 1995), of the package wittgenstein, on the same codes as the other rivals."""

from __future__ import annotations

import warnings
from contextlib import redirect_stderr
from io import StringIO
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from experiments.rivals.items import covers

if TYPE_CHECKING:
    from experiments.rivals.pair_votes import Literals


class Ripper:
    """Rules for the positive rows, grown, pruned and revised one after the other."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, codes: np.ndarray, n_codes: np.ndarray, is_positive: np.ndarray) -> Self:
        from wittgenstein import RIPPER  # noqa: PLC0415  (only this rival needs the package)

        del n_codes
        self.default = bool(is_positive.all())
        self.found: list[Literals] = []
        if is_positive.all() or not is_positive.any():
            return self
        names = [f"f{feature}" for feature in range(codes.shape[1])]
        model = RIPPER(random_state=self.seed)
        table = pd.DataFrame(codes.astype(str), columns=names)
        # The package warns of pandas 3 and, on stderr past all filters, of empty rule sets.
        with warnings.catch_warnings(), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")
            model.fit(table, y=is_positive, pos_class=True)
        self.found = [
            [(int(cond.feature[1:]), int(cond.val), False) for cond in rule.conds]
            for rule in model.ruleset_.rules
        ]
        return self

    def predict(self, codes: np.ndarray) -> np.ndarray:
        covered = np.full(len(codes), self.default)
        for literals in self.found:
            covered |= covers(literals, codes)
        return covered

    def rules(self) -> list[Literals]:
        return self.found
