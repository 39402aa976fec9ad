"""Short ways to read a table and to look at its cells."""

from picrules.encoding.columns import Kind, read_columns
from picrules.encoding.tables import check_table

DAY = 24 * 3600 * 1e6


def read(X):
    return read_columns(check_table(X))


def cells(column):
    return column.cells() if column.kind is Kind.CATEGORY else column.numbers.tolist()


def same(cells, expected):
    return len(cells) == len(expected) and all(
        left == right or (right != right and left != left)
        for left, right in zip(list(cells), expected, strict=True)
    )
