"""Who may ask, and how much: checked before anything else looks at a request."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from dataclasses import dataclass, field
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from fastapi.responses import RedirectResponse
from starlette.datastructures import Headers, MutableHeaders

from picrules.rules.text import show
from picrules.web.problems import Problem, render

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
COOKIE = "picrules-token"

# Nothing but the files of this server runs, nothing is loaded from elsewhere, nobody may frame it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one request may ask for.

    Parameters
    ----------
    body : int
        Bytes of a body, but of an uploaded table.
    upload : int
        Bytes of an uploaded table.
    rows : int
        Rows of one request.
    seconds : float
        How long a body may take to arrive.
    waiting : int
        Single rows that may wait for an answer.
    jobs : int
        Longer searches that may wait for a thread.
    """

    body: int = 4 * 2**20
    upload: int = 256 * 2**20
    rows: int = 10_000
    seconds: float = 60.0
    waiting: int = 1024
    jobs: int = 16


@dataclass(frozen=True, slots=True)
class Guard:
    """Checks host, origin and token, limits bodies, and adds the headers of safety.

    `hosts` are the names that a request may be addressed to, which keeps out pages whose name was
    bound anew to this machine; where that is any address (`0.0.0.0`), addresses in numbers are
    accepted, too.
    """

    app: ASGIApp
    hosts: frozenset[str] = LOOPBACK
    is_open: bool = False  # whether any address in numbers is accepted
    token: str | None = None
    limits: Limits = field(default_factory=Limits)
    upload_path: str = "/api/tables"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or let the app do it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check(scope, headers)
            if self._brings_token(scope):
                await self._greet(scope)(scope, receive, _with_headers(send))
                return
            self._check_token(scope, headers)
            limit = self._check_length(scope, headers)
        except Problem as problem:
            await render(problem)(scope, receive, _with_headers(send))
            return
        await self.app(scope, _limited(receive, limit, self.limits.seconds), _with_headers(send))

    def _check(self, scope: Scope, headers: Headers) -> None:
        """Refuse what another site may have made a browser send."""
        host = headers.get("host", "")
        if not self._is_known(host):
            raise Problem(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"the request is addressed to {show(host)}, which is not a name of this server; "
                "start it with --allow NAME to add one",
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            raise Problem(HTTPStatus.FORBIDDEN, f"a page of {show(origin)} may not ask this server")
        site = headers.get("sec-fetch-site", "none")
        is_visit = scope["method"] in {"GET", "HEAD"} and (
            headers.get("sec-fetch-mode") == "navigate"
        )
        if site in {"cross-site", "same-site"} and not is_visit:
            raise Problem(HTTPStatus.FORBIDDEN, "a page of another site may not ask this server")

    def _is_known(self, host: str) -> bool:
        name = _without_port(host)
        return name in self.hosts or (self.is_open and _is_address(name))

    def _brings_token(self, scope: Scope) -> bool:
        """Whether the address holds the right token, as in the link that was shown at the start."""
        if self.token is None or scope["method"] != "GET":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return bool(given) and _is_equal(given, self.token)

    def _greet(self, scope: Scope) -> RedirectResponse:
        """Put the token into a cookie, and take it out of the address."""
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        rest = urlencode({name: values for name, values in query.items() if name != "token"}, True)
        # A path of two slashes would be the name of another host.
        path = "/" + scope["path"].lstrip("/")
        response = RedirectResponse(f"{path}?{rest}" if rest else path, HTTPStatus.SEE_OTHER)
        assert self.token is not None
        response.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
        return response

    def _check_token(self, scope: Scope, headers: Headers) -> None:
        if self.token is None or scope["path"] == "/healthz":
            return
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            given = _read_cookie(headers.get("cookie", ""))
        if not _is_equal(given, self.token):
            raise Problem(
                HTTPStatus.UNAUTHORIZED,
                "the token that was shown when the server started is needed: open the link with "
                "it, or send it as 'Authorization: Bearer TOKEN'",
            )

    def _check_length(self, scope: Scope, headers: Headers) -> int:
        limit = self.limits.upload if scope["path"] == self.upload_path else self.limits.body
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
            raise too_large(limit)
        return limit


def too_large(limit: int) -> Problem:
    """Return the refusal of a body that is too large."""
    return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is larger than {limit:,} bytes")


def _limited(receive: Receive, limit: int, seconds: float) -> Receive:
    """Count the bytes of a body as they arrive, and wait for all of them only so long."""
    n_bytes, is_complete = 0, False
    deadline = asyncio.get_running_loop().time() + seconds

    async def receive_some() -> Message:
        nonlocal n_bytes, is_complete
        if is_complete:
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise Problem(
                HTTPStatus.REQUEST_TIMEOUT, f"the body did not arrive within {seconds:g} seconds"
            ) from None
        n_bytes += len(message.get("body", b""))
        is_complete = not message.get("more_body", False)
        if n_bytes > limit:
            raise too_large(limit)
        return message

    return receive_some


def _with_headers(send: Send) -> Send:
    async def send_more(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_more


def _read_cookie(text: str) -> str:
    try:
        cookie: SimpleCookie = SimpleCookie(text)
    except CookieError:
        return ""
    return cookie[COOKIE].value if COOKIE in cookie else ""


def _is_equal(given: str, token: str) -> bool:
    """Compare in a time that does not tell how much is right, nor how long the token is."""
    digests = [hashlib.sha256(text.encode("utf-8", "replace")).digest() for text in (given, token)]
    return hmac.compare_digest(*digests)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name.lower() if colon and port.isdecimal() else host.lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def hosts_of(host: str, others: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return what `Guard` takes for a server that is bound to an address."""
    is_v6 = ":" in host
    names = {*LOOPBACK, f"[{host}]" if is_v6 else host.lower(), *map(str.lower, others)}
    return {"hosts": frozenset(names), "is_open": host in {"0.0.0.0", "::"}}  # noqa: S104
