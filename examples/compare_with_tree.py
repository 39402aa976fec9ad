"""One rule for each against one tree for all, on Fisher's irises.

Run it as a script, or cell by cell in an editor that knows `# %%`.
"""

# %%
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from picrules import PersonalRuleClassifier, compare_rules, read_rules, summarize

data = load_iris(as_frame=True)
X, y = data.data, data.target_names[data.target]

# %%
# A tree asks everybody the same first question. A personal rule asks only what matters for one
# flower, and may be shorter.
tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
clf = PersonalRuleClassifier(cuts=8, max_length=2).fit(X, y)
for name, model in (("tree", tree), ("personal rules", clf)):
    print(f"{name}: accuracy {cross_val_score(model, X, y, cv=5).mean():.3f}, 5-fold")

# %%
# Every path of the tree, from its root to a leaf, is a rule.
paths = read_rules(tree, feature_names=X.columns)
for path in paths:
    print(f"  {path}")

# %%
# The rules in use for all 150 flowers, and how long the paths are that the tree takes them.
summary = summarize(clf.explain(X))
print(f"\n{summary}")
lengths = [path.length for path in paths for _ in range(int(clf.cover(path, X).sum()))]
print(f"\nmean length: tree {sum(lengths) / len(lengths):.2f}, personal {summary.mean_length:.2f}")

# %%
# Which of the personal rules does the tree know too, as a part of a path?
print(f"\n{compare_rules(clf.explain(X), paths)}")
