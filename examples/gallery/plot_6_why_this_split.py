"""
Why this split?
===============

The first test of a tree is often taken for the most important one. ``alternatives_`` says what the
others would have cost: for the best first test of each column, the best tree that was found with
it, and a bound that no tree with it can beat.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from beamtree import OptimalTreeClassifier

wine = load_wine(as_frame=True)
clf = OptimalTreeClassifier(max_depth=2).fit(wine.data, wine.target_names[wine.target])
print(clf)
print(clf.alternatives_)

# %%
# For trees of two levels, both bounds are the exact number of errors.
shown = list(clf.alternatives_[:12])[::-1]
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.barh([one.test for one in shown], [one.objective for one in shown], color="tab:blue")
ax.axvline(clf.objective_, color="black", linestyle="--", linewidth=1)
ax.set(xlabel="errors of the best tree that begins with this test")
