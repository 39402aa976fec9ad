"""The routes of the pages."""

from __future__ import annotations

import json
from functools import cache, partial
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from picrules.errors import PicrulesError
from picrules.rules.text import show
from picrules.web.finding import Wanted, find_rows
from picrules.web.problems import BadField, Problem
from picrules.web.served import Served
from picrules.web.views import case as case_view
from picrules.web.views.cases import draw_cases
from picrules.web.views.decisions import draw_decisions
from picrules.web.views.layout import find_paths
from picrules.web.views.model import draw_model, draw_rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from picrules.explain.explanations import Explanations
    from picrules.reports.html import Html
    from picrules.web.desk import Desk

router = APIRouter(include_in_schema=False)

# How many of the best rules a case lists, and how often chance and stability draw.
_TOP = 5
_DRAWS = 200

# The files of the pages by name: what they are made of, and their type.
_STATIC = {
    "app.css": ("text/css", (
        "reports/templates/page.css", "reports/templates/card.css", "reports/templates/colours.css",
        "web/static/app.css")),
    "app.js": ("text/javascript", ("web/static/app.js",)),
    "report.js": ("text/javascript", (
        "reports/templates/draw.js", "reports/templates/overview.js", "reports/templates/model.js",
        "reports/templates/rules.js",
        "web/static/report.js")),
    "icon.svg": ("image/svg+xml", ("web/static/icon.svg",)),
}  # fmt: skip


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """Give a file of the pages; there are no others."""
    if name not in _STATIC:
        raise Problem(HTTPStatus.NOT_FOUND, f"there is no file {show(name)}")
    return Response(_read_static(name), media_type=_STATIC[name][0])


@cache
def _read_static(name: str) -> str:
    folder = files("picrules")
    return "\n".join(folder.joinpath(path).read_text("utf-8") for path in _STATIC[name][1])


@router.get("/")
async def start(request: Request) -> Response:
    """Begin with the cases, or with what there is."""
    paths = find_paths(request.app.state.desk)
    first = next((path for path in ("/cases", "/case", "/learn") if path in paths), "/healthz")
    return RedirectResponse(first, HTTPStatus.SEE_OTHER)


@router.get("/cases")
async def cases(request: Request) -> Response:
    """Show the rows of the table that are asked for."""
    desk: Desk = request.app.state.desk
    served = _get_table(desk)
    wanted = read_wanted(request, served)

    def work() -> Html:
        return draw_cases(desk, served, wanted, find_rows(served, wanted))

    return HTMLResponse(await desk.run(work, request))


def read_wanted(request: Request, served: Served) -> Wanted:
    """Read which rows are asked for from the address; what is not known there is left out."""
    given = {key: value for key, value in request.query_params.items() if key in Wanted.__slots__}
    page = given.pop("page", "1")
    rule = given.get("rule", "")
    if rule and not (rule.isascii() and rule.isdecimal() and int(rule[:9]) < len(served.rules)):
        raise BadField("rule", f"there is no rule {show(rule)}")
    is_number = page.isascii() and page.isdecimal()
    return Wanted(**given, page=int(page[:9]) if is_number else 1)


@router.get("/case")
async def case(request: Request) -> Response:
    """Show a case; the address holds it."""
    desk: Desk = request.app.state.desk
    asked = read_case(request, desk.get())
    finish = partial(_draw_first, asked)
    details = {"top": _TOP} if asked.served.has_rows else {}
    (drawn,), numbers = await desk.answer(asked.served, [asked.cells], finish, request, details)
    page = case_view.draw_case(desk, asked, drawn, numbers[0] if numbers else None)
    return HTMLResponse(page)


def _draw_first(asked: case_view.Case, explanations: Explanations, number: int) -> case_view.Drawn:
    return case_view.draw_answer(asked, explanations[number])


def read_case(request: Request, served: Served) -> case_view.Case:
    """Read a case from the address: a row, and values that begin with `v.`."""
    query = request.query_params
    number = None
    if "row" in query:
        text = query["row"]
        is_number = text.isascii() and text.isdecimal() and len(text) < 10
        if not is_number or not 1 <= int(text) <= served.n_rows:
            raise BadField(
                "row", f"row is {show(text)}; a number from 1 to {served.n_rows} is accepted"
            )
        number = int(text)
    texts = {key.removeprefix("v."): value for key, value in query.items() if key.startswith("v.")}
    given = served.reader.read_texts(texts)
    if number is not None:
        own = dict(zip(served.reader.names, served.cells_of(number), strict=True))
        given = {name: cell for name, cell in given.items() if cell != own[name]}
    return case_view.Case(served, number, given)


@router.get("/case/changes")
async def changes(request: Request) -> Response:
    """Find what would change the decision, and tell how far the search is."""
    asked = read_case(request, request.app.state.desk.get())

    def work() -> Html:
        found = asked.served.find_changes(asked.cells, max_changes=2)
        return case_view.draw_changes(asked, found)

    return _stream(request, work)


@router.get("/case/chance")
async def chance(request: Request) -> Response:
    """Check whether the rule could be chance, and tell how far that is."""
    asked = read_case(request, request.app.state.desk.get())
    return _stream(
        request,
        lambda: case_view.draw_text(str(asked.served.check_chance(asked.cells, _DRAWS))),
    )


@router.get("/case/stability")
async def stability(request: Request) -> Response:
    """Check whether other training rows would say the same, and tell how far that is."""
    asked = read_case(request, request.app.state.desk.get())
    return _stream(
        request,
        lambda: case_view.draw_text(str(asked.served.check_stability(asked.cells, _DRAWS))),
    )


def _stream(request: Request, work: Callable[[], Html]) -> Response:
    """Answer in lines of JSON: the share that is done, and at last the HTML."""
    desk: Desk = request.app.state.desk
    following = desk.follow(work)

    async def lines() -> AsyncIterator[str]:
        try:
            async for step in following:
                told = {"share": step} if isinstance(step, float) else {"html": step}
                yield json.dumps(told) + "\n"
        except PicrulesError as error:
            yield json.dumps({"problem": str(error)}) + "\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


@router.get("/rules")
async def rules(request: Request) -> Response:
    """Show the rules in use."""
    desk: Desk = request.app.state.desk
    served = _get_table(desk)
    return HTMLResponse(await desk.run(lambda: draw_rules(desk, served), request))


@router.get("/model")
async def model(request: Request) -> Response:
    """Show the model."""
    desk: Desk = request.app.state.desk
    served = desk.get()
    return HTMLResponse(await desk.run(lambda: draw_model(desk, served), request))


@router.get("/decisions")
async def decisions(request: Request) -> Response:
    """Show what people decided."""
    desk: Desk = request.app.state.desk
    if desk.log is None:
        raise Problem(HTTPStatus.NOT_FOUND, "no log is kept; start with --log FILE")
    by_rule, recent = await desk.log.by_rule(), await desk.log.recent(100)
    return HTMLResponse(draw_decisions(desk, by_rule, recent))


def _get_table(desk: Desk) -> Any:
    served = desk.get()
    if served.asked is None:
        raise Problem(HTTPStatus.NOT_FOUND, "no table is served; start with --data DATA")
    return served
