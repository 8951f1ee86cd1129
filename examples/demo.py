"""Learn the best tree of depth 4 for tic-tac-toe, and see its proof."""

import time

from beamtree import OptimalTreeClassifier, export_text
from beamtree.datasets import tic_tac_toe

X, y, feature_names, class_names = tic_tac_toe()
print(f"Tic-tac-toe: {len(X)} final boards, {X.shape[1]} features. Does x win?\n")

print("The search, a line an improvement:")
clf = OptimalTreeClassifier(max_depth=4, verbose=2)
start = time.perf_counter()
clf.fit(X, y)
seconds = time.perf_counter() - start

print("\nThe tree:")
print(export_text(clf, feature_names=feature_names, class_names=class_names))

print("\nThe proof:")
print(f"  status       {clf.status_}")
print(f"  objective    {clf.objective_:g} of {len(X)} boards misclassified")
print(f"  lower bound  {clf.lower_bound_:g}: no tree of depth 4 makes fewer errors")
print(f"  time         {seconds:.3f} s")
