import io
import threading
from types import SimpleNamespace

import pytest

from picrules.engines import compiling


class Kernel:
    """Stands for a compiled function."""

    def __init__(self, signatures):
        self.signatures = signatures


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Timer:
    """A timer that fires at once."""

    daemon = False

    def __init__(self, _, function, arguments):
        self.function, self.arguments = function, arguments

    def start(self):
        self.function(*self.arguments)

    def cancel(self):
        pass


@pytest.fixture
def told(monkeypatch):
    monkeypatch.setattr(compiling, "_told", set())
    monkeypatch.setattr(threading, "Timer", Timer)
    stream = Terminal()
    monkeypatch.setattr(compiling, "sys", SimpleNamespace(stderr=stream))
    return stream


def test_a_terminal_is_told_once(told):
    for _ in range(2):
        with compiling.tell_compiling(Kernel([])):
            pass
    assert told.getvalue().count("compiling") == 1


def test_other_kernels_are_told_of_again(told):
    """The first look at `.top` compiled for 18 seconds without a word."""
    for name in ("search_rows", "rank_length"):
        kernel = Kernel([])
        kernel.__name__ = name
        with compiling.tell_compiling(kernel):
            pass
    assert told.getvalue().count("compiling") == 2


def test_nothing_is_said_when_a_kernel_is_ready(told):
    with compiling.tell_compiling(Kernel([]), Kernel(["int64"])):
        pass
    assert told.getvalue() == ""


def test_nothing_is_said_to_a_file(told, monkeypatch):
    monkeypatch.setattr(compiling, "sys", SimpleNamespace(stderr=io.StringIO()))
    with compiling.tell_compiling(Kernel([])):
        pass
    assert told.getvalue() == ""
