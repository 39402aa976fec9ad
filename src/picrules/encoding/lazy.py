"""Lazy frames: queries that tell what is in their columns, and that count their rows as codes.

One set of expressions for every engine that narwhals knows. An engine returns few rows: what it
returns is read as any table is, so that kinds, categories and numbers are those of a table that
lies in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from picrules.encoding.columns import Column, Kind, NumberColumn, read_columns
from picrules.encoding.cuts import even_cuts
from picrules.encoding.schema import FEW_CUTS, NumberFeature, Schema, learn_schema
from picrules.encoding.tables import check_names, check_shape, check_target, is_frame
from picrules.errors import BadTarget
from picrules.rules.values import from_microseconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from picrules.encoding.schema import Feature

# How many numbers are asked for in one query.
_AT_ONCE = 400

_CLASS, _CELL, _COUNT = "class", "cell", "count"


def is_lazy(X: Any) -> bool:
    """Whether X is a frame whose rows an engine has yet to find."""
    if is_frame(X):  # narwhals refuses one of which two columns have one name
        return False
    return is_dataset(X) or isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame)


def is_dataset(X: Any) -> bool:
    """Whether X is a dataset of PyArrow, which is read batch by batch."""
    return type(X).__module__ == "pyarrow._dataset"


@dataclass(frozen=True, slots=True)
class Values:
    """The distinct cells of a column, and how often each occurs."""

    frame: nw.DataFrame[Any]  # of one column
    counts: NDArray[np.int64]

    @property
    def series(self) -> nw.Series[Any]:
        """The cells."""
        return next(self.frame.iter_columns())

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Which of them are missing: null, and among numbers NaN."""
        series = self.series
        missing: NDArray[np.bool_] = series.is_null().to_numpy()
        if series.dtype.is_float():
            missing = missing | series.is_nan().fill_null(value=True).to_numpy()
        return missing

    def read(self) -> Column:
        """Read the cells as those of a table."""
        return _read_one(self.frame)


@dataclass(frozen=True)
class LazyTable:
    """A lazy frame, and the name of the column that has the class of each row."""

    native: Any
    target: str

    @classmethod
    def of(cls, X: Any, y: Any) -> LazyTable:
        """Check that `y` names a column of a lazy frame."""
        if not isinstance(y, str):
            raise BadTarget(
                f"y is a {type(y).__name__}, and X a lazy {type(X).__name__}; the name of the "
                "column with the class of each row is accepted"
            )
        table = cls(X, y)
        every = list(table.kinds)
        check_names(every)
        check_target(y, every)
        check_shape(1, len(table.names))
        return table

    @cached_property
    def frame(self) -> nw.LazyFrame[Any]:
        """The frame as narwhals sees it."""
        frame: nw.LazyFrame[Any] = nw.from_native(self.native)
        return frame

    @cached_property
    def kinds(self) -> dict[str, Any]:
        """The type of each column."""
        return dict(self.frame.collect_schema())

    @property
    def names(self) -> list[str]:
        """The columns without that of the classes."""
        return [name for name in self.kinds if name != self.target]

    def has_order(self, name: str) -> bool:
        """Whether a column holds numbers or dates."""
        kind = self.kinds[name]
        return bool(kind.is_numeric()) or isinstance(kind, nw.Date | nw.Datetime)

    def collect(self) -> Any:
        """Return all rows as a table in memory."""
        return self.frame.collect().to_native()

    def count_values(self, name: str) -> Values:
        """Return the distinct cells of a column, and how often each occurs."""
        cells = nw.col(name).alias(_CELL)
        counted = self.frame.select(cells).group_by(_CELL).agg(nw.len().alias(_COUNT)).collect()
        frame = counted.select(nw.col(_CELL).alias(name))
        return Values(frame, counted[_COUNT].cast(nw.Int64).to_numpy())

    def find_values(self, wanted: dict[str, list[nw.Expr]]) -> dict[str, Any]:
        """Return a frame of one column for each name, with a row for each expression."""
        cells: dict[str, list[Any]] = {name: [] for name in wanted}
        asked = [(name, each) for name, every in wanted.items() for each in every]
        for start in range(0, len(asked), _AT_ONCE):
            some = asked[start : start + _AT_ONCE]
            aliases = [f"q{number}" for number in range(len(some))]
            exprs = [each.alias(alias) for alias, (_, each) in zip(aliases, some, strict=True)]
            row = self.frame.select(*exprs).collect()
            for alias, (name, _) in zip(aliases, some, strict=True):
                cells[name].append(row.select(nw.col(alias).alias(name)))
        return {name: nw.concat(frames) for name, frames in cells.items()}


def learn_lazy_schema(
    table: LazyTable, bins: Sequence[int], categorical: Collection[int] | None
) -> Schema:
    """Learn categories and cuts of equal width, as `learn_schema` learns them from all rows."""
    n_parts = {
        name: parts
        for position, (name, parts) in enumerate(zip(table.names, bins, strict=True))
        if table.has_order(name) and position not in (categorical or ())
    }
    extremes = find_extremes(table, list(n_parts))
    wanted: dict[str, list[nw.Expr]] = {}
    for name, column in extremes.items():
        assert isinstance(column, NumberColumn)
        is_date = column.kind is Kind.DATE
        cuts = even_cuts(column.numbers, n_parts[name], is_date=is_date)
        if len(cuts) > FEW_CUTS:
            extremes[name] = table.count_values(name).read()
            continue
        wanted[name] = [end for cut in cuts.tolist() for end in _neighbours(table, name, cut)]
    around = _read(table.find_values({name: ends for name, ends in wanted.items() if ends}))
    columns = [
        _join(extremes[name], around.get(name))
        if name in extremes
        else table.count_values(name).read()
        for name in table.names
    ]
    return learn_schema(columns, bins, categorical)


def find_extremes(table: LazyTable, names: Sequence[str]) -> dict[str, Column]:
    """Return the least and the largest number of some columns."""
    known = {name: _known(table, name) for name in names}
    return _read(
        table.find_values({name: [each.min(), each.max()] for name, each in known.items()})
    )


@dataclass(frozen=True, slots=True)
class CodeColumns:
    """The columns of rows of codes; it reads such rows wherever an engine has them."""

    features: tuple[Feature, ...]
    is_coded: tuple[bool, ...]  # by the engine; cells of the others stand for themselves

    @classmethod
    def of(cls, table: LazyTable, features: Iterable[Feature]) -> CodeColumns:
        """Let the engine turn into codes what it can."""
        chosen = tuple(features)
        return cls(chosen, tuple(_is_coded(table, feature) for feature in chosen))

    def select(self, table: LazyTable) -> nw.LazyFrame[Any]:
        """Return the rows as codes, with their classes."""
        cells = [
            _to_code(table, feature) if is_coded else nw.col(feature.name)
            for feature, is_coded in zip(self.features, self.is_coded, strict=True)
        ]
        named = [each.alias(f"c{position}") for position, each in enumerate(cells)]
        return table.frame.select(*named, nw.col(table.target).alias(_CLASS))

    def read(self, native: Any) -> tuple[NDArray[np.int32], Any]:
        """Return the codes of some rows, and their classes as a column."""
        frame = nw.from_native(native, eager_only=True)
        codes = np.empty((len(self.features), len(frame)), np.int32)
        for position, (feature, is_coded) in enumerate(
            zip(self.features, self.is_coded, strict=True)
        ):
            series = frame[f"c{position}"]
            if is_coded:
                codes[position] = series.to_numpy()
            else:
                (column,) = read_columns(series.alias(feature.name).to_frame().to_native())
                codes[position] = feature.encode(column)
        return codes, frame[_CLASS].to_native()


def count_alike(coded: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Count how often each row of codes occurs with each class."""
    return coded.group_by(*coded.collect_schema().names()).agg(nw.len().alias(_COUNT))


def read_counts(counted: Any) -> NDArray[np.int64]:
    """Return how often each row occurs that was counted."""
    counts: NDArray[np.int64] = (
        nw.from_native(counted, eager_only=True)[_COUNT].cast(nw.Int64).to_numpy()
    )
    return counts


def _is_coded(table: LazyTable, feature: Feature) -> bool:
    """Whether the engine turns the cells of a column into codes."""
    return (
        isinstance(feature, NumberFeature)
        and len(feature.cuts) <= FEW_CUTS
        and table.has_order(feature.name)
    )


def _to_code(table: LazyTable, feature: Any) -> nw.Expr:
    """Return what tells between which cuts each cell lies; -1 is missing."""
    known = _known(table, feature.name)
    above = [_is_above(table, feature.name, cut).cast(nw.Int32) for cut in feature.cuts]
    code = reduce(add, above) if above else nw.lit(0).cast(nw.Int32)
    return nw.when(known.is_null()).then(nw.lit(-1).cast(nw.Int32)).otherwise(code)


def _neighbours(table: LazyTable, name: str, cut: float) -> tuple[nw.Expr, nw.Expr]:
    """Return what finds the largest number up to a cut, and the least one above it."""
    known, is_above = _known(table, name), _is_above(table, name, cut)
    return nw.when(~is_above).then(known).max(), nw.when(is_above).then(known).min()


def _known(table: LazyTable, name: str) -> nw.Expr:
    """Return the cells of a column; NaN, which some engines take for a large number, is missing."""
    cells = nw.col(name)
    return nw.when(~cells.is_nan()).then(cells) if table.kinds[name].is_float() else cells


def _is_above(table: LazyTable, name: str, cut: float) -> nw.Expr:
    """Return what tells whether known cells of a column lie above a cut."""
    kind, cells = table.kinds[name], nw.col(name)
    if isinstance(kind, nw.Date):
        return cells > nw.lit(from_microseconds(cut).date())
    if isinstance(kind, nw.Datetime):
        moment = from_microseconds(cut)
        return cells > nw.lit(moment if kind.time_zone is None else moment.replace(tzinfo=UTC))
    return cells.cast(nw.Float64) > nw.lit(cut)


def _read(frames: dict[str, Any]) -> dict[str, Column]:
    return {name: _read_one(frame) for name, frame in frames.items()}


def _read_one(frame: Any) -> Column:
    (column,) = read_columns(frame.to_native())
    return column


def _join(first: Column, second: Column | None) -> Column:
    """Return a column with the numbers of both."""
    if second is None:
        return first
    assert isinstance(first, NumberColumn)
    return replace(first, numbers=np.concatenate([first.numbers, second.numbers]))
