"""Learn the best tree of depth 3 for a raw table, and see its proof."""

import time

from sklearn.datasets import load_breast_cancer

from beamtree import OptimalTreeClassifier

data = load_breast_cancer()
X, y = data.data, data.target_names[data.target]
print(f"Breast cancer: {len(X)} rows, {X.shape[1]} columns of numbers. Is it malignant?\n")

print("The search, one line per improvement:")
start = time.perf_counter()
clf = OptimalTreeClassifier(max_depth=3, verbose=2).fit(X, y)
seconds = time.perf_counter() - start

print("\nThe tree, one sentence per leaf:")
for rule in clf.leaf_rules(feature_names=data.feature_names):
    print(f"  {rule}")

print("\nThe proof:")
print(f"  {clf.proof_}")
print(f"  Lower bound {clf.lower_bound_:g}: no tree of depth 3 is better, whatever its thresholds")
print(f"  Searched {clf.search_space_}")
print(f"  {seconds:.3f} s")
