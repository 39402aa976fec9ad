"""Each attack has its documented answer, and the server lives on."""

import contextlib
import socket

import pytest

from picrules.web import guard
from picrules.web.app import make_app
from picrules.web.guard import Limits, hosts_of
from tests.web.serving import PATIENCE, asking
from tests.web.tables import rows, served

TOKEN = "a-token-of-the-tests"


@pytest.fixture(scope="module")
def client():
    with asking(make_app(served())) as client:
        yield client


@pytest.fixture(scope="module")
def guarded():
    with asking(make_app(served(), token=TOKEN, host="0.0.0.0")) as client:
        yield client


@pytest.fixture(autouse=True)
def _alive(client):
    yield
    assert client.get("/healthz").json()["status"] == "ok"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "", "8.8.8.8"]
)
def test_a_foreign_host_is_refused(client, host):
    """A name of an attacker can be bound to 127.0.0.1 after a page was loaded from it."""
    assert client.get("/healthz", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:9", "[::1]:8000"])
def test_names_of_this_machine_are_accepted(client, host):
    assert client.get("/healthz", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
def test_a_foreign_origin_is_refused(client, origin):
    response = client.post("/api/predict", json={"row": rows()[0]}, headers={"origin": origin})
    assert response.status_code == 403
    assert response.headers["content-type"] == "application/problem+json"


def test_the_own_origin_is_accepted(client):
    origin = str(client.base_url).rstrip("/")
    response = client.post("/api/predict", json={"row": rows()[0]}, headers={"origin": origin})
    assert response.status_code == 200


def test_a_page_elsewhere_can_link_but_not_fetch(client):
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/healthz", headers=link).status_code == 200
    fetch = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert client.get("/healthz", headers=fetch).status_code == 403


def test_a_post_that_is_no_json_is_refused(client):
    """A form of another site can send text without asking first."""
    response = client.post(
        "/api/predict", content='{"row": {}}', headers={"content-type": "text/plain"}
    )
    assert response.status_code == 422


@pytest.mark.parametrize(
    "headers",
    [{}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"},
     {"authorization": "Bearer"}, {"cookie": "picrules-token=wrong"}, {"cookie": '"; =;'},
     {"authorization": f"Bearer {TOKEN[:-1]}"}, {"authorization": "Bearer \xff"}],
)  # fmt: skip
def test_a_missing_or_wrong_token_is_refused(guarded, headers):
    guarded.cookies.clear()
    raw = {name: value.encode("latin-1") for name, value in headers.items()}
    for path in ("/api/model", "/openapi.json", "/", "/static/app.js"):
        assert guarded.get(path, headers=raw).status_code == 401
    assert guarded.get("/?token=wrong").status_code == 401


def test_the_right_token_is_accepted(guarded):
    guarded.cookies.clear()
    assert (
        guarded.get("/api/model", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    )
    greeted = guarded.get(f"/api/model?token={TOKEN}&limit=3", follow_redirects=False)
    assert greeted.headers["location"] == "/api/model?limit=3"
    cookie = greeted.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert guarded.get("/api/model").status_code == 200


def test_the_token_never_leads_elsewhere(guarded):
    """Two slashes at the start of a path would be the name of another host."""
    with connect(guarded) as raw:
        raw.sendall(
            f"GET //evil.example/?token={TOKEN} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        )
        assert b"location: /evil.example/\r\n" in raw.recv(4096)


def test_an_open_server_takes_addresses_but_no_foreign_names(guarded):
    assert guarded.get("/healthz", headers={"host": "192.168.0.7:8000"}).status_code == 200
    assert guarded.get("/healthz", headers={"host": "evil.example"}).status_code == 421


def test_names_can_be_allowed():
    assert "risk.example" in hosts_of("0.0.0.0", ("Risk.example",))["hosts"]


def test_a_body_of_a_gigabyte_is_refused_before_it_is_read(client):
    with connect(client) as raw:
        raw.sendall(post_head(2**30))
        assert raw.recv(1000).startswith(b"HTTP/1.1 413")


def test_a_body_of_unknown_length_is_refused_when_it_is_too_long(client):
    def endless():
        for _ in range(100):
            yield b" " * 2**20

    response = client.post(
        "/api/predict", content=endless(), headers={"content-type": "application/json"}
    )
    assert response.status_code == 413


def test_a_slow_client_is_sent_away():
    with asking(make_app(served(), limits=Limits(seconds=0.2))) as client, connect(client) as raw:
        raw.sendall(post_head(100) + b"{")
        assert client.get("/healthz").status_code == 200  # others are served meanwhile
        assert raw.recv(1000).startswith(b"HTTP/1.1 408")


def test_clients_that_never_finish_asking_keep_nobody_waiting(client):
    with contextlib.ExitStack() as stack:
        for number in range(100):
            raw = stack.enter_context(connect(client))
            raw.sendall(b"POST /api/predict HTTP/1.1\r\nHost: 127" if number % 2 else post_head(9))
        assert client.post("/api/predict", json={"row": rows()[0]}).status_code == 200


def post_head(n_bytes):
    head = "POST /api/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {n_bytes}\r\n\r\n".encode()


def connect(client):
    raw = socket.create_connection((client.base_url.host, client.base_url.port), PATIENCE)
    raw.settimeout(PATIENCE)
    return raw


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2fapp.py",
     "/..%2f..%2fetc/passwd", "/static/%00", "/static//etc/passwd", "/static/..\\app.py"],
)  # fmt: skip
def test_paths_lead_to_no_other_file(client, path):
    with connect(client) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))
    assert b"root:" not in answer
    assert b"def make_app" not in answer


def test_every_answer_has_the_headers_of_safety(client):
    for path in ("/healthz", "/nowhere"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    refused = client.get("/healthz", headers={"host": "evil.example"})
    assert "content-security-policy" in refused.headers


def test_the_token_is_compared_in_constant_time(monkeypatch):
    """All of it is looked at, by the function made for it."""
    compared = []
    monkeypatch.setattr(guard.hmac, "compare_digest", lambda *both: compared.append(both) or True)
    assert guard._is_equal("x", TOKEN)
    assert len({len(one) for one in compared[0]}) == 1
