"""The routes by which a table is uploaded and learned from."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

import typer
from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from picrules.errors import PicrulesError
from picrules.rules.text import list_names, show
from picrules.web.api import RESPONSES
from picrules.web.desk import Desk
from picrules.web.learning import Learner
from picrules.web.problems import BadField, Json, Problem
from picrules.web.views.learn import draw_learn

router = APIRouter(responses=RESPONSES)


class ToLearn(BaseModel):
    """What to learn from the table that was uploaded."""

    target: Annotated[str, Field(description="The column of the classes.")]
    ignore: Annotated[list[str], Field(description="Columns to leave out.")] = []

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"target": "edible", "ignore": ["id"]}]}
    )


@router.post("/api/tables", tags=["learning"], status_code=HTTPStatus.CREATED)
async def upload(
    request: Request, name: Annotated[str, Query(max_length=300, description="Its file's name.")]
) -> Json:
    """Upload a table, as CSV, JSON lines, Parquet or Feather; the body is the file itself."""
    desk, learner = _get(request)
    path = await learner.take(name, request.stream())

    def work() -> dict[str, Any]:
        try:
            looked = learner.look(path, name)
        except (PicrulesError, typer.BadParameter) as error:
            text = getattr(error, "message", str(error)).replace(str(path), "the file")
            raise BadField("body", text) from None
        columns = [
            {"name": each, "kind": kind, "missing": looked.n_missing[each]}
            for each, kind in looked.kinds.items()
        ]
        return {"name": looked.name, "rows": looked.n_rows, "columns": columns}

    return Json(await desk.run(work, request), HTTPStatus.CREATED)


@router.post("/api/fits", tags=["learning"], status_code=HTTPStatus.ACCEPTED)
async def fit(asked: ToLearn, request: Request) -> Json:
    """Begin to learn from the table that was uploaded; what was learned before is given up."""
    desk, learner = _get(request)
    if learner.looked is None:
        raise Problem(HTTPStatus.CONFLICT, "there is no table yet; upload one first")
    for field, names in (("target", [asked.target]), ("ignore", asked.ignore)):
        for name in names:
            if name not in learner.looked.kinds:
                known = list_names(list(map(show, learner.looked.kinds)))
                raise BadField(field, f"{field} names {show(name)}; the columns are {known}")

    def serve(served: Any) -> None:
        desk.served = served

    begun = await learner.start(asked.target, asked.ignore, serve)
    return Json(begun.to_dict(), HTTPStatus.ACCEPTED)


@router.get("/api/fits", tags=["learning"])
async def progress(request: Request) -> Json:
    """Tell how far the learning is, or how it ended."""
    _, learner = _get(request)
    if learner.fit is None:
        raise Problem(HTTPStatus.NOT_FOUND, "nothing was learned yet")
    return Json(learner.fit.to_dict())


@router.delete("/api/fits", tags=["learning"])
async def cancel(request: Request) -> Json:
    """End the learning."""
    _, learner = _get(request)
    if learner.fit is None:
        raise Problem(HTTPStatus.NOT_FOUND, "nothing is learned now")
    await learner.cancel()
    return Json(learner.fit.to_dict())


@router.get("/model.pic", include_in_schema=False)
async def download(request: Request) -> Response:
    """Give the model file."""
    desk, learner = _get(request)
    name = f"{desk.get().name}.pic"
    if not learner.model.is_file():
        raise Problem(HTTPStatus.NOT_FOUND, "nothing was learned yet")
    return FileResponse(learner.model, filename=name, media_type="application/octet-stream")


@router.get("/learn", include_in_schema=False)
async def learn(request: Request) -> Response:
    """Show the table that was uploaded, and how far the learning is."""
    desk, learner = _get(request)
    return HTMLResponse(await desk.run(lambda: draw_learn(desk, learner), request))


def _get(request: Request) -> tuple[Desk, Learner]:
    desk: Desk = request.app.state.desk
    assert desk.learner is not None
    return desk, desk.learner
