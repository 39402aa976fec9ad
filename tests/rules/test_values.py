import math
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum

import numpy as np
import pytest

from picrules.errors import BadRule
from picrules.rules.values import to_value


class Odor(str, Enum):  # noqa: UP042  (its `str` is not its text)
    FOUL = "foul"


class Size(IntEnum):
    LARGE = 3


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("foul", "foul"),
        (np.str_("foul"), "foul"),
        (Odor.FOUL, "foul"),
        (True, True),
        (np.bool_(True), True),
        (3, 3),
        (np.uint8(3), 3),
        (Size.LARGE, 3),
        (0.5, 0.5),
        (np.float16(0.5), 0.5),
        (np.float64(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
    ],
)
def test_value_becomes_plain(value, plain):
    result = to_value(value, "a value")
    assert result == plain
    assert type(result) is type(plain)


def test_negative_zero_becomes_zero():
    assert math.copysign(1, to_value(-0.0, "a value")) == 1
    assert math.copysign(1, to_value(np.float32(-0.0), "a value")) == 1


@pytest.mark.parametrize(
    "value",
    [
        math.nan, math.inf, np.float32(-np.inf), 10**400, 10**5000, None, b"foul", np.bytes_(b"a"),
        1j, np.complex64(1), Decimal(1), date(2020, 1, 1), np.datetime64("2020-01-01"),
        np.timedelta64(1, "s"), ("foul",), np.array(["foul"]),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_other_values_are_refused(value):
    with pytest.raises(BadRule, match=rf"^a value is .* \({type(value).__name__}\); a text, "):
        to_value(value, "a value")
