"""Print results to standard output, and all else to standard error."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TextIO

import typer

from picrules.rules import text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_is_quiet: ContextVar[bool] = ContextVar("_is_quiet", default=False)


@contextmanager
def silence(*, is_quiet: bool) -> Iterator[None]:
    """Leave out notes and progress while the block runs, if that is wanted."""
    token = _is_quiet.set(is_quiet)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def tell(text: str) -> None:
    """Print a note for the person at the terminal."""
    if not _is_quiet.get():
        typer.echo(text, err=True)


def show(content: Any, to_lines: Callable[[Any], list[str]], *, as_json: bool) -> None:
    """Print a result for a program, or as lines for a person."""
    # Characters beyond ASCII are escaped in JSON, so that any output takes it.
    typer.echo(
        json.dumps(content, indent=1, default=str) if as_json else "\n".join(to_lines(content))
    )


def list_some(texts: Sequence[str], limit: int) -> str:
    """List the first texts, and say how many there are if that is not all."""
    more = f", ... ({len(texts)} in all)" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more


def show_names(names: list[str]) -> str:
    """List the first columns for a message."""
    return list_some(list(map(text.show, names)), 8)


def list_classes(clf: Any) -> list[dict[str, Any]]:
    """Return the classes of a model, and how many training rows have each."""
    sizes = zip(clf.classes_.tolist(), clf.class_sizes_.tolist(), strict=True)
    return [{"class": name, "rows": size} for name, size in sizes]


def is_watched() -> bool:
    """Whether a person looks at notes and progress."""
    return is_terminal(sys.stderr) and not _is_quiet.get()


def is_terminal(stream: TextIO) -> bool:
    """Whether a person looks at a stream."""
    return stream.isatty()


@contextmanager
def show_bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show progress on a terminal; the block calls what it is given with the steps just done."""
    if not is_watched():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count: progress.advance(task, count)


def style(text: str, **how: Any) -> str:
    """Colour a text on a terminal; elsewhere leave it as it is."""
    return typer.style(text, **how) if is_terminal(sys.stdout) else text


def peak_memory() -> int | None:
    """Return the most bytes that this process has held so far; None where no one tells."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
