"""
CART beside the best tree
=========================

CART chooses one split after another and never goes back. It cannot see splits that help only
together. The two trees of this example have the same depth and the same tests to choose from.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.tree import DecisionTreeClassifier

from beamtree import OptimalTreeClassifier

rng = np.random.default_rng(3)
X = rng.uniform(-1, 1, (400, 2))
y = ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)  # a chessboard of four fields
y = np.where(rng.random(400) < 0.05, 1 - y, y)  # and some noise

cart = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
best = OptimalTreeClassifier(max_depth=2).fit(X, y)
print(f"CART: {(cart.predict(X) != y).sum()} errors")
print(f"beamtree: {best.proof_}")

# %%
# For the first split of CART, no threshold looks good: each side is half of one class and half of
# the other. The search looks at both levels together and finds the four fields.
fig, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True, layout="constrained")
for ax, (title, tree) in zip(axes, {"CART": cart, "The best tree": best}.items(), strict=True):
    DecisionBoundaryDisplay.from_estimator(
        tree, X, response_method="predict", ax=ax, alpha=0.3, cmap="coolwarm", eps=0.05
    )
    ax.scatter(*X.T, c=y, s=12, cmap="coolwarm", edgecolors="white", linewidths=0.3)
    ax.set_title(f"{title}: {(tree.predict(X) != y).sum()} errors")
