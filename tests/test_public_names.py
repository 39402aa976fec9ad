"""What `import picrules` gives in a fresh process."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np

import picrules
from tests.explain.together import by_mixed_scorecard


def test_errors_are_reachable_without_heavy_imports():
    """`picrules.errors` was missing until something else imported it."""
    code = (
        "import sys, picrules; print(picrules.errors.PicrulesError.__name__, 'errors' in "
        "dir(picrules), {'numba', 'sklearn', 'numpy', 'narwhals'} & set(sys.modules))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.split() == ["PicrulesError", "True", "set()"]


def test_model_files_are_read_by_a_public_name():
    code = (
        "import sys, picrules; print('load' in dir(picrules), 'numpy' in sys.modules, "
        "picrules.load.__module__)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.split() == ["True", "False", "picrules.persist.load"]


def test_type_checkers_see_the_names_that_load():
    """What is imported for them, and what loads on demand, are the same names and homes."""
    tree = ast.parse(Path(picrules.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname: node.module for node in block.body for alias in node.names}
    assert seen == picrules._HOMES
    assert picrules.__all__ == sorted(seen)


def test_results_are_of_public_types():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 3)), rng.integers(0, 2, 60)
    clf = picrules.PersonalRuleClassifier(cuts=[2, 3], max_length=2).fit(X, y)
    explanations = clf.explain(X, top=2, trace=True)
    changes = clf.smallest_changes(X[0])
    significance, stability = clf.significance(X[:2], 3), clf.stability(X[:2], 3)
    summary = picrules.summarize(explanations)
    results = [
        explanations[0], explanations[0].evidence, explanations[0].top[0], explanations[0].trace,
        clf.what_if(X[0], x0=2), changes, changes[0], significance, significance[0], stability,
        stability[0], summary, summary.uses[0], picrules.compare_rules(explanations, []),
        clf.tuning_, clf.tuning_.chosen, clf.schema_, clf.plan_,
    ]  # fmt: skip
    for result in results:
        name = type(result).__name__
        assert type(result) is getattr(picrules, name)
    assert isinstance(explanations, picrules.Explanations)


def test_what_decides_is_of_public_types():
    clf, X, _ = by_mixed_scorecard()
    explanation = clf.explain(X[:1])[0]
    assert type(explanation.scorecard) is picrules.Scorecard
    assert type(explanation.scorecard.lines[0]) is picrules.ScorecardLine
    assert type(explanation.alike) is picrules.LookAlikes
