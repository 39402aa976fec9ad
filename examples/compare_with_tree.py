"""One rule for each against one tree for all, on 569 breast tumours.

Run it as a script, or cell by cell in an editor that knows `# %%`.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from picrules import PersonalRuleClassifier, compare_rules, read_rules, summarize

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]

# %%
# A tree asks everybody the same first question, and a case deep in it needs a long reason. A
# personal rule asks only what matters for one tumour.
tree = DecisionTreeClassifier(random_state=0).fit(X, y)
clf = PersonalRuleClassifier(max_length=2).fit(X, y)
folds = StratifiedKFold(5, shuffle=True, random_state=0)
for name, model in (("tree", tree), ("personal rules", clf)):
    print(f"{name}: accuracy {cross_val_score(model, X, y, cv=folds).mean():.3f}, 5-fold")

# %%
# Every path of the tree, from its root to a leaf, is a rule.
paths = read_rules(tree, feature_names=X.columns)
print(f"\nThe tree has {len(paths)} paths; the longest:\n  {max(paths, key=lambda p: p.length)}")

# %%
# The rules in use for all tumours, and how long the reasons are that both give.
explanations = clf.explain(X)
summary = summarize(explanations)
lengths = [path.length for path in paths for _ in range(int(clf.cover(path, X).sum()))]
print(f"\nmean length: tree {sum(lengths) / len(lengths):.2f}, personal {summary.mean_length:.2f}")
print(f"\n{summary}")

# %%
# The same tumour, explained by both.
row = max(range(len(X)), key=lambda i: len(tree.decision_path(X.iloc[[i]]).indices))
path = next(path for path in paths if clf.cover(path, X.iloc[[row]])[0])
print(f"\nThe tree on tumour {row}: {path}\n\nIts own rule: {explanations[row]}")

# %%
# Which of the personal rules does the tree know too, as a part of a path? Its cuts lie elsewhere,
# so none; rule sets that were learned on the same bins share some.
print(f"\n{compare_rules(explanations, paths)}".splitlines()[1])
