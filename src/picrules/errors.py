"""One class for each failure a user can meet.

Every class derives from `PicrulesError`, and also from the built-in exception that
scikit-learn raises in the same place, so that code written for scikit-learn catches it.
"""

from __future__ import annotations

from typing import Any


class PicrulesError(Exception):
    """Any failure that picrules reports on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes as any object; Dask cannot make some errors of two bases."""
        return type(self), self.args, self.__dict__ or None


class BadParameter(PicrulesError, ValueError):
    """A parameter of an estimator has a value that is not accepted."""


class BadTable(PicrulesError, ValueError):
    """The shape or the columns of a table cannot be used."""


class BadCell(PicrulesError, TypeError):
    """A cell of a table holds something that is not a category, a number or a date."""


class BadTarget(PicrulesError, ValueError):
    """The classes to learn cannot be used."""


class BadRuleText(PicrulesError, ValueError):
    """A text is not a rule in the form that `str(rule)` writes."""


class BadDataFile(PicrulesError, ValueError):
    """A file of rows cannot be read, or its columns are not those that are needed."""


class NotEnoughMemory(PicrulesError, MemoryError):
    """No engine fits into the memory limit."""


class BadRule(PicrulesError, ValueError):
    """A rule does not fit: its conditions or the table it is used on."""


class BadModelFile(PicrulesError, ValueError):
    """A model file is damaged, of an unknown format, or not a model file at all."""


class NoTrainingRows(PicrulesError, ValueError):
    """An explanation was made by hand and has no training rows to look at."""


class MissingPackage(PicrulesError, ImportError):
    """Something needs a package that is not installed."""
