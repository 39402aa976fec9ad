"""Training rows that are not one table in memory: what an estimator asks of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.conditions import Conditions
    from picrules.encoding.schema import Schema
    from picrules.engines.holding import Holding
    from picrules.engines.training import Training

# Up to so many rows, cuts at quantiles are those of all rows.
MOST_COLLECTED = 1_000_000


class Source(Protocol):
    """Training rows, wherever they lie: they can be asked, and read again."""

    @property
    def names(self) -> list[str]:
        """The columns without that of the classes."""

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, sorted."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    def learn_schema(self, bins: Sequence[int], categorical: Collection[int] | None) -> Schema:
        """Learn categories and cuts of equal width, those that a table in memory would give."""

    def settle(self, schema: Schema) -> Schema | None:
        """Return the schema after all rows were counted; None to learn and count again."""

    def gather(self, conditions: Conditions, holding: Holding) -> Training:
        """Count all rows as codes of the features that have conditions, and hold what is wanted."""

    def collect(self) -> tuple[Any, Any]:
        """Return all rows as a table in memory, and their classes."""

    def sample(self, most: int, seed: int) -> tuple[Any, Any]:
        """Return about so many of the rows, of which there are more, and their classes."""
