import pickle

import pandas as pd
import pytest

from picrules import Results
from tests.reports.parsing import parse
from tests.reports.results import LONG, make_results

PLAIN = {"explanation.rule", "plan"}  # their text says all that there is to say


@pytest.fixture(scope="module")
def results():
    return make_results()


def test_every_result_has_a_short_text(results):
    """A summary took 683,300 characters in a notebook, and print(clf.explain(X)) 3.2 MB."""
    for name, result in results.items():
        assert 0 < len(str(result)) < 10_000, name
        assert 0 < len(repr(result)) < 6_000, name
        assert "Explanation(rule=" not in repr(result)


def test_every_result_has_a_view_without_script(results):
    for name, result in results.items():
        if name in PLAIN:
            continue
        html = result._repr_html_()
        assert len(html) < 40_000, name
        parsed = parse(html)
        assert not {kind for kind, _ in parsed.elements} & {"script", "i"}, name
        assert "cook</b>" not in html
        assert "b<i>" not in html


def test_every_result_is_a_table_in_each_library(results):
    for name, result in results.items():
        if name in PLAIN:
            continue
        for library in ("pandas", "polars", "pyarrow"):
            frame = result.to_frame(library)
            assert frame.shape[0] >= 1, name
            assert frame.shape[1] >= 2, name


def test_long_results_show_their_head_and_say_how_many_more(results):
    explanations = results["explanations"]
    assert str(explanations).endswith(f"\n... and {LONG - 5:,} more")
    assert f"... and {LONG - 3:,} more" in explanations._repr_html_()
    for name in ("explanation.top", "significance", "stability"):
        n_entries = len(results[name])
        n_told = 5 if name == "stability" else 10
        assert f"... and {n_entries - n_told:,} more" in str(results[name])
        assert f"... and {n_entries - 10:,} more" in results[name]._repr_html_()
    summary = results["summary"]
    assert f"... and {summary.n_rules - 10} more" in str(summary)
    assert parse(summary._repr_html_()).elements.count(("tr", {})) == 11


def test_a_slice_of_explanations_keeps_its_methods(results):
    whole, part = results["explanations"], results["explanations[5:25]"]
    assert type(part) is type(whole)
    assert list(part) == [whole[row] for row in range(5, 25)]
    assert part.labels.tolist() == whole.labels[5:25].tolist()
    assert part.confidences.tolist() == whole.confidences[5:25].tolist()
    pd.testing.assert_frame_equal(part.to_frame(), whole.to_frame()[5:25])
    distinct, which = part.distinct()
    assert [distinct[at].rule for at in which] == [each.rule for each in part]
    assert len({each.rule for each in part}) == len(distinct)
    assert list(part[::-2]) == list(whole[5:25])[::-2]
    assert part[3:5][0].evidence.rows.tolist() == whole[8].evidence.rows.tolist()


def test_tables_keep_the_index_of_the_rows(results):
    assert results["explanations"].to_frame().index.tolist()[:2] == ["row 0", "row 1"]
    for name in ("significance", "stability"):
        assert results[name].to_frame().index.tolist() == [f"row {row}" for row in range(30)]


def test_results_are_a_tuple_that_stays_one(results):
    top = results["explanation.top"]
    assert isinstance(top[:2], Results)
    assert top[:2] == tuple(top)[:2]
    assert pickle.loads(pickle.dumps(top)) == top
    assert str(top[:2]).splitlines() == [str(top[0]), str(top[1])]
    assert Results().to_frame().empty
