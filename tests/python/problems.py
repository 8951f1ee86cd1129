"""Random problems for the tests of the classifiers."""

import numpy as np


def noisy_problem(seed, classes=3, rows=24, features=4):
    """Return rows, noisy labels that include every class, and a generator for more."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features))
    y = np.where(rng.random(rows) < 0.5, rng.integers(0, classes, rows), X[:, 0] + X[:, 1])
    y = np.minimum(y, classes - 1)
    y[:classes] = range(classes)
    return X, y, rng
