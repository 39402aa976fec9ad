"""How many random examples a test takes, of which each takes long."""

import hypothesis

ALL = 1000  # as many as `make properties` asks for, whatever they take

_most = hypothesis.settings.default.max_examples
FEWER = hypothesis.settings(max_examples=_most if _most >= ALL else max(5, _most // 5))
