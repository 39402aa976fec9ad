"""One rule for one patient: breast cancer, 569 tumours, 30 measurements each.

Fits on three quarters of the tumours, and tells for some of the others what each is and why.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from picrules import FPICClassifier

data = load_breast_cancer(as_frame=True)
diagnosis = data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(
    data.data, diagnosis, stratify=diagnosis, random_state=0
)

clf = FPICClassifier(n_jobs=-1).fit(X_train, y_train)
predicted = clf.predict(X_test)
right = int((predicted == y_test).sum())

print(f"Learned from {len(X_train)} tumours with {X_train.shape[1]} measurements each.")
print(f"Engine: {clf.plan_}.")
print(f"Accuracy on {len(X_test)} tumours it has not seen: {right / len(X_test):.1%}.")
print("\nFive of them, each with its own reason:")
for number, (explanation, truth) in enumerate(zip(clf.explain(X_test[:5]), y_test, strict=False)):
    verdict = "right" if explanation.prediction == truth else f"wrong, it is {truth}"
    print(f"\nTumour {number + 1} ({verdict}): {explanation}")

rules = {explanation.rule for explanation in clf.explain(X_test)}
print(f"\nAll {len(X_test)} predictions together use {len(rules)} different rules.")
