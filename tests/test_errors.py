"""Errors travel between processes as they are."""

import pickle

import pytest

from picrules import errors

EVERY = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, errors.PicrulesError)
]


@pytest.mark.parametrize("kind", EVERY)
@pytest.mark.parametrize("has_dask", [False, True])
def test_an_error_is_the_same_after_it_was_pickled(kind, has_dask):
    """Dask has a way of its own for errors, which could not make NotEnoughMemory again."""
    if has_dask:
        pytest.importorskip("tblib.pickling_support").install()
    error = kind("what was wrong")
    error.add_note("more of it")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert copy.args == error.args
    assert copy.__notes__ == error.__notes__
