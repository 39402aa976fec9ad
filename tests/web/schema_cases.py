"""Questions made up from the OpenAPI description: what it allows, and what it does not."""

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode


def ask_all(address, n_cases):
    """Ask everything that is described, each in that many ways of both kinds; the status codes."""
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    codes = []
    for result in schema.get_all_operations():
        for mode in GenerationMode:
            _ask_one(result.ok(), mode, address, n_cases, codes)
    return codes


def _ask_one(operation, mode, address, n_cases, codes):
    quick = settings(
        max_examples=n_cases, deadline=None, database=None, derandomize=True,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip

    @quick
    @given(operation.as_strategy(mode))
    def ask(case):
        response = case.call(base_url=address, timeout=120)
        codes.append(response.status_code)
        assert response.status_code < 500, (case.as_curl_command(), response.text)

    try:
        ask()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE  # a question without parameters cannot be wrong
