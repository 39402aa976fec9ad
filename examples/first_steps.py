"""First steps: one rule for one mushroom.

Run it as a script, or cell by cell in an editor that knows `# %%`.
"""

# %%
# A table of eight mushrooms and what is known about each. Text columns are categories, numbers are
# cut into parts, missing cells are fine.
import pandas as pd

from picrules import FPICClassifier, parse_rule

mushrooms = pd.DataFrame(
    {
        "odor": ["foul", "none", "almond", "foul", "none", "almond", "none", "foul"],
        "cap height": [3.1, 5.0, 4.2, 6.0, 2.2, 3.9, 5.5, 4.1],
    }
)
edible = ["no", "yes", "yes", "no", "no", "yes", "yes", "no"]

# %%
# Fit as any scikit-learn classifier. For each row the best rule that covers it is the reason.
clf = FPICClassifier(bins=2).fit(mushrooms, edible)
explanations = clf.explain(mushrooms[:2])
for explanation in explanations:
    print(explanation)

# %%
# How sure is the second one? Two of two rows sounds perfect, but two rows are few, and the rule is
# the best of many. fPIC does not know how often it is right; PersonalRuleClassifier, which needs a
# larger table, does (`confidence`). The best case for the other side is beside it.
second = explanations[1]
print(f"\n{second.hits} of {second.cover_size}, confidence {second.confidence}")
for other in second.contrast:
    print(f"against it: {other.rule} ({other.hits} of {other.cover_size})")

# %%
# The training rows behind the rule, nearest first, as a table.
print(second.evidence.values(mushrooms))

# %%
# A rule is a value: it can be written down, read back, and held against any table.
text = str(second.rule)
assert parse_rule(text) == second.rule
print(f"\n{text}\ncovers the rows {clf.cover(parse_rule(text), mushrooms).nonzero()[0].tolist()}")
print(f"in SQL, after WHERE: {second.rule.to_sql()}")
print(f"in words: {second.rule.to_english()}")

# %%
# All explanations as a table, for pandas, Polars or PyArrow.
print(clf.explain(mushrooms).to_frame()[["prediction", "rule", "precision", "cover_size"]])
