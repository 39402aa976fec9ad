"""The app: pages and REST interface over one desk."""

from __future__ import annotations

import asyncio
import contextlib
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

import picrules
from picrules.errors import PicrulesError
from picrules.web import api, learning_api, pages
from picrules.web.desk import Desk
from picrules.web.guard import Guard, Limits, hosts_of
from picrules.web.openapi import describe_openapi
from picrules.web.problems import Json, Problem, from_pydantic, render
from picrules.web.watching import keep_up_to_date

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import Request

    from picrules.web.files import Files
    from picrules.web.learning import Learner
    from picrules.web.log import DecisionLog
    from picrules.web.served import Served


# What went wrong is for those who run the server, not for those who ask it.
_FAILED = "the server failed to answer this; its output says why"


def make_app(
    served: Served | None = None,
    *,
    files: Files | None = None,
    log: DecisionLog | None = None,
    learner: Learner | None = None,
    limits: Limits | None = None,
    token: str | None = None,
    host: str = "127.0.0.1",
    allowed: tuple[str, ...] = (),
) -> FastAPI:
    """Make the app that answers about a model.

    Parameters
    ----------
    served : Served or None
        The model and the table; None to begin by learning one.
    files : Files or None
        Where they come from, if they are to be read again when the model file changes.
    log : DecisionLog or None
        Where answers and decisions are kept.
    learner : Learner or None
        What learns from tables that are uploaded; None where that is not offered.
    limits : Limits or None
        How much one request may ask for.
    token : str or None
        What every request must bring; None where none is needed.
    host : str
        The address that the server is bound to.
    allowed : tuple of str
        Further names that it may be asked by.

    Returns
    -------
    FastAPI
        The app, to be run by a server such as uvicorn.
    """
    limits = limits or Limits()
    desk = Desk(limits, served, log, learner)

    @contextlib.asynccontextmanager
    async def live(_: FastAPI) -> AsyncIterator[None]:
        watching = asyncio.create_task(keep_up_to_date(desk, files)) if files else None
        yield
        if watching is not None:
            watching.cancel()
        if learner is not None:
            await learner.cancel()
        await asyncio.to_thread(desk.close)

    app = FastAPI(
        title="picrules",
        version=picrules.__version__,
        description="One short rule per prediction: predict, and say why.",
        docs_url=None,  # these pages would load scripts from elsewhere
        redoc_url=None,
        lifespan=live,
    )
    app.state.desk = desk
    app.openapi = lambda: describe_openapi(app, desk.served)  # type: ignore[method-assign]
    app.include_router(api.router)
    app.include_router(pages.router)
    if learner is not None:
        app.include_router(learning_api.router)
    app.add_exception_handler(Problem, _render_problem)
    app.add_exception_handler(PicrulesError, _render_problem)
    app.add_exception_handler(RequestValidationError, _render_problem)
    app.add_exception_handler(HTTPException, _render_problem)
    app.add_exception_handler(Exception, _render_failure)
    app.add_middleware(Guard, token=token, limits=limits, **hosts_of(host, allowed))
    return app


async def _render_problem(_: Request, error: Any) -> Json:
    return render(_to_problem(error))


async def _render_failure(_: Request, __: Exception) -> Json:
    failed = Problem(HTTPStatus.INTERNAL_SERVER_ERROR, _FAILED)
    failed.headers["Connection"] = "close"  # as uvicorn will, without a word
    return render(failed)


def _to_problem(error: Any) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, RequestValidationError):
        return from_pydantic(list(error.errors()))
    if isinstance(error, HTTPException):
        # What the guard raises while a body is read comes wrapped.
        if isinstance(error.__cause__, Problem):
            return error.__cause__
        return Problem(error.status_code, str(error.detail))
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
