"""`picrules serve`: a local web app for people who decide, and a REST interface."""

from __future__ import annotations

import gc
import socket
import sys
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from picrules.cli import demo, fit, options, output

if TYPE_CHECKING:
    from picrules.web.files import Files

EXAMPLE = "picrules serve income.pic --data new.csv --target income"

_LOCAL = ("127.0.0.1", "localhost", "::1")

# How long running requests may take to finish when the server is stopped, in seconds.
_LAST_SECONDS = 30

# How long a thread may keep others waiting for their turn, in seconds; a tenth of the usual.
_TURN = 0.0005


def run(
    model: Annotated[
        str | None,
        typer.Argument(metavar="[MODEL]", help="A model file; without one, learn on the page."),
    ] = None,
    *,
    data: Annotated[
        str | None, typer.Option(metavar="DATA", help="A file of rows to work through.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The column of the classes, where DATA has it."),
    ] = None,
    is_demo: Annotated[
        bool, typer.Option("--demo", help="Begin with tumours that scikit-learn brings along.")
    ] = False,
    log: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Keep every answer and decision in this SQLite file."),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to bind; others than this machine need a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 is any free one.")
    ] = 8000,
    allow: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A further name of this server; repeatable."),
    ] = None,
    is_opened: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = False,
    reading: options.Reading,
    as_json: options.Json = False,
) -> None:
    """Open a local web app to work through cases, with a REST interface."""
    _check_packages()
    if model is None and (data is not None or target is not None):
        raise typer.BadParameter("--data and --target are given without a MODEL; name a model file")
    if is_demo and model is not None:
        raise typer.BadParameter("--demo is given with a MODEL; one of them is accepted")
    from picrules.web.files import Files

    with ExitStack() as stack:
        files = None
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="picrules-")))
        if is_demo:
            files = _make_demo(folder)
        elif model is not None:
            files = Files(Path(model), data, target, reading)
        _serve(
            files,
            folder,
            log,
            (host, port),
            tuple(allow or ()),
            is_opened=is_opened,
            as_json=as_json,
        )


def _check_packages() -> None:
    from importlib.util import find_spec

    from picrules.errors import MissingPackage

    for name in ("fastapi", "uvicorn"):
        if find_spec(name) is None:
            raise MissingPackage(
                f"the web app needs {name}, which is not installed; install it with: "
                "pip install 'picrules[web]'"
            )


def _make_demo(folder: Path) -> Files:
    from picrules.web.files import Files

    known, new, model = (folder / name for name in ("known.csv", "tumours.csv", "tumours.pic"))
    demo.write_tables(known, new)
    learning = options.Learning("diagnosis")
    with redirect_stdout(sys.stderr):
        fit.run([str(known)], model=str(model), learning=learning, reading=options.Reading())
    return Files(model, str(new), "diagnosis")


def _serve(
    files: Files | None,
    folder: Path,
    log: str | None,
    address: tuple[str, int],
    allowed: tuple[str, ...],
    *,
    is_opened: bool,
    as_json: bool,
) -> None:
    import secrets

    import uvicorn

    from picrules.web.app import make_app
    from picrules.web.learning import Learner
    from picrules.web.log import DecisionLog

    token = None if address[0] in _LOCAL else secrets.token_urlsafe(32)
    app = make_app(
        None if files is None else files.open(),
        files=files,
        log=None if log is None else DecisionLog(Path(log)),
        learner=Learner(folder) if files is None else None,
        token=token,
        host=address[0],
        allowed=allowed,
    )
    with _bind(*address) as bound:
        link = _to_link(address[0], bound.getsockname()[1], token)
        output.show({"address": link, "token": token}, _to_lines, as_json=as_json)
        sys.stdout.flush()
        if is_opened:
            typer.launch(link)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, proxy_headers=False,
            timeout_graceful_shutdown=_LAST_SECONDS,
        )  # fmt: skip
        _settle()
        try:
            uvicorn.Server(config).run(sockets=[bound])
        except KeyboardInterrupt:
            output.tell("Stopped.")


def _settle() -> None:
    """Set aside what lives as long as the server, and let its threads take turns quickly.

    Each look for garbage among all modules stopped every answer for a tenth of a second, and a
    thread that has an answer to send waited its turn longer than the search takes.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_TURN)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise typer.BadParameter(
            f"--host {host} --port {port} cannot be used: {error.strerror or error}; "
            "--port 0 takes any free port"
        ) from None


def _to_link(host: str, port: int, token: str | None) -> str:
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{name}:{port}/" + ("" if token is None else f"?token={token}")


def _to_lines(told: dict[str, Any]) -> list[str]:
    lines = [f"Open {told['address']}"]
    if told["token"] is not None:
        lines.append("Whoever has this link can ask the server; it is not shown again.")
    return [*lines, "Press Ctrl-C to stop."]
