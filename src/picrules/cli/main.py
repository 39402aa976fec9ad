"""The command `picrules`: one file for each of its commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import picrules
from picrules.cli import (
    compact,
    demo,
    evaluate,
    explain,
    fit,
    forget,
    importances,
    info,
    options,
    predict,
    report,
    rules,
    score,
    update,
)
from picrules.errors import BadParameter, PicrulesError
from picrules.web import serve

COMMANDS = (
    fit, predict, explain, report, rules, compact, importances, score, evaluate, info, demo,
    serve, update, forget,
)  # fmt: skip


class Commands(TyperGroup):
    """Runs a command; a failure is one sentence on standard error, and exit code 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of the output has seen enough
        except ModuleNotFoundError as error:
            if error.name != "pyarrow":
                raise
            typer.echo(
                "Error: tables are read with pyarrow, which is not installed; "
                "install it with: pip install 'picrules[cli]'",
                err=True,
            )
            raise typer.Exit(1) from error
        except (PicrulesError, MemoryError, OSError) as error:
            typer.echo(f"Error: {error or type(error).__name__}", err=True)
            raise typer.Exit(2 if isinstance(error, BadParameter) else 1) from error


app = typer.Typer(
    name="picrules",
    cls=Commands,
    help="One short rule per prediction: learn from a table, predict, and say why.",
    epilog="Example: picrules fit people.csv --target income -o income.pic",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # plain help needs no rich, which takes a tenth of a second to load
    pretty_exceptions_enable=False,
)
for module in COMMANDS:
    name = module.__name__.rpartition(".")[2]
    app.command(name, epilog=f"Example: {module.EXAMPLE}")(options.spread(module.run))


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"picrules {picrules.__version__}")
        raise typer.Exit


@app.callback()
def take_general_options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """One short rule per prediction: learn from a table, predict, and say why."""
    del version  # its callback has answered


def main() -> None:
    """Run the command line."""
    app()
