"""Probabilities of the classes in a leaf that are not 0 or 1 because the leaf has few rows.

The share of a class in a leaf is a poor estimate of its probability if the leaf has few rows: one
row gives the shares 1 and 0. Smoothing adds rows that were not there. Laplace's rule adds one row
of each class. An m-estimate adds m rows with the classes of the parent, whose estimate adds m rows
with the classes of its own parent, and so on up to the root, which adds m rows with equal parts of
all classes (Cestnik, Estimating probabilities, ECAI 1990).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from beamtree.tree import Tree, levels

# How much the most probable class gets if another one that comes before it would be as probable,
# also as a float32, which some exports have.
NUDGE = 1e-6


def smoothed(tree: Tree, leaf_smoothing: float | str | None) -> Tree:
    """Return a tree with smoothed probabilities.

    A row counts as much as its weight, as if rows of weight 2 were there twice. If the mean weight
    is below 1, all weights are scaled to a mean of 1, so that weights that add up to 1 do not
    disappear beside the rows that are added.

    Parameters
    ----------
    tree : Tree
        The tree; its shares stay as they are.
    leaf_smoothing : float, "laplace" or None
        As in `OptimalTreeClassifier`.

    Returns
    -------
    Tree
        The tree, whose `probability` is smoothed. The most probable class of a node is that of the
        largest share. If other classes would be more probable, they and this class share their
        probabilities equally.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree._sklearn.leaf_smoothing import smoothed
    >>> clf = OptimalTreeClassifier(max_depth=1, leaf_smoothing=None)
    >>> tree = clf.fit([[0], [0], [1], [1]], [0, 0, 1, 1]).tree_
    >>> tree.probability[1], smoothed(tree, "laplace").probability[1]
    (array([1., 0.]), array([0.75, 0.25]))
    >>> smoothed(tree, 2.0).probability[1]
    array([0.75, 0.25])
    """
    if leaf_smoothing is None or leaf_smoothing == 0:
        return tree
    weight = tree.weighted_n_node_samples[:, np.newaxis]
    weight = weight * max(1.0, tree.n_node_samples[0] / tree.weighted_n_node_samples[0])
    counts = tree.value[:, 0, :] * weight
    if isinstance(leaf_smoothing, str):
        estimate = (counts + 1.0) / (weight + counts.shape[1])
    else:
        estimate = _towards_parents(tree, counts, weight, float(leaf_smoothing))
    kept = [_keep_first(estimate[node], _likeliest(tree, node)) for node in range(tree.node_count)]
    return replace(tree, probability=np.array(kept))


def _towards_parents(
    tree: Tree, counts: NDArray[np.float64], weight: NDArray[np.float64], m: float
) -> NDArray[np.float64]:
    """Return the m-estimates of all nodes."""
    prior = np.full_like(counts, 1.0 / counts.shape[1])  # only that of the root stays
    estimate = np.empty_like(counts)
    for level in levels(tree.feature, tree.children_left, tree.children_right):
        estimate[level] = (counts[level] + m * prior[level]) / (weight[level] + m)
        inner = level[tree.feature[level] >= 0]
        for child in (tree.children_left, tree.children_right):
            prior[child[inner]] = estimate[inner]
    return estimate


def _likeliest(tree: Tree, node: int) -> int:
    """Return the class of the largest share; the predicted class if it is one of those that tie."""
    shares, predicted = tree.value[node, 0], int(tree.prediction[node])
    return predicted if shares[predicted] == shares.max() else int(shares.argmax())


def _keep_first(estimate: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """Return an estimate in which the given class is the most probable one.

    Of all such estimates, it is the nearest one to the given estimate.
    """
    pooled, mean = [first], float(estimate[first])
    for other in np.argsort(-estimate, kind="stable").tolist():
        if other != first and estimate[other] > mean:
            pooled.append(other)
            mean = float(estimate[pooled].mean())
    kept = estimate.copy()
    kept[pooled] = mean
    if kept.astype(np.float32).argmax() != first:
        kept *= 1.0 - NUDGE
        kept[first] += NUDGE
    return kept
