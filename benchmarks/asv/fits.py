"""Fits that end with a proof, each on data that scikit-learn has or that numpy draws."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes

from beamtree import OptimalTreeClassifier, OptimalTreeRegressor, Search
from beamtree.rules import Rule


class Discrepancies(Rule):
    """The rule `Discrepancy`, written in Python: it measures calls from C++ into Python."""

    def __init__(self):
        self.most = 0

    def initial_state(self, ctx):  # noqa: ARG002
        return 0

    def update(self, state, ctx):
        return state + ctx.rank

    def prune(self, state):
        return state > self.most

    def relax(self, step):
        self.most += step
        return True


class Fits:
    """The time of whole fits."""

    timeout = 120

    def setup(self):
        self.X, self.y = load_breast_cancer(return_X_y=True)
        self.halves = np.median(self.X, axis=0) < self.X
        self.numbers = load_diabetes(return_X_y=True)

    def time_all_thresholds(self):
        assert OptimalTreeClassifier(max_depth=3).fit(self.X, self.y).status_ == "optimal"

    def time_zeros_and_ones(self):
        assert OptimalTreeClassifier(max_depth=5).fit(self.halves, self.y).status_ == "optimal"

    def time_regression(self):
        assert OptimalTreeRegressor(max_depth=2).fit(*self.numbers).status_ == "optimal"

    def time_rule_in_python(self):
        clf = OptimalTreeClassifier(max_depth=4, exact_levels=2, rule=Discrepancies())
        assert clf.fit(self.halves, self.y).status_ == "optimal"

    def time_first_tree(self):
        Search(self.X, self.y, max_depth=6).step()
