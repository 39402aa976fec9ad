from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from picrules.scoring.measures import con, precision, recall, score, ub
from tests import reference
from tests.tables import coded_tables, to_rows


@given(st.integers(0, 50), st.integers(1, 50), st.integers(1, 50), st.floats(0, 1))
def test_score_is_the_formula_to_the_bit(hits, more, others, alpha):
    cover_size, class_size = hits + more, hits + others
    assert score(hits, cover_size, class_size, alpha) == reference.score(
        hits, cover_size, class_size, alpha
    )
    assert score(hits, cover_size, class_size, 1.0) == precision(hits, cover_size)
    assert score(hits, cover_size, class_size, 0.0) == recall(hits, class_size)


@given(table=coded_tables(max_rows=30), alpha=st.floats(0, 1))
def test_bounds_hold_for_every_longer_rule_in_floats(table, alpha):
    """Pruning compares floats, so the bounds must hold after rounding."""
    labels, n_classes = table.labels.tolist(), table.n_classes
    sizes = reference.class_sizes(labels, n_classes)
    x = to_rows(table.queries)[0]
    counts = {
        features: reference.class_counts(table.rows, labels, n_classes, x, features)
        for length in (1, 2, 3)
        for features in combinations(range(len(x)), length)
    }
    for features, found in counts.items():
        _, value = reference.best_class(found, sizes, alpha)
        subrules = [counts[s] for s in combinations(features, len(features) - 1) if s]
        if subrules and sum(found):
            assert value <= ub(subrules, sizes, alpha)
            assert ub(subrules, sizes, alpha) <= min(con(s, sizes, alpha) for s in subrules)
