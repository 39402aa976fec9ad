"""Open tens of thousands of files made to harm: documented errors, or a model that is whole.

`python -m benchmarks.fuzz_load [N]` makes N different files (20,000) and tells what came of them:
half are damaged in any way, half have right checksums and JSON that nearly could be. What opens has
to predict and explain.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from hashlib import sha256
from itertools import count
from pathlib import Path

from benchmarks.measure import Figure, at_least, at_most, memory_of

N_FILES = 20_000


def run(n_files: int = N_FILES) -> list[Figure]:
    """Fuzz in a process of its own, whose memory can be told apart from this one's."""
    command = [sys.executable, "-m", "benchmarks.fuzz_load", "child", str(n_files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    return [
        at_least("files made to harm, all different", found["files"], "", n_files),
        Figure("of them with right checksums and changed JSON", found["mutated"], ""),
        Figure("refused with BadModelFile", found["refused"], ""),
        Figure("refused with NotEnoughMemory", found["memory"], ""),
        Figure("opened, and whole: they predict and explain", found["whole"], ""),
        at_most("anything else", found["other"], "", 0),
        at_most("processor time of the slowest file", found["slowest"], "s", 2),
        Figure("memory after imports and one prediction", found["before"], "MiB"),
        at_most("peak memory above that", found["peak"] - found["before"], "MiB", 200),
    ]


def fuzz(n_files: int) -> dict[str, float]:
    """Change a model of each kind in many ways; count what comes out of `load`."""
    from tests.persist.damage import damage
    from tests.persist.models import small_models
    from tests.persist.mutations import mutate

    results: Counter[str] = Counter()
    seen, slowest = set(), 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pic"
        models = []
        for model in small_models():
            model.save(path)
            models.append(path.read_bytes())
            use(path, is_late=False)
        before = memory_of("VmRSS")
        for seed in count():
            number, is_mutated = divmod(seed, 2)
            model = models[number % len(models)]
            content = mutate(number, models) if is_mutated else damage(number, model)
            digest = sha256(content).digest()
            if digest in seen:
                continue
            if len(seen) == n_files:
                break
            seen.add(digest)
            path.write_bytes(content)
            results["mutated"] += is_mutated
            start = time.process_time()
            results[use(path, is_late=number // len(models) % 2 == 1, seed=seed)] += 1
            taken = time.process_time() - start
            if taken > max(slowest, 1.0):
                print(f"seed {seed}: {taken:.1f} s", file=sys.stderr)
            slowest = max(slowest, taken)
    names = ("mutated", "refused", "memory", "whole", "other")
    counts = {name: results[name] for name in names}
    sizes = {"before": before, "peak": memory_of("VmHWM"), "slowest": slowest}
    return {"files": len(seen), **counts, **sizes}


def use(path: Path, *, is_late: bool, seed: int = 0) -> str:
    """Open a file, and predict and explain with what opens; tell what came of it."""
    from picrules import load
    from picrules.errors import BadModelFile, NotEnoughMemory
    from tests.persist.whole import check_whole

    try:
        check_whole(load(path, mmap=is_late))
    except BadModelFile:
        return "refused"
    except NotEnoughMemory:
        return "memory"
    except Exception as error:
        print(f"seed {seed}: {type(error).__name__}: {error}"[:300], file=sys.stderr)
        return "other"
    return "whole"


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        print(json.dumps(fuzz(int(sys.argv[2]))))
    else:
        for figure in run(*map(int, sys.argv[1:2])):
            print(f"{figure.what}: {figure.value:g} {figure.unit} {figure.target}")
