"""Every type of result, of a table with all that explanations can have."""

import numpy as np
import pandas as pd

import picrules

LONG = 3_000


def make_results():
    """One result of each type by name; the long ones are about 3,000 rows."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(LONG, 4)).round(2), columns=["a", "b<i>", "c", "d"])
    X["job"] = rng.choice(["clerk", "<b>cook</b>", "none"], LONG)
    X.index = [f"row {number}" for number in range(LONG)]
    y = np.where(X.a + X["b<i>"] + rng.normal(size=LONG) > 0, "yes", "no")
    clf = picrules.PersonalRuleClassifier(cuts=8, max_length=2, n_rules=3).fit(X[:600], y[:600])
    explanations = clf.explain(X, top=30, trace=True)
    one, few = explanations[0], X[:30]
    tested, resampled = clf.significance(few, 9), clf.stability(few, 9)
    summary = picrules.summarize(explanations)
    changes = clf.smallest_changes(X.iloc[0], top=None, one_each=False)
    return {
        "explanations": explanations,
        "explanations[5:25]": explanations[5:25],
        "explanation": one,
        "explanation.rule": one.rule,
        "explanation.evidence": one.evidence,
        "explanation.contrast": one.contrast,
        "explanation.contrast[0]": one.contrast[0],
        "explanation.top": one.top,
        "explanation.trace": one.trace,
        "explanation.trace.levels[0]": one.trace.levels[0],
        "explanation.scorecard": one.scorecard,
        "explanation.scorecard.lines[0]": one.scorecard.lines[0],
        "explanation.contributions": one.contributions,
        "explanation.alike": picrules.LookAlikes({"yes": 3, "no": 1}, "yes", 3),
        "what_if": clf.what_if(X.iloc[0], a=-3),
        "changes": changes,
        "changes[0]": changes[0],
        "significance": tested,
        "significance[0]": tested[0],
        "significance[:5]": tested[:5],
        "stability": resampled,
        "stability[0]": resampled[0],
        "summary": summary,
        "summary.uses[0]": summary.uses[0],
        "comparison": picrules.compare_rules(explanations, []),
        "score_rule": picrules.score_rule("if a > 0 then yes", X, y),
        "importances": clf.importances(X[:200], y[:200]),
        "compact_rules": clf.compact_rules(X, y, max_rules=5),
        "tuning": clf.tuning_,
        "schema": clf.schema_,
        "plan": clf.plan_,
    }
