"""Random rows give the same model file, byte for byte, whatever kind of frame they come in."""

import datetime as dt
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from picrules import FPICClassifier, PersonalRuleClassifier, PICClassifier
from tests.distributed.frames import LAZY, awkward, open_kind, quiet, to_pandas
from tests.examples import at_most

pytestmark = quiet

ESTIMATORS = [
    FPICClassifier(bins=3, max_length=2),
    FPICClassifier(bins=4, max_length=2, keep_rows=False),
    PICClassifier(bins=2, categorical_features=["whole"]),
    PersonalRuleClassifier(max_length=1, cuts=4, look_alikes=False, alpha=1, smoothing=1),
]
KINDS = {
    "number": (pa.float64(), [0.0, -0.0, 0.1, 0.3, -2.5, 1e300, 5e-324, float("nan")]),
    "whole": (pa.int64(), [0, -1, 3, 2**53 - 1]),
    "text": (pa.string(), ["", " ", "a", "Ä", "1", "nan", 'it\'s "so"\n']),
    "flag": (pa.bool_(), [True, False]),
    "day": (pa.date32(), [dt.date(1969, 12, 31), dt.date(2024, 2, 29), dt.date(2024, 3, 1)]),
}
bounded = at_most(8)


@st.composite
def tables(draw):
    """Columns of some kinds, each with missing cells, and a class that is never missing."""
    names = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=5, unique=True))
    cells = (st.sampled_from([*KINDS[name][1], None]) for name in names)
    one_row = st.tuples(*cells, st.sampled_from(["no", "yes", "maybe"]))
    rows = draw(st.lists(one_row, min_size=1, max_size=30))
    types = [*(KINDS[name][0] for name in names), pa.string()]
    columns = map(pa.array, zip(*rows, strict=True), types)
    return pa.table(dict(zip([*names, "y"], columns, strict=True)))


@pytest.fixture(scope="module", params=LAZY)
def to_lazy(request):
    with open_kind(request.param) as convert:
        yield convert


def file_of(estimator, frame):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pic"
        clone(estimator).fit(frame, "y").save(path)
        return path.read_bytes()


@bounded
@given(table=tables(), estimator=st.sampled_from(ESTIMATORS), seed=st.integers(0, 9))
def test_every_kind_of_frame_gives_the_same_file(to_lazy, table, estimator, seed):
    if "whole" not in table.column_names:
        estimator = clone(estimator).set_params(categorical_features="from_dtype")
    expected = file_of(estimator, table)
    assert file_of(estimator, pl.from_arrow(table)) == expected
    frame = to_pandas(table)
    # Without it pandas 2 does not know that a column without any value holds texts.
    frame = frame.astype({"text": "string"}) if "text" in frame else frame
    assert file_of(estimator, frame) == expected
    shuffled = table.take(np.random.default_rng(seed).permutation(len(table)))
    assert file_of(estimator, to_lazy(shuffled)) == expected


@pytest.mark.slow
def test_many_rows_give_the_same_file(to_lazy):
    """With 1,000 examples a million: cuts of more are found from a sample."""
    table = awkward(1000 * settings.default.max_examples)
    table = table.rename_columns([*table.column_names[:-1], "y"])
    expected = file_of(FPICClassifier(bins=9), table)
    assert file_of(FPICClassifier(bins=9), to_lazy(table)) == expected
