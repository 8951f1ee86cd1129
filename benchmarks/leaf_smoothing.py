"""Measure what smoothing the probabilities of leaves changes, on 20 datasets.

    python benchmarks/leaf_smoothing.py

Every dataset ships with scikit-learn or beamtree, or is generated from a fixed seed. For each depth
and each of five folds, one tree is learned and then smoothed in every way, so that the trees are
the same. The table has means over depths and folds of the log loss and of the Brier score (the
squared distance between the probabilities and the label), and the accuracy. For the log loss,
scikit-learn replaces a probability of 0 by 2.2e-16, so that a row that was thought impossible costs
36. A limit of nodes ends long searches, so that the trees are the same on every machine.
"""

import argparse
from statistics import mean

import numpy as np
from sklearn import datasets
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from beamtree import OptimalTreeClassifier
from beamtree._sklearn.leaf_smoothing import smoothed
from beamtree.datasets import balance_scale, monks, multiplexer, tic_tac_toe

KINDS = {"off": None, "laplace": "laplace", "m = 2": 2.0, "m = 5": 5.0}


def _noisy(seed, rows, classes, noise):
    """Return correlated numbers with labels of which some are random."""
    return datasets.make_classification(
        rows, 10, n_informative=5, n_classes=classes, flip_y=noise, random_state=seed
    )


DATASETS = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "wine": lambda: datasets.load_wine(return_X_y=True),
    "breast cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "tic-tac-toe": lambda: tic_tac_toe()[:2],
    "monks 1": lambda: monks(1)[:2],
    "monks 2": lambda: monks(2)[:2],
    "monks 3": lambda: monks(3)[:2],
    "balance scale": lambda: balance_scale()[:2],
    "multiplexer": lambda: multiplexer(2)[:2],
    "moons": lambda: datasets.make_moons(400, noise=0.3, random_state=1),
    "circles": lambda: datasets.make_circles(400, noise=0.2, factor=0.5, random_state=2),
    "blobs": lambda: datasets.make_blobs(400, centers=4, cluster_std=3.0, random_state=3),
    "quantiles": lambda: datasets.make_gaussian_quantiles(
        n_samples=400, n_features=4, n_classes=3, random_state=4
    ),
    "hastie": lambda: datasets.make_hastie_10_2(500, random_state=5),
    "200 rows": lambda: _noisy(6, 200, 2, 0.1),
    "500 rows": lambda: _noisy(7, 500, 2, 0.1),
    "1000 rows": lambda: _noisy(8, 1000, 2, 0.1),
    "much noise": lambda: _noisy(9, 500, 2, 0.4),
    "5 classes": lambda: _noisy(10, 600, 5, 0.05),
}


def scores(X, y, depths, nodes):
    """Return for every kind of smoothing its log losses, Brier scores and accuracies."""
    found = {kind: [] for kind in KINDS}
    classes, codes = np.unique(y, return_inverse=True)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        for depth in depths:
            clf = OptimalTreeClassifier(depth, node_limit=nodes, leaf_smoothing=None)
            tree = clf.fit(X[train], y[train]).tree_
            for kind, value in KINDS.items():
                clf.tree_ = smoothed(tree, value)
                probability = clf.predict_proba(X[test])
                assert (classes[probability.argmax(axis=1)] == clf.predict(X[test])).all()
                truth = np.eye(len(classes))[codes[test]]
                found[kind].append(
                    (
                        log_loss(codes[test], probability, labels=range(len(classes))),
                        ((probability - truth) ** 2).sum(axis=1).mean(),
                        clf.score(X[test], y[test]),
                    )
                )
    return found


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--depths", type=int, nargs="+", default=[3, 4, 5])
    parser.add_argument("--nodes", type=int, default=100, help="node limit of each search")
    parser.add_argument("--datasets", nargs="+", default=[*DATASETS], choices=[*DATASETS])
    options = parser.parse_args(argv)
    print("| dataset | accuracy |", *(f"log loss, {kind} |" for kind in KINDS), end=" ")
    print(*(f"Brier, {kind} |" for kind in KINDS))
    print("| :-- |" + " --: |" * (1 + 2 * len(KINDS)))
    rows = []
    for name in options.datasets:
        found = scores(*DATASETS[name](), options.depths, options.nodes)
        means = {kind: np.mean(one, axis=0) for kind, one in found.items()}
        rows.append([means["off"][2], *(means[kind][i] for i in (0, 1) for kind in KINDS)])
        print(f"| {name} |", *(f"{number:.3f} |" for number in rows[-1]), flush=True)
    print("| mean |", *(f"{mean(column):.3f} |" for column in zip(*rows, strict=True)))

    for i, kind in enumerate(KINDS):
        for what, first in (("log loss", 1), ("Brier score", 1 + len(KINDS))):
            better = sum(row[first + i] < row[first] for row in rows)
            if i > 0:
                print(f"{kind}: the {what} is smaller than without smoothing on {better} datasets")


if __name__ == "__main__":
    main()
