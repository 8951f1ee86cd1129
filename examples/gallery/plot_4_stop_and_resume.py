"""
Stop a search and resume it
===========================

Ctrl-C during ``fit`` ends the search and keeps the best tree so far. A callback does the same
without a keyboard, so this example uses one. With ``warm_start=True`` the next ``fit`` continues
where the first has stopped.
"""

from beamtree import AnytimeDisplay, OptimalTreeClassifier
from beamtree.datasets import tic_tac_toe

X, y, feature_names, class_names = tic_tac_toe()


def good_enough(incumbent):
    print(f"at most {incumbent.objective:g} errors, at least {incumbent.lower_bound:g}")
    return incumbent.objective < 20


clf = OptimalTreeClassifier(max_depth=6, warm_start=True, callback=good_enough).fit(X, y)
print(clf.status_, "-", clf.proof_)

# %%
# The classifier is fitted, and its tree can be used. The lower bound says how far from the optimum
# it can be. Now the search goes on to its proof.
clf.set_params(callback=None).fit(X, y)
print(clf.status_, "-", clf.proof_)

# %%
# ``trace_`` has all improvements of the tree and of the bound. When they meet, the tree is proved.
display = AnytimeDisplay.from_estimator(clf)
