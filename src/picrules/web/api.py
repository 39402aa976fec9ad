"""The REST interface: the same answers as the library, as JSON."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

import picrules
from picrules.errors import PicrulesError
from picrules.explain.explanations import Explanations
from picrules.rules.text import list_names, show
from picrules.web.desk import Desk
from picrules.web.problems import PROBLEM_TYPE, BadField, Json, Problem
from picrules.web.rows import Cells
from picrules.web.served import Served

Cell: TypeAlias = str | bool | int | float | None
Row: TypeAlias = dict[str, Cell]

# Rows of one request whose best rules or search are told: each is a search of its own.
MOST_DETAILED = 100

_ROW: dict[str, Any] = {"odor": "foul", "cap height": 3.1}
_PROBLEM = {
    "description": "What was wrong, and which field.",
    "content": {
        PROBLEM_TYPE: {
            "example": {
                "type": "about:blank",
                "title": "Unprocessable Content",
                "status": 422,
                "detail": "column 'cap height' holds 'tall'; a number or missing is expected",
                "field": "row.cap height",
            }
        }
    },
}
RESPONSES: dict[int | str, Any] = dict.fromkeys(
    ("400", "403", "408", "409", "413", "421", "422", "503"), _PROBLEM
)

router = APIRouter(responses=RESPONSES)


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Rows(_Asked):
    """One row, or several."""

    row: Annotated[Row | None, Field(description="One cell for each column.")] = None
    rows: Annotated[list[Row] | None, Field(min_length=1, description="Several rows.")] = None

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"row": _ROW}, {"rows": [_ROW, _ROW]}]}
    )

    @model_validator(mode="after")
    def _check_one(self) -> Rows:
        if (self.row is None) == (self.rows is None):
            raise ValueError("either row or rows is accepted")
        return self

    def read(self, served: Served, most: int) -> list[Cells]:
        """Read the rows by the schema of a model."""
        if self.row is not None:
            return [served.reader.read(self.row)]
        assert self.rows is not None
        if len(self.rows) > most:
            raise BadField("rows", f"there are {len(self.rows)} rows; at most {most} are accepted")
        return served.reader.read_all(self.rows)


class ToExplain(Rows):
    """Rows to explain, and what to tell beside the rule."""

    top: Annotated[int, Field(ge=0, le=20, description="How many of the best rules to list.")] = 0
    trace: Annotated[bool, Field(description="Whether to tell how the search went.")] = False


class ToChange(_Asked):
    """A row, and new values of some of its cells."""

    row: Row
    changes: Annotated[Row, Field(min_length=1, description="New values by column.")]

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"row": _ROW, "changes": {"cap height": 4.5}}]},
    )


class ToTurn(_Asked):
    """A row whose class should be another one, and what may change."""

    row: Row
    max_changes: Annotated[int, Field(ge=1, le=3, description="Features changed together.")] = 2
    fixed: Annotated[list[str], Field(description="Columns that may not change.")] = []
    ranges: Annotated[
        dict[str, list[Cell]],
        Field(description="Lowest and highest value, or the categories that are accepted."),
    ] = {}
    costs: Annotated[dict[str, float], Field(description="Weights of columns.")] = {}
    to: Annotated[Cell, Field(description="The class that is asked for.")] = None
    top: Annotated[int, Field(ge=1, le=100, description="How many changes to give.")] = 5

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"row": _ROW}]})


@router.post("/api/predict", tags=["rows"])
async def predict(asked: Rows, request: Request) -> Json:
    """Predict the class of one row, or of several."""
    return await _answer_rows(request, asked, to_prediction)


@router.post("/api/explain", tags=["rows"])
async def explain(asked: ToExplain, request: Request) -> Json:
    """Predict, and say why: each answer is by docs/explanation.schema.json."""
    desk: Desk = request.app.state.desk
    if not asked.top and not asked.trace:
        return await _answer_rows(request, asked, lambda each, number: each[number].to_dict())
    served = desk.get()
    rows = asked.read(served, min(desk.limits.rows, MOST_DETAILED))
    details = {"top": asked.top, "trace": asked.trace}

    def finish(explanations: Explanations, number: int) -> dict[str, Any]:
        return explanations[number].to_dict()

    answers, numbers = await desk.answer(served, rows, finish, request, details)
    return _to_json(served, asked, answers, numbers)


@router.post("/api/what-if", tags=["rows"])
async def what_if(asked: ToChange, request: Request) -> Json:
    """Tell what the prediction would be if some values were others."""
    desk: Desk = request.app.state.desk
    served = desk.get()
    cells = served.reader.read(asked.row)
    feature_of = {feature.name: feature for feature in served.reader.features}
    for name in asked.changes:
        if name not in feature_of:
            raise BadField(f"changes.{name}", f"there is no column {name!r}")
    changes = {
        name: served.reader.read_cell(feature_of[name], cell, "changes")
        for name, cell in asked.changes.items()
    }
    told = await desk.run(lambda: served.what_if(cells, changes).to_dict(), request)
    return Json({"model": served.fingerprint, "answer": told})


@router.post("/api/changes", tags=["rows"])
async def changes(asked: ToTurn, request: Request) -> Json:
    """Find the smallest changes of a row that give it another class."""
    desk: Desk = request.app.state.desk
    served = desk.get()
    cells = served.reader.read(asked.row)
    limits = asked.model_dump(exclude={"row"})

    def work() -> dict[str, Any]:
        try:
            return served.find_changes(cells, **limits).to_dict()
        except PicrulesError as error:
            raise BadField(_find_field(str(error), limits), str(error)) from None

    return Json({"model": served.fingerprint, "answer": await desk.run(work, request)})


@router.get("/api/rules", tags=["model"])
async def rules(request: Request, limit: Annotated[int, Query(ge=1, le=100_000)] = 1000) -> Json:
    """List the rules in use over the table that is served, the most used first."""
    desk: Desk = request.app.state.desk
    served = desk.get()
    if served.asked is None:
        raise Problem(HTTPStatus.NOT_FOUND, "no table is served; start with --data DATA")
    listed = await desk.run(lambda: served.rules[:limit], request)
    return Json({"model": served.fingerprint, "rows": served.n_rows, "rules": listed})


@router.get("/api/model", tags=["model"])
async def model(request: Request) -> Json:
    """Describe the model: its columns with their kinds, its classes and its settings."""
    served = request.app.state.desk.get()
    return Json(served.describe())


@router.get("/healthz", tags=["server"])
async def healthz(request: Request) -> Json:
    """Tell that the server is alive, and which model it serves."""
    desk: Desk = request.app.state.desk
    return Json({
        "status": "ok",
        "version": picrules.__version__,
        "model": None if desk.served is None else desk.served.fingerprint,
        "trouble": desk.trouble,
    })  # fmt: skip


async def _answer_rows(request: Request, asked: Rows, finish: Any) -> Json:
    desk: Desk = request.app.state.desk
    served = desk.get()
    rows = asked.read(served, desk.limits.rows)
    answers, numbers = await desk.answer(served, rows, finish, request)
    return _to_json(served, asked, answers, numbers)


def _to_json(
    served: Served, asked: Rows, answers: list[Any], numbers: list[int] | None = None
) -> Json:
    """Write answers; with a log, `logged` has their numbers, by which a decision names one."""
    told = {"answer": answers[0]} if asked.row is not None else {"answers": answers}
    logged = {} if numbers is None else {"logged": numbers}
    return Json({"model": served.fingerprint, **told, **logged})


def to_prediction(explanations: Any, number: int) -> dict[str, Any]:
    """Return the class of a row and the probabilities of all classes."""
    model = explanations.cases.model
    probabilities = explanations.cases.probabilities[explanations.cases.numbers[number]].tolist()
    label = int(explanations.cases.decisions.labels[explanations.cases.numbers[number]])
    return {
        "prediction": model.classes[label],
        "confidence": probabilities[label] if model.has_confidence else None,
        "probabilities": [
            {"class": name, "probability": probability}
            for name, probability in zip(model.classes, probabilities, strict=True)
        ],
    }


def _find_field(text: str, limits: dict[str, Any]) -> str:
    """Return the field that an error of the library begins with."""
    return next((name for name in limits if text.startswith(name)), "row")


class Decision(_Asked):
    """What a person decided about an answer that was logged."""

    answer: Annotated[int, Field(ge=1, le=2**62, description="Its number in the log.")]
    decision: Annotated[str | bool | int | float, Field(description="The class, decided.")]
    note: Annotated[str, Field(max_length=10_000)] = ""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"answer": 1, "decision": "edible", "note": "smelled"}]},
    )


@router.post("/api/decisions", tags=["decisions"], status_code=HTTPStatus.CREATED)
async def decide(decided: Decision, request: Request) -> Json:
    """Keep what a person decided: to agree with an answer, or to overrule it."""
    desk: Desk = request.app.state.desk
    if desk.log is None:
        raise Problem(HTTPStatus.NOT_FOUND, "no log is kept; start with --log FILE")
    names = desk.get().classes
    if decided.decision not in names:
        accepted = list_names([show(name) for name in names])
        raise BadField(
            "decision", f"decision is {show(decided.decision)}; one of {accepted} is accepted"
        )
    is_overruled = await desk.log.decide(decided.answer, decided.decision, decided.note)
    if is_overruled is None:
        raise BadField("answer", f"there is no answer {decided.answer} in the log")
    return Json({"answer": decided.answer, "is_overruled": is_overruled}, HTTPStatus.CREATED)


@router.get("/api/decisions.csv", tags=["decisions"])
async def export(request: Request) -> Response:
    """Give all answers and decisions that were kept, as CSV."""
    desk: Desk = request.app.state.desk
    if desk.log is None:
        raise Problem(HTTPStatus.NOT_FOUND, "no log is kept; start with --log FILE")
    headers = {"content-disposition": 'attachment; filename="decisions.csv"'}
    return Response(await desk.log.export(), media_type="text/csv", headers=headers)
