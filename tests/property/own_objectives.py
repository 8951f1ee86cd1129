"""Objectives that tests write in Python: with both bounds, with one, with none."""
# ruff: noqa: ARG002 (functions of an objective take what they do not need)

import numpy as np

from beamtree.objectives import Objective, PoissonDeviance


class Misclassified(Objective):
    """The weight outside the heaviest of three classes, which are the remainders of y."""

    superset_bound = True

    def statistics(self, y, sample_weight):
        return sample_weight[:, None] * (np.floor(y)[:, None] % 3 == np.arange(3))

    def leaf_costs(self, sums):
        return sums.sum(axis=1) - sums.max(axis=1)

    def predictions(self, sums):
        return sums.argmax(axis=1)

    def removal_costs(self, y, sample_weight):
        return sample_weight


class OnlyRemoval(Misclassified):
    """The same, without saying that costs grow."""

    superset_bound = False


class OnlyRows(Misclassified):
    """The same, without saying what a row can cost."""

    def removal_costs(self, y, sample_weight):
        return None


class Quota(Objective):
    """How far the sum of a leaf is from a quota: more rows may cost less. Small leaves of odd sums
    are forbidden."""

    def statistics(self, y, sample_weight):
        return np.column_stack([np.ones(len(y)), sample_weight * np.round(y)])

    def leaf_costs(self, sums):
        rows, total = sums.T
        forbidden = (rows < 3) & (np.round(total) % 2 == 1)
        return np.where(forbidden, np.inf, np.abs(total - 5.0))

    def predictions(self, sums):
        return sums[:, 1]


OBJECTIVES = (PoissonDeviance, Misclassified, OnlyRemoval, OnlyRows, Quota)
