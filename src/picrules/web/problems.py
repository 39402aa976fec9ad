"""What can go wrong with a request, told as problem+json (RFC 9457)."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

from fastapi.responses import Response

from picrules.errors import PicrulesError
from picrules.rules.text import show

PROBLEM_TYPE = "application/problem+json"


class Json(Response):
    """JSON in ASCII: half a surrogate pair can be in a text, but not in UTF-8."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Write plain values."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


class Problem(PicrulesError):
    """A request that is refused: the status, why, and which field is wrong."""

    def __init__(
        self, status: int, detail: str, field: str | None = None, *, retry_after: int | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.field = status, detail, field
        self.headers = {} if retry_after is None else {"Retry-After": str(retry_after)}


class BadField(Problem):
    """A field of a request holds something that is not accepted."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(HTTPStatus.UNPROCESSABLE_ENTITY, detail, field)


class Busy(Problem):
    """More is asked at once than can wait."""

    def __init__(self) -> None:
        super().__init__(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "too many requests wait for an answer; try again in a second",
            retry_after=1,
        )


def render(problem: Problem) -> Json:
    """Write a problem as problem+json."""
    content: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": int(problem.status),
        "detail": problem.detail,
    }
    if problem.field is not None:
        content["field"] = problem.field
    return Json(content, problem.status, headers=problem.headers, media_type=PROBLEM_TYPE)


def from_pydantic(errors: list[Any]) -> Problem:
    """Tell the first of the errors that pydantic found."""
    first = errors[0]
    if first["type"] == "json_invalid":
        return Problem(HTTPStatus.BAD_REQUEST, f"the body is no JSON: {first['ctx']['error']}")
    # The first word is where the field stands: body, query or path.
    where = ".".join(str(word) for word in first["loc"][1:]) or str(first["loc"][0])
    seen = show(first.get("input"))
    return BadField(where, f"{where} is {seen}: {first['msg'][:1].lower()}{first['msg'][1:]}")
