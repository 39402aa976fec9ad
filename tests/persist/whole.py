"""Whether a model that was read is whole: what it says agrees with what it holds."""

import numpy as np
import pandas as pd

from picrules.errors import BadCell, BadModelFile, BadTable
from tests.persist.models import table


def rows_for(loaded, n_rows=5):
    """Rows with the columns of a model, of which there may be more or fewer than in `table`."""
    X = table(n_rows, seed=3)
    count = loaded.n_features_in_
    names = getattr(loaded, "feature_names_in_", np.arange(count))
    columns = [X.iloc[:, position % X.shape[1]] for position in range(count)]
    return pd.concat(columns, axis=1).set_axis(pd.Index(names, dtype=object), axis=1)


def check_whole(loaded):
    """Predict and explain; only a table of other kinds of cells may be refused."""
    X = rows_for(loaded)
    try:
        explanations = loaded.explain(X)
    except BadModelFile:
        raise
    except (BadCell, BadTable):
        return
    predicted, probabilities = loaded.predict(X), loaded.predict_proba(X)
    assert [each.prediction for each in explanations] == predicted.tolist()
    assert np.isfinite(probabilities).all()
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (probabilities.argmax(axis=1) == np.searchsorted(loaded.classes_, predicted)).all()
    n_rows = int(loaded.class_sizes_.sum())
    for each in explanations:
        assert 1 <= each.cover_size <= n_rows
        assert sum(each.class_counts.values()) == each.cover_size
        assert not np.isnan(each.score)
        str(each).encode()
        each.to_dict()
