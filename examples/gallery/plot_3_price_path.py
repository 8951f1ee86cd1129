"""
A price path: what is a leaf worth?
===================================

A price per leaf makes trees smaller. `penalty_path` finds a best tree for every price,
and proves that none is missing, so that you can choose among them.
"""

import matplotlib.pyplot as plt

from beamtree import penalty_path
from beamtree.datasets import load_binarized

data = load_binarized("breast_cancer")
path = penalty_path(data.X, data.y, max_depth=3)
print(path)

# %%
# The curve falls fast and then slowly: the first split saves 162 errors, the last one saves two.
ax = path.plot()

# %%
# A tree in the middle is often the one to show. It is a fitted classifier.
small = path.classifier(4)
print(small.proof_)
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
small.plot(ax=ax, feature_names=data.feature_names, class_names=data.class_names)
