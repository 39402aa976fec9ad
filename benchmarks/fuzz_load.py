"""Open tens of thousands of damaged model files: only the one error, or a model that is whole.

`python -m benchmarks.fuzz_load [N]` makes N different files (20,000) and tells what came of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from hashlib import sha256
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measure import Figure, at_least, at_most

N_FILES = 20_000


def run(n_files: int = N_FILES) -> list[Figure]:
    """Fuzz in a process of its own, whose memory can be told apart from this one's."""
    command = [sys.executable, "-m", "benchmarks.fuzz_load", "child", str(n_files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    return [
        at_least("damaged files opened, all different", found["files"], "", n_files),
        Figure("refused with BadModelFile", found["refused"], ""),
        Figure("refused with NotEnoughMemory: the file's limit is too low", found["memory"], ""),
        Figure("opened, and whole", found["whole"], ""),
        at_most("anything else", found["other"], "", 0),
        Figure("memory after imports and one prediction", found["before"], "MiB"),
        at_most("peak memory above that", found["peak"] - found["before"], "MiB", 200),
    ]


def fuzz(n_files: int) -> dict[str, float]:
    """Damage a model of each kind in many ways; count what comes out of `load`."""
    from picrules import load
    from picrules.errors import BadModelFile, NotEnoughMemory
    from tests.persist.damage import damage
    from tests.persist.models import small_models, table

    X = table(5, seed=3)
    results: Counter[str] = Counter()
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pic"
        models = []
        for model in small_models():
            model.save(path)
            models.append(path.read_bytes())
            use(load(path), X)
        before = memory("VmRSS")
        for seed in count():
            content = damage(seed, models[seed % len(models)])
            digest = sha256(content).digest()
            if digest in seen:
                continue
            if len(seen) == n_files:
                break
            seen.add(digest)
            path.write_bytes(content)
            try:
                results[use(load(path, mmap=seed // len(models) % 2 == 1), X)] += 1
            except BadModelFile:
                results["refused"] += 1
            except NotEnoughMemory:
                results["memory"] += 1
            except Exception as error:
                results["other"] += 1
                print(f"seed {seed}: {type(error).__name__}: {error}"[:300], file=sys.stderr)
    counts = {name: results[name] for name in ("refused", "memory", "whole", "other")}
    sizes = {"before": before, "peak": memory("VmHWM")}
    return {"files": len(seen), **counts, **sizes}


def use(loaded, X) -> str:
    """Predict with a model that was opened; its answers must agree with each other."""
    if loaded.n_features_in_ != X.shape[1]:
        return "other"
    if hasattr(loaded, "feature_names_in_"):
        X = X.set_axis(pd.Index(loaded.feature_names_in_, dtype=object), axis=1)
    else:
        X = X.set_axis(range(X.shape[1]), axis=1)
    from picrules.errors import BadCell, BadModelFile, BadTable

    try:
        explanations = loaded.explain(X)
    except BadModelFile:
        raise
    except (BadCell, BadTable):
        return "whole"  # the features were changed to other kinds than this table has
    is_whole = [e.prediction for e in explanations] == loaded.predict(X).tolist()
    is_whole &= all(sum(e.class_counts.values()) == e.cover_size > 0 for e in explanations)
    is_whole &= bool(np.allclose(loaded.predict_proba(X).sum(axis=1), 1))
    return "whole" if is_whole else "other"


def memory(key: str) -> float:
    """A line of this process's memory in MiB: VmRSS now, VmHWM at the peak."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key):
            return int(line.split()[1]) / 1024
    raise LookupError(key)


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        print(json.dumps(fuzz(int(sys.argv[2]))))
    else:
        for figure in run(*map(int, sys.argv[1:2])):
            print(f"{figure.what}: {figure.value:g} {figure.unit} {figure.target}")
