"""`picrules demo`: from a CSV to answers, with tumours that scikit-learn brings along."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from picrules.cli import explain, fit, options, output, predict

EXAMPLE = "picrules demo tumours"

_N_NEW = 143


def run(
    folder: Annotated[
        str | None,
        typer.Argument(
            help="Where to leave the files; a folder that is removed again if not said."
        ),
    ] = None,
    *,
    as_json: options.Json = False,
) -> None:
    """Learn from 426 tumours, diagnose others, explain one."""
    prefix = "picrules-demo-"
    with TemporaryDirectory(prefix=prefix) if folder is None else nullcontext(folder) as opened:
        where = Path(opened)
        where.mkdir(parents=True, exist_ok=True)
        known, new, model = (where / name for name in ("known.csv", "new.csv", "tumours.pic"))
        write_tables(known, new)
        _tell_command("fit", known, "--target", "diagnosis", "-o", model)
        learning, reading = options.Learning("diagnosis"), options.Reading()
        fit.run([str(known)], model=str(model), learning=learning, reading=reading, as_json=as_json)
        _tell_command("predict", model, new, "-o", where / "answers.csv")
        predict.run(str(model), [str(new)], out=str(where / "answers.csv"), reading=reading)
        _tell_command("explain", model, new, "--row", 1)
        explain.run(str(model), [str(new)], row=[1], reading=reading, as_json=as_json)
    if folder is not None:
        output.tell(f"The files are in {folder}.")


def _tell_command(*words: Any) -> None:
    output.tell(f"\n$ picrules {shlex.join(map(str, words))}")


def write_tables(known: Path, new: Path) -> None:
    """Write 426 tumours to learn from, and 143 others."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    order = np.random.default_rng(0).permutation(len(data.target))
    for path, rows in ((new, order[:_N_NEW]), (known, order[_N_NEW:])):
        lines = [",".join([*data.feature_names, "diagnosis"])]
        lines += [
            ",".join([*map(repr, data.data[row].tolist()), data.target_names[data.target[row]]])
            for row in rows.tolist()
        ]
        path.write_text("\n".join(lines) + "\n")
