import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import picrules
from picrules.rules.text import format_share

SOURCE = Path(picrules.__file__).parent
# Like f"{share:.1%}", "{:6.0%}".format(share) and (100 * share).toFixed(1) + "%".
OTHER_FORMATS = re.compile(r""":[<>^+]?\d*\.\d%|toFixed\([^)]*\) *\+ *["']%""")


@given(st.integers(0, 10_000), st.integers(1, 10_000))
def test_shares_have_one_digit_and_only_certainty_reads_as_such(hits, others):
    share = hits / (hits + others)
    text = format_share(share)
    assert (text == "0%") == (hits == 0)
    assert text != "100%"
    exact = (Decimal(1000 * share)).quantize(Decimal(1), ROUND_HALF_UP) / 10
    words = {Decimal(0): "under 0.1%", Decimal(100): "over 99.9%"}
    assert text == ("0%" if hits == 0 else words.get(exact, f"{exact:.1f}%"))


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.9996, "over 99.9%"),
        (0.9994, "99.9%"),
        (0.99957, "over 99.9%"),
        (0.0115, "1.2%"),
        (0.1225, "12.3%"),
        (1 / 3, "33.3%"),
        (1, "100%"),
        (0.0, "0%"),
    ],
)
def test_shares_that_were_written_in_two_ways_have_one(share, text):
    """0.9996 read "100.0%" in texts and "99.960%" in reports; halves went up or down."""
    assert format_share(share) == text


def test_no_other_code_writes_shares():
    found = {
        str(path.relative_to(SOURCE)): OTHER_FORMATS.findall(path.read_text())
        for path in [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js")]
        if path != SOURCE / "rules" / "text.py"
    }
    assert {name: texts for name, texts in found.items() if texts} == {}
    for wrong in (":.1%}", "{:6.0%}", 'toFixed(1) + "%"'):
        assert OTHER_FORMATS.search(wrong)
