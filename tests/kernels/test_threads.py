import pytest

from picrules.kernels.threads import run_parts, split_evenly


@pytest.mark.parametrize(("n_items", "n_parts"), [(1, 4), (7, 3), (8, 2), (5, 5)])
def test_parts_cover_the_range_once(n_items, n_parts):
    parts = split_evenly(n_items, n_parts)
    assert [item for start, stop in parts for item in range(start, stop)] == list(range(n_items))
    assert all(start < stop for start, stop in parts)


def test_an_error_in_a_thread_reaches_the_caller():
    def fail(start, stop):
        raise RuntimeError(f"{start}-{stop}")

    with pytest.raises(RuntimeError, match="0-2"):
        run_parts(fail, 4, 2)
