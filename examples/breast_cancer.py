"""One rule for one patient: breast cancer, 569 tumours, 30 measurements each.

Fits on three quarters of the tumours, and tells for some of the others what each is and why, how
sure that is, and what speaks against it. Run it as a script, or cell by cell in an editor that
knows `# %%`.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from picrules import PersonalRuleClassifier

data = load_breast_cancer(as_frame=True)
diagnosis = data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(
    data.data, diagnosis, stratify=diagnosis, random_state=0
)

# %%
clf = PersonalRuleClassifier(n_jobs=-1).fit(X_train, y_train)
predicted = clf.predict(X_test)
right = int((predicted == y_test).sum())
print(f"Learned from {len(X_train)} tumours with {X_train.shape[1]} measurements each.")
print(f"Engine: {clf.plan_}.")
print(f"Accuracy on {len(X_test)} tumours it has not seen: {right / len(X_test):.1%}.")

# %%
print("\nFive of them, each with its own reason:")
explanations = clf.explain(X_test)
for number, (explanation, truth) in enumerate(zip(explanations[:5], y_test, strict=False)):
    verdict = "right" if explanation.prediction == truth else f"wrong, it is {truth}"
    print(f"\nTumour {number + 1} ({verdict}): {explanation}")

# %%
# What speaks against the first diagnosis, and the known tumours that are most like this one among
# those that the rule covers.
first = explanations[0]
for other in first.contrast:
    print(f"\nThe best case for {other.rule.label}: {other.rule}")
    print(f"  {other.hits} of {other.cover_size} tumours like that are {other.rule.label}")
nearest = first.evidence.values(X_train)[:3]
print("\nThe nearest known tumours that the rule covers:")
print(nearest[[condition.feature for condition in first.rule.conditions]])

# %%
# A wrong diagnosis deserves a closer look: was the rule weak, and would other tumours to learn from
# have said the same?
wrong = next(i for i, truth in enumerate(y_test) if predicted[i] != truth)
print(f"\nA wrong one. {explanations[wrong]}")
print(clf.stability(X_test.iloc[[wrong]], n_resamples=20)[0])

# %%
rules = {explanation.rule for explanation in explanations}
print(f"\nAll {len(X_test)} predictions together use {len(rules)} different rules.")
