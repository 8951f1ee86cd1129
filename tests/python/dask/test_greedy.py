"""The greedy tree that grows in passes is the one that the core grows over all rows."""

import numpy as np
import pandas as pd
import pytest

from beamtree import OptimalTreeClassifier
from beamtree.dask import DaskOptimalTreeClassifier
from beamtree.dask._greedy import GreedyGrowth
from tests.python.dask.problems import divided


def random_numbers(rng):
    """Return a table with so many thresholds that its rows are held as sorted columns."""
    n_rows = int(rng.integers(700, 1200))
    X = pd.DataFrame({"a": rng.normal(size=n_rows).round(int(rng.integers(3, 6)))})
    if rng.random() < 0.5:
        X["b"] = pd.Series(rng.normal(size=n_rows)).mask(rng.random(n_rows) < 0.1)
    if rng.random() < 0.3:
        X["c"] = pd.Series(rng.choice(list("abcde"), n_rows))
    if rng.random() < 0.3:
        X["d"] = pd.Categorical(rng.choice(list("abcde"), n_rows), ordered=True)
    y = np.where((X["a"] > 0.3) ^ (rng.random(n_rows) < 0.2), 0, rng.integers(1, 3, n_rows))
    return X, pd.Series(y)


@pytest.mark.parametrize("block", range(3))
def test_the_trees_are_those_of_the_core(block, monkeypatch):
    grown, grow = [], GreedyGrowth.grow
    monkeypatch.setattr(GreedyGrowth, "grow", lambda self: grown.append(grow(self)) or grown[-1])
    for seed in range(8 * block, 8 * block + 8):
        rng = np.random.default_rng(seed)
        X, y = random_numbers(rng)
        settings = {
            "max_depth": int(rng.integers(1, 4)),
            "max_thresholds": int(rng.integers(1, 5)),
            "leaf_penalty": float(rng.choice([0.0, 0.0, 0.005])),
            "time_limit": None,
        }
        half = len(X) // 2
        sizes = [half, len(X) - half]
        here = OptimalTreeClassifier(**settings).fit(X, y)
        there = DaskOptimalTreeClassifier(**settings).fit(divided(X, sizes), divided(y, sizes))
        assert there.search_space_ == here.search_space_
        assert there.trace_["objective"].tolist() == here.trace_["objective"].tolist()
        np.testing.assert_array_equal(there.tree_.threshold, here.tree_.threshold)
        np.testing.assert_array_equal(there.tree_.feature, here.tree_.feature)
    assert sum(tree is not None for tree in grown) >= 4
