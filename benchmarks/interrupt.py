"""How long Ctrl-C takes to stop what takes long, and whether the estimator is usable afterwards.

Each case runs in a process of its own and is interrupted several times, at different moments.
"""

from __future__ import annotations

import select
import signal
import subprocess
import sys
import time

from benchmarks.measure import Figure, at_most

# When the signal is sent, in seconds after the work began.
MOMENTS = (1.0, 3.0, 6.0)

# What a case runs: it sets `work`, which takes long, and `check`, which tells that the estimator
# is usable. Both were called with little to do before, so that nothing is compiled meanwhile.
CODE = """
{case}
check()
for _ in range({n_times}):
    print("ready", flush=True)
    try:
        work()
        print("ended", flush=True)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    check()
    print("usable", flush=True)
"""

PAPER = """
from benchmarks.data import genes
from picrules import FPICClassifier
X, y, X_new = genes()
clf = FPICClassifier(bins=3, max_length=3, engine={engine!r}).fit(X, y)
def work():
    clf.predict(X_new)
def check():
    FPICClassifier(bins=3, max_length=1, engine={engine!r}).fit(X, y).predict(X_new)
"""

FIT = """
from benchmarks.data import adult
from picrules import PersonalRuleClassifier
_, X, y, X_new = adult()
clf = PersonalRuleClassifier(max_length=4, n_jobs={n_jobs})
few = PersonalRuleClassifier(max_length=2, cuts=4, alpha=1, smoothing=2, n_jobs={n_jobs})
def work():
    clf.fit(X, y)
def check():
    assert not hasattr(clf, "classes_")
    few.fit(X, y).predict(X_new[:100])
"""

# Rules of length 1 are quick to choose settings by; then longer ones are asked for.
PERSONAL = """
from dataclasses import replace
from benchmarks.data import genes
from picrules import PersonalRuleClassifier
X, y, X_new = genes()
few = PersonalRuleClassifier(cuts=8, max_length=1, alpha=1, smoothing=2, engine={engine!r})
few.fit(X, y)
clf = PersonalRuleClassifier(**few.get_params()).fit(X, y)
clf._model = replace(clf._model, search=replace(clf._model.search, max_length=3))
def work():
    {work}
def check():
    few.predict(X_new)
    list(few.explain(X_new[:1]))
    clf._model.source.searcher.search(clf._model.training.codes[:, :1].copy(), few._model.search, 1)
"""

WORKS = {"predict": "clf.predict(X_new)", "explain": "list(clf.explain(X_new))"}


def run(moments: tuple[float, ...] = MOMENTS) -> list[Figure]:
    figures = []
    for engine in ("bitmap", "table"):
        what = f"{engine} engine, gene-sized, length 3"
        figures.append(at_most(what, interrupt(PAPER.format(engine=engine), moments), "s", 0.5))
    for n_jobs in (1, 2):
        what = f"fit of PersonalRuleClassifier, adult, length 4, {n_jobs} threads"
        figures.append(at_most(what, interrupt(FIT.format(n_jobs=n_jobs), moments), "s", 0.5))
    for engine in ("bitmap", "table"):
        for name, work in WORKS.items():
            what = f"{name} of PersonalRuleClassifier, {engine} engine, gene-sized, length 3"
            case = PERSONAL.format(engine=engine, work=work)
            figures.append(at_most(what, interrupt(case, moments), "s", 0.5))
    return figures


def interrupt(case: str, moments: tuple[float, ...]) -> float:
    """The longest time from a signal to the end of the work, over all moments."""
    code = CODE.format(case=case, n_times=len(moments))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    longest = 0.0
    for moment in moments:
        _expect(process, "ready")
        ended, *_ = select.select([process.stdout], [], [], moment)
        assert not ended, f"the work ended, or failed, within {moment} s"
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        _expect(process, "stopped")
        delay = time.perf_counter() - start
        _expect(process, "usable")
        print(f"signal after {moment} s: stopped {delay:.3f} s later", file=sys.stderr)
        longest = max(longest, delay)
    process.wait(60)
    return longest


def _expect(process: subprocess.Popen, word: str) -> None:
    line = process.stdout.readline().strip()
    assert line == word, f"{word!r} was expected, {line!r} came"
