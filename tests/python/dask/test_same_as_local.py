"""A fit on partitions finds what a fit on the same rows in memory finds."""

import warnings

import numpy as np
import pandas as pd
import pytest

from beamtree import OptimalTreeClassifier, OptimalTreeRegressor
from beamtree.dask import DaskOptimalTreeClassifier, DaskOptimalTreeRegressor
from tests.python.dask.problems import divided, random_sizes, random_table, random_weight

SAME = ["status_", "n_leaves_bound_", "search_space_", "n_features_in_"]


def assert_same(there, here, X, *, exact):
    for name in SAME:
        assert getattr(there, name) == getattr(here, name), name
    assert there.objective_ == pytest.approx(here.objective_, rel=1e-9, abs=1e-9)
    assert there.lower_bound_ == pytest.approx(here.lower_bound_, rel=1e-6, abs=1e-6)
    if not exact:
        return
    for name in ("feature", "children_left", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(there.tree_, name), getattr(here.tree_, name))
    for name in ("value", "error"):  # sums of floats, which depend on the order of the rows
        np.testing.assert_allclose(
            getattr(there.tree_, name), getattr(here.tree_, name), rtol=1e-12, atol=1e-12
        )
    np.testing.assert_array_equal(there.apply(X), here.apply(X))
    assert there.trace_["nodes"].tolist() == here.trace_["nodes"].tolist()


def random_labels(rng, n_rows):
    codes = rng.integers(0, rng.integers(1, 5), n_rows)
    kind = rng.choice(["int", "text", "bool", "float"])
    if kind == "text":
        return np.array(["no", "yes", "maybe", "never"], dtype=object)[codes]
    return codes % 2 == 0 if kind == "bool" else codes.astype(kind) * 2


def random_settings(rng):
    return {
        "max_depth": int(rng.integers(0, 4)),
        "max_thresholds": [None, 1, 2, 5][rng.integers(4)],
        "min_samples_leaf": [1, 1, 3, 0.1][rng.integers(4)],
        "leaf_penalty": float(rng.choice([0.0, 0.0, 0.02])),
        "time_limit": None,
    }


def collections(rng, X, y, weight):
    sizes = random_sizes(rng, len(X))
    if isinstance(X, pd.DataFrame):
        y = pd.Series(y)
        weight = None if weight is None else pd.Series(weight)
    return divided(X, sizes), divided(y, sizes), None if weight is None else divided(weight, sizes)


@pytest.mark.parametrize("block", range(5))
def test_classifiers_on_random_tables(block):
    for seed in range(32 * block, 32 * block + 32):
        rng = np.random.default_rng(seed)
        X = random_table(rng)
        y = random_labels(rng, len(X))
        exact = bool(rng.random() < 0.8)
        weight = random_weight(rng, len(X), exact=exact)
        settings = random_settings(rng)
        settings["class_weight"] = [None, None, {y[0]: 2.0}][rng.integers(3)]
        labels = np.unique(y)
        if rng.random() < 0.2:
            settings["cost_matrix"] = rng.integers(0, 4, (len(labels), len(labels)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about many labels
            here = OptimalTreeClassifier(**settings).fit(X, y, weight)
            there = DaskOptimalTreeClassifier(**settings).fit(*collections(rng, X, y, weight))
        np.testing.assert_array_equal(there.classes_, here.classes_)
        assert there.n_errors_ == here.n_errors_ or not exact
        assert there.proof_ == here.proof_ or not exact
        assert_same(there, here, X, exact=exact)


@pytest.mark.parametrize("weighted", [False, True])
def test_all_thresholds_of_many_rows(weighted):
    """Rows that are held as sorted columns, in a search that ends before the proof."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2)).round(2)
    y = (X[:, 0] > 0.2) ^ (X[:, 1] > 0.1) ^ (rng.random(1500) < 0.2)
    weight = rng.integers(1, 4, 1500).astype(float) if weighted else None
    settings = {"max_depth": 4, "node_limit": 60, "time_limit": None}
    here = OptimalTreeClassifier(**settings)
    there = DaskOptimalTreeClassifier(**settings)
    with pytest.warns(match="node limit"):
        here.fit(X, y, weight)
    with pytest.warns(match="node limit"):
        there.fit(*collections(rng, X, y, weight))
    assert_same(there, here, X, exact=True)


@pytest.mark.parametrize("block", range(4))
def test_regressors_on_random_tables(block):
    for seed in range(20 * block, 20 * block + 20):
        rng = np.random.default_rng(1000 + seed)
        X = random_table(rng)
        exact = bool(rng.random() < 0.7)
        y = rng.integers(0, 5, len(X)) / 2 if exact else rng.normal(size=len(X))
        weight = random_weight(rng, len(X), exact=exact)
        settings = random_settings(rng)
        here = OptimalTreeRegressor(**settings).fit(X, y, weight)
        there = DaskOptimalTreeRegressor(**settings).fit(*collections(rng, X, y, weight))
        assert_same(there, here, X, exact=exact)
