"""Rows in parts: what is drawn of them."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from picrules import FPICClassifier
from picrules.distributed.part_source import PartSource
from picrules.engines.holding import Holding
from picrules.errors import BadTarget


@dataclass
class Tables:
    """Tables in memory, as `Parts`."""

    tables: list

    names = ("row", "same", "when", "state")

    def run(self, work, merge):
        return merge([work([table]) for table in self.tables])


def make_parts(kind, n_parts=6, n_rows=500):
    every = pa.table({
        "row": np.arange(n_parts * n_rows), "same": ["x"] * (n_parts * n_rows),
        "when": pd.date_range("2024", periods=n_parts * n_rows, freq="s"),
        "state": ["no", "yes", "no", "no"] * (n_parts * n_rows // 4),
    })  # fmt: skip
    parts = [every.slice(start, n_rows) for start in range(0, len(every), n_rows)]
    return parts if kind == "pyarrow" else [part.to_pandas() for part in parts]


def draw(parts, n_drawn, seed=0):
    """The rows that are drawn of each part, by their positions in it."""
    X, _ = PartSource(Tables(parts), "state").sample(n_drawn, seed)
    rows, n_rows = np.array(X["row"]), len(parts[0])
    return [(rows[rows // n_rows == part] % n_rows).tolist() for part in range(len(parts))]


@pytest.mark.parametrize("kind", ["pyarrow", "pandas"])
def test_parts_of_the_same_length_draw_other_rows(kind):
    """All drew the same positions, as if every part were cut in the same way."""
    drawn = draw(make_parts(kind), 600)
    assert len({tuple(own) for own in drawn}) == len(drawn)
    common = set(drawn[0]).intersection(*drawn[1:])
    assert len(common) < 5


@pytest.mark.parametrize("kind", ["pyarrow", "pandas"])
def test_what_a_part_draws_depends_on_its_rows_alone(kind):
    """A worker that does it again draws the same, wherever the part stands."""
    parts = make_parts(kind)
    drawn = draw(parts, 600)
    assert draw(parts, 600) == drawn
    assert draw(parts[::-1], 600) == drawn
    assert draw(parts, 600, seed=1) != drawn


@pytest.mark.parametrize("kind", ["pyarrow", "pandas"])
def test_a_part_without_rows_draws_none(kind):
    """It was refused."""
    parts = make_parts(kind)
    drawn = draw([*parts, parts[0][:0]], 600)
    assert drawn[:-1] == draw(parts, 600)
    assert drawn[-1] == []


@pytest.mark.parametrize("new", ["maybe", "zero"])
def test_classes_that_come_while_rows_are_counted_are_refused(new):
    """They were counted as the class that stands where they would."""
    parts = make_parts("pyarrow", n_rows=40)
    source, clf = PartSource(Tables(parts), "state"), FPICClassifier()
    assert source.classes.tolist() == ["no", "yes"]
    conditions = clf.fit(pa.concat_tables(parts), "state")._fitted.conditions
    parts[1] = parts[1].set_column(3, "state", pa.array([new] * 40))
    with pytest.raises(BadTarget, match=f"rows of the class '{new}', and were none when"):
        source.gather(conditions, Holding(True, 1, np.inf))
