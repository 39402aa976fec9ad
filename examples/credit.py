"""Credit: a refusal that comes with its reason, and with what would change it.

The applicants are made up by the function below, with a known truth, so that the answers can be
judged. Run it as a script, or cell by cell in an editor that knows `# %%`.
"""

# %%
import numpy as np
import pandas as pd

from picrules import PersonalRuleClassifier, summarize
from picrules.rules.text import format_share


def make_applicants(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Make applicants; debts, late payments and little time in a job make bad risks."""
    rng = np.random.default_rng(seed)
    applicants = pd.DataFrame(
        {
            "age": rng.integers(19, 75, n_rows),
            "income": rng.lognormal(10.4, 0.4, n_rows).round(-2),
            "years in job": rng.exponential(6, n_rows).round(1),
            "housing": rng.choice(["own", "rent", "free"], n_rows, p=[0.6, 0.3, 0.1]),
            "purpose": rng.choice(["car", "furniture", "education", "business"], n_rows),
            "late payments": rng.poisson(0.7, n_rows),
        }
    )
    applicants["debt share"] = rng.beta(2, 4, n_rows).round(3)
    applicants.loc[rng.random(n_rows) < 0.05, "years in job"] = np.nan
    risk = (
        3.0 * (applicants["debt share"] > 0.45)
        + 2.5 * (applicants["late payments"] > 1)
        + 1.5 * (applicants["years in job"] < 2)
        - 1.0 * (applicants["housing"] == "own")
    )
    is_bad = rng.random(n_rows) < 1 / (1 + np.exp(2.2 - risk))
    return applicants, np.where(is_bad, "refuse", "grant")


X, y = make_applicants(2000, seed=0)
X_new, y_new = make_applicants(500, seed=1)

# %%
# No setting is needed: all are chosen by leave-one-out on the training rows.
clf = PersonalRuleClassifier(n_jobs=-1).fit(X, y)
print(f"Accuracy on {len(X_new)} new applicants: {clf.score(X_new, y_new):.1%}")
print(f"always the most frequent class: {(y_new == 'grant').mean():.1%}")

# %%
# One applicant who is refused. The reason is one rule; its numbers can be checked by anyone who has
# the training table.
explanations = clf.explain(X_new)
row = next(i for i, one in enumerate(explanations) if one.prediction == "refuse")
refusal = explanations[row]
print(f"\n{X_new.iloc[row].to_dict()}\n\n{refusal}")
print(f"In words: {refusal.rule.to_english()}")

# %%
# The best case for the applicant, and what the best five rules say.
for other in refusal.contrast:
    print(f"\nFor the applicant: {other.rule}")
    share = format_share(other.precision)
    print(f"  {other.hits} of {other.cover_size} like that were granted ({share})")
(told,) = clf.explain(X_new.iloc[[row]], top=5, max_overlap=0.5)
print(f"{format_share(told.agreement)} of the best {len(told.top)} rules refuse:")
for one in told.top:
    print(f"  {one.rule} ({one.hits} of {one.cover_size})")

# %%
# Would this applicant get such a rule by luck, and would other training rows say the same?
print(f"\n{clf.significance(X_new.iloc[[row]], n_permutations=50)[0]}")
print(clf.stability(X_new.iloc[[row]], n_resamples=20)[0])

# %%
# What would change the decision? Age can not be changed, and nobody should be asked to.
print()
print(clf.smallest_changes(X_new.iloc[[row]], fixed=["age", "purpose"], max_changes=2))

# %%
# For the auditor: all rules in use, and one of them as a query.
summary = summarize(explanations)
print(f"\n{summary}")
print(f"\nin SQL, after WHERE: {refusal.rule.to_sql()}")
