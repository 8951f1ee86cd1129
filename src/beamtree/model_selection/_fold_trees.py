"""What the searches on one fold share: their trees, and lower bounds for trees of each size.

A search that ends at a penalty has proved that no tree of its depth costs less than a bound. The
price of the leaves, subtracted from it, leaves a lower bound on the error of trees with that number
of leaves. These bounds hold at all penalties. They hold for smaller depths, too, and in part for
larger ones: a tree with at most four leaves has at most three levels, whatever its limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.integer_weights import NOISE
from beamtree.classifier import OptimalTreeClassifier
from beamtree.model_selection._candidate import Candidate
from beamtree.policy import OptimalPolicyTree
from beamtree.regressor import OptimalTreeRegressor

TreeEstimator = OptimalTreeClassifier | OptimalTreeRegressor | OptimalPolicyTree


@dataclass(frozen=True, eq=False)
class FoldTree:
    """A tree of a fold, and what its search has proved.

    Parameters
    ----------
    candidate : Candidate
        The parameters of the search.
    estimator : OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        The estimator that was fitted with them.
    error : float
        The part of its objective that is due to mistakes, the squared error, or the regret.
    """

    candidate: Candidate
    estimator: TreeEstimator
    error: float

    @property
    def leaves(self) -> int:
        """Number of leaves of the tree."""
        return self.estimator.tree_.n_leaves

    def is_allowed(self, candidate: Candidate) -> bool:
        """Return whether the tree is as small as a candidate demands."""
        deep = self.estimator.tree_.max_depth > _most(candidate.max_depth)
        return not deep and self.leaves <= _most(candidate.max_leaf_nodes)

    def bounded_leaves(self, candidate: Candidate) -> float:
        """Return up to which number of leaves the bound of the search holds for a candidate."""
        leaves, levels = _most(self.candidate.max_leaf_nodes), _most(self.candidate.max_depth)
        if levels >= _most(candidate.max_depth):
            return leaves
        return min(leaves, levels + 1)  # a tree with one leaf more may have one level more


class FoldTrees:
    """The trees that the searches on one fold have found.

    Parameters
    ----------
    same_tests : bool
        Whether all searches have the same split tests. Otherwise what one of them has proved says
        nothing about the others.
    """

    def __init__(self, *, same_tests: bool) -> None:
        self._same_tests = same_tests
        self._trees: list[FoldTree] = []

    def add(self, candidate: Candidate, estimator: TreeEstimator) -> None:
        """Add the result of a search.

        Parameters
        ----------
        candidate : Candidate
            The parameters of the search.
        estimator : OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
            The estimator that was fitted with them.
        """
        paid = candidate.leaf_penalty * _unit(estimator) * (estimator.tree_.n_leaves - 1)
        error = max(estimator.objective_ - paid, 0.0)
        self._trees.append(FoldTree(candidate, estimator, error))

    def best(self, candidate: Candidate) -> TreeEstimator | None:
        """Return the known tree that costs the least with the parameters of a candidate.

        Of equally good trees it is the one with the fewest leaves, then the one that was found
        for this candidate, then the last one. None if no known tree is small enough.
        """
        tree = self._best(candidate)
        return None if tree is None else tree.estimator

    def is_proved(self, candidate: Candidate) -> bool:
        """Return whether the best known tree is proved to be optimal for a candidate.

        With ``tie_break="smallest"`` it must be proved to be one of the smallest, too. If the
        searches had to round weights, the proof holds up to rounding, as theirs do.
        """
        best = self._best(candidate)
        if best is None:
            return False
        least, cost = self.least_costs(candidate), _cost(best, candidate)
        rounding = max(tree.estimator.rounding_ for tree in self._trees)
        # Rounding changes both the objective of a tree and the bound of a search that is complete.
        slack = 2.0 * rounding + _noise(best.estimator)
        if best.estimator.tie_break == "smallest" and best.candidate != candidate:
            smaller = least[: best.leaves - 1]
            return bool((least >= cost - slack).all() and (smaller > cost + slack).all())
        return bool((least >= cost - slack).all())

    def least_costs(self, candidate: Candidate) -> NDArray[np.float64]:
        """Return lower bounds on the cost of trees with 1, 2, 3 ... leaves, for a candidate.

        Parameters
        ----------
        candidate : Candidate
            The parameters. At least one search must have ended.

        Returns
        -------
        ndarray of float64
            One bound for each number of leaves that the parameters allow.
        """
        fitted = self._trees[0].estimator
        rows, price = int(fitted.tree_.n_node_samples[0]), _price(candidate, fitted)
        most = min(2.0 ** _most(candidate.max_depth), _most(candidate.max_leaf_nodes), rows)
        splits = np.arange(int(most), dtype=np.float64)
        error = np.zeros(len(splits))
        for tree in self._trees:
            if not self._same_tests and tree.candidate != candidate:
                continue
            known = int(min(tree.bounded_leaves(candidate), len(splits)))
            paid = _price(tree.candidate, tree.estimator) * splits[:known]
            np.maximum(error[:known], tree.estimator.lower_bound_ - paid, out=error[:known])
        return error + price * splits

    def _best(self, candidate: Candidate) -> FoldTree | None:
        allowed = [tree for tree in reversed(self._trees) if tree.is_allowed(candidate)]
        if not allowed:
            return None
        least = min(_cost(tree, candidate) for tree in allowed)
        most = least + _noise(allowed[0].estimator)
        good = [tree for tree in allowed if _cost(tree, candidate) <= most]
        return min(good, key=lambda tree: (tree.leaves, tree.candidate != candidate))


def _cost(tree: FoldTree, candidate: Candidate) -> float:
    """Return the objective of a tree with the parameters of a candidate."""
    return tree.error + _price(candidate, tree.estimator) * (tree.leaves - 1)


def _price(candidate: Candidate, estimator: TreeEstimator) -> float:
    """Return the cost of a leaf, for the rows that an estimator was fitted to."""
    return candidate.leaf_penalty * _unit(estimator)


def _unit(estimator: TreeEstimator) -> float:
    """Return of what a penalty is a share: the weight of the rows, or their squared error."""
    tree = estimator.tree_
    unit = tree.error if tree.predicts_numbers else tree.weighted_n_node_samples
    return float(unit[0])


def _noise(estimator: TreeEstimator) -> float:
    """Return how much two costs of the same tree may differ because doubles are rounded."""
    tree = estimator.tree_
    # The weight of the rows says nothing about the size of rewards.
    return NOISE * (_unit(estimator) if tree.reward is None else float(tree.error[0]))


def _most(limit: int | None) -> float:
    return inf if limit is None else limit
