"""Work is shared by several threads, or done ahead, and ends with all of them."""

import pytest

from picrules.engines.shared import READ_AHEAD, Shared, read_ahead, run_streams
from picrules.errors import BadTable


def count_up(made, ended, last=50):
    """Numbers, of which it is written down which were made and when it ended."""
    try:
        for number in range(last):
            made.append(number)
            yield number
        raise BadTable("no more")
    finally:
        ended.append(len(made))


def test_batches_made_ahead_come_in_order_with_their_errors():
    made, ended, seen = [], [], []
    with pytest.raises(BadTable, match="no more"):
        seen.extend(read_ahead(count_up(made, ended)))
    assert made == list(range(50))
    assert ended == [50]
    batches = read_ahead(count_up([], []))
    assert [next(batches) for _ in range(5)] == made[:5]


def test_no_batch_is_made_ahead_for_nobody():
    made, ended = [], []
    batches = read_ahead(count_up(made, ended))
    assert [next(batches), next(batches)] == [0, 1]
    batches.close()
    assert ended == [len(made)]
    assert len(made) <= 2 + READ_AHEAD


def shared(pieces, n_pieces=3):
    """Numbers, of which each thread makes tens."""

    def make(numbers):
        for number in numbers:
            yield 10 * number

    return Shared(pieces, make, n_pieces)


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8])
def test_each_piece_is_taken_by_one_thread_alone(n_threads):
    streams = shared([range(5), range(5, 6), range(6, 20)]).split(n_threads)
    assert len(streams) == min(n_threads, 3)
    found = run_streams(list, streams)
    assert len(found) == len(streams)
    assert sorted(number for own in found for number in own) == list(range(0, 200, 10))
    # Pieces are never cut.
    assert all((0 in own) == (40 in own) and (60 in own) == (190 in own) for own in found)


def test_a_thread_without_a_piece_gives_what_nothing_gives():
    found = run_streams(list, shared([range(3)], n_pieces=2).split(2))
    assert sorted(found) == [[], [0, 10, 20]]


def test_an_iteration_alone_takes_all_pieces_in_order():
    assert list(shared([range(2), range(2), range(1)])) == [0, 10, 0, 10, 0]


def test_all_threads_end_when_one_has_failed():
    """One that works on without an end would never be waited for."""
    begun, ended = [], []

    def work(numbers):
        begun.append(1)
        try:
            for number in numbers:
                if number < 0:
                    raise BadTable("no more")
        finally:
            ended.append(1)

    with pytest.raises(BadTable, match="no more"):
        run_streams(work, [iter([1, 2, -1]), count_on(), count_on()])
    assert len(ended) == len(begun) > 0  # some may not even begin


def count_on():
    while True:
        yield 1
