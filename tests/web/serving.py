"""The app behind a real server on a free port of this machine, for the time of a test."""

import socket
import threading
from contextlib import contextmanager

import httpx
import uvicorn

from tests.browser import PATIENCE


class _Server(uvicorn.Server):
    """Tells when it listens."""

    def __init__(self, config):
        super().__init__(config)
        self.is_up = threading.Event()

    async def startup(self, sockets=None):
        await super().startup(sockets)
        self.is_up.set()


@contextmanager
def serving(app):
    """Run the app; gives its address."""
    server = _Server(uvicorn.Config(app, log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        assert server.is_up.wait(PATIENCE)
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


@contextmanager
def asking(app, **how):
    """Run the app; gives a client of it."""
    with serving(app) as address, httpx.Client(base_url=address, timeout=PATIENCE, **how) as client:
        yield client


def wait_until(is_true):
    """Wait for a condition; a turn of another thread each time."""
    pause = threading.Event()
    for _ in range(PATIENCE * 100):
        if is_true():
            return
        pause.wait(0.01)
    raise AssertionError("it never came true")
