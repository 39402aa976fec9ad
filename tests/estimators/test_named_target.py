"""The class of each row may be told by the name of its column."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.errors import BadTarget

TABLE = pd.DataFrame({
    "size": [1.0, 2.0, 3.0, 4.0] * 5,
    "bought": ["no", "no", "yes", "yes"] * 5,
    "kind": ["a", "b"] * 10,
})  # fmt: skip
LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


def file_of(fitted, folder):
    fitted.save(folder / "model.pic")
    return (folder / "model.pic").read_bytes()


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("estimator", [FPICClassifier, PersonalRuleClassifier])
def test_a_name_gives_the_model_of_the_column(library, estimator, tmp_path):
    frame = LIBRARIES[library](TABLE)
    named = estimator().fit(frame, "bought")
    apart = estimator().fit(TABLE[["size", "kind"]], TABLE["bought"])
    assert named.feature_names_in_.tolist() == ["size", "kind"]
    assert file_of(named, tmp_path) == file_of(apart, tmp_path)


def test_rows_are_added_and_forgotten_by_the_name_of_their_classes(tmp_path):
    clf = FPICClassifier().fit(TABLE, "bought")
    before = file_of(clf, tmp_path)
    clf.partial_fit(TABLE[:7], "bought")
    assert clf.class_sizes_.tolist() == [14, 13]
    assert file_of(clf.forget(TABLE[:7], "bought"), tmp_path) == before


@pytest.mark.parametrize(
    ("X", "y", "told"),
    [
        (TABLE, "income", "X has 0 columns 'income'; its columns are size, bought, kind"),
        (TABLE, "bougth", "bought, kind.*; did you mean 'bought'"),
        (pd.concat([TABLE, TABLE], axis=1), "bought", "X has 2 columns 'bought'"),
        (np.zeros((4, 2)), "bought", "y is 'bought', the name of a column, and X is no table"),
        (TABLE.rename(columns={"size": 7}), "income", "its columns are 7, bought, kind"),
        (TABLE.rename(columns={"size": 7}), "7", "X has 0 columns '7'; its columns are 7, bought"),
    ],
)
def test_names_that_no_column_has_are_refused(X, y, told):
    with pytest.raises(BadTarget, match=told):
        FPICClassifier().fit(X, y)
