"""How many random examples a test takes, of which each takes long."""

import hypothesis

ALL = 1000  # as many as `make properties` asks for, whatever they take

_most = hypothesis.settings.default.max_examples


def at_most(n_examples):
    """Take so many examples; `make properties` takes all the same."""
    is_long = _most >= ALL
    return hypothesis.settings(max_examples=_most if is_long else min(_most, n_examples))


FEWER = at_most(max(5, _most // 5))
