"""Records as a pandas table; pandas loads when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def to_pandas_frame(records: Sequence[dict[str, Any]], columns: Sequence[str]) -> Any:
    """Make a pandas table of records, with its columns even when there are none."""
    import pandas as pd  # noqa: PLC0415

    return pd.DataFrame(list(records), columns=list(columns))
