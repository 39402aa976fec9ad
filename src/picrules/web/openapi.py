"""The OpenAPI description, with rows as the model that is served now takes them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi

from picrules.encoding.columns import Kind
from picrules.encoding.schema import CategoryFeature

if TYPE_CHECKING:
    from fastapi import FastAPI

    from picrules.encoding.schema import Feature
    from picrules.web.served import Served

# The questions that hold rows, and an example of what each asks beside them.
_QUESTIONS: dict[str, dict[str, Any]] = {"Rows": {}, "ToExplain": {"top": 3}, "ToTurn": {}}


def describe_openapi(app: FastAPI, served: Served | None) -> dict[str, Any]:
    """Describe the interface; without a model, rows may have any columns."""
    if not app.openapi_schema:
        app.openapi_schema = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
    if served is None:
        return app.openapi_schema
    told = deepcopy(app.openapi_schema)
    schemas, row = told["components"]["schemas"], served.to_row(served.example)
    schemas["Row"] = _describe_row(served)
    to_row = {"$ref": "#/components/schemas/Row"}
    for name, others in _QUESTIONS.items():
        schemas[name]["properties"]["row"] = to_row
        schemas[name]["examples"] = [{"row": row, **others}]
    for name in ("Rows", "ToExplain"):
        several = {"type": "array", "minItems": 1, "items": to_row}
        schemas[name]["properties"]["rows"] = several
        schemas[name]["oneOf"] = [{"required": ["row"]}, {"required": ["rows"]}]
    some = {**_describe_row(served), "minProperties": 1}
    del some["required"]
    schemas["ToChange"]["properties"] |= {"row": to_row, "changes": some}
    first = next(iter(row.items()))
    schemas["ToChange"]["examples"] = [{"row": row, "changes": dict([first])}]
    return told


def _describe_row(served: Served) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {one.name: _describe_cell(one) for one in served.reader.features},
        "required": served.reader.names,
        "additionalProperties": False,
    }


def _describe_cell(feature: Feature) -> dict[str, Any]:
    """Describe the cells of a column; a category that training never saw is accepted."""
    if isinstance(feature, CategoryFeature):
        known = list(feature.categories[:10])
        return {"type": ["string", "number", "boolean", "null"], "examples": known}
    if feature.kind is Kind.DATE:
        return {"type": ["string", "null"], "format": "date-time"}
    return {"type": ["number", "null"]}
