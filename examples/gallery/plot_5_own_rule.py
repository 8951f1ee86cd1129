"""
A rule of your own
==================

A rule decides which trees the search looks at first. It cannot change the optimum: if a pass has
left something out, the search relaxes the rule and runs a wider pass. This rule allows one surprise
per path, that is, one split that is not among the first k.
"""

import matplotlib.pyplot as plt

from beamtree import OptimalTreeClassifier
from beamtree.datasets import tic_tac_toe
from beamtree.rules import Discrepancy, Rule


class OneSurprise(Rule):
    def __init__(self):
        self.k = 1

    def initial_state(self, ctx):
        return (0, 0)  # the two largest ranks on the path

    def update(self, state, ctx):
        return tuple(sorted((*state, ctx.rank))[1:])

    def prune(self, state):
        return state[0] >= self.k

    def relax(self, step):
        self.k += step
        return True


X, y, _, _ = tic_tac_toe()
rules = {"OneSurprise": OneSurprise(), "Discrepancy": Discrepancy(), "one complete pass": None}
fits = {
    name: OptimalTreeClassifier(max_depth=5, rule=rule, exact_levels=2).fit(X, y)
    for name, rule in rules.items()
}
for name, clf in fits.items():
    print(f"{name}: {clf.proof_}")

# %%
# All three prove the same optimum. They differ in the trees on the way.
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, clf in fits.items():
    ax.step(clf.trace_["seconds"], clf.trace_["objective"], where="post", label=name, marker=".")
ax.set(xscale="log", xlabel="seconds", ylabel="errors of the best tree so far")
ax.legend()
