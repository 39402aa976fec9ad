"""Whatever the OpenAPI description allows, or does not, is answered without a failure."""

import pytest

from picrules.web.app import make_app
from tests.web.schema_cases import ask_all
from tests.web.serving import asking, serving
from tests.web.tables import served


@pytest.mark.slow
def test_nothing_that_is_described_fails():
    with serving(make_app(served())) as address:
        codes = ask_all(address, 10)
    assert {200, 422} <= set(codes)


def test_rows_are_described_as_the_model_takes_them():
    with asking(make_app(served())) as client:
        schemas = client.get("/openapi.json").json()["components"]["schemas"]
        assert schemas["Row"]["required"] == ["age", "colour", "day", "zip"]
        for name, path in (
            ("Rows", "predict"),
            ("ToExplain", "explain"),
            ("ToChange", "what-if"),
            ("ToTurn", "changes"),
        ):
            for example in schemas[name]["examples"]:
                assert client.post(f"/api/{path}", json=example).status_code == 200
