import pytest

from picrules.engines.threads import Watch, run_blocks, split_evenly


@pytest.mark.parametrize(("n_items", "n_parts"), [(1, 4), (7, 3), (8, 2), (5, 5)])
def test_parts_cover_the_range_once(n_items, n_parts):
    parts = split_evenly(n_items, n_parts)
    assert [item for start, stop in parts for item in range(start, stop)] == list(range(n_items))
    assert all(start < stop for start, stop in parts)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("is_watched", [True, False])
def test_every_block_is_done_once_and_reported(n_threads, is_watched):
    reported, done = [], []
    watch = Watch(reported.append) if is_watched else None
    blocks = split_evenly(100, 7)
    run_blocks(lambda _, start, stop: done.append((start, stop)), blocks, n_threads, watch, 0.01)
    assert sorted(done) == blocks
    if is_watched:
        assert sum(reported) == pytest.approx(1)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_thread_reaches_the_caller_and_stops_the_others(n_threads):
    watch = Watch()

    def fail(_, start, stop):
        raise RuntimeError(f"{start}-{stop}")

    with pytest.raises(RuntimeError, match="-"):
        run_blocks(fail, split_evenly(1000, 100), n_threads, watch)


def test_a_stopped_watch_ends_the_work():
    watch, done = Watch(), []

    def work(_, start, stop):
        done.append(start)
        watch.stop()

    run_blocks(work, split_evenly(100, 100), 1, watch)
    assert done == [0]
