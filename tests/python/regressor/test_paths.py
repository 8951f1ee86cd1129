"""`leaf_path` and `penalty_path` for trees that predict numbers."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from beamtree import OptimalTreeRegressor, leaf_path, penalty_path
from tests.oracle import least_squares


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


@pytest.mark.parametrize("seed", range(12))
def test_the_paths_have_the_least_errors(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12))
    X = rng.integers(0, 4, (n, 2))
    y = rng.integers(0, 9, n) * 1.0 if seed % 2 else rng.normal(size=n)
    weight = rng.integers(1, 4, n) if seed % 3 == 0 else rng.random(n) + 0.1
    columns = [("numbers", column.tolist()) for column in X.T]
    path = leaf_path(X, y, sample_weight=weight, regression=True, max_leaf_nodes=6, max_depth=3)
    assert path.status == "optimal"
    for row in path.table:
        least = least_squares(
            columns, y, weight, max_depth=3, max_leaf_nodes=int(row["max_leaf_nodes"])
        )
        assert row["error"] == pytest.approx(float(least), abs=1e-9)
        assert row["lower_bound"] <= least
    hull = penalty_path(X, y, sample_weight=weight, regression=True, max_depth=3)
    assert hull.status == "optimal"
    for row in hull.table:
        settings = {"max_depth": 3, "leaf_penalty": float(row["leaf_penalty"])}
        best = least_squares(columns, y, weight, **settings)
        price = settings["leaf_penalty"] * float(hull.table["error"][0])
        assert row["error"] + price * (row["leaves"] - 1) == pytest.approx(float(best), abs=1e-9)
        assert row["lower_bound"] <= row["error"]


def test_a_path_is_shown_and_gives_regressors(diabetes):
    X, y = diabetes
    path = leaf_path(X, y, regression=True, max_leaf_nodes=4, max_depth=2)
    lines = repr(path).splitlines()
    assert lines[0] == "Proved optimal: the best trees of 1 to 4 leaves and depth at most 2"
    assert lines[-1].split() == ["4", "4", "2", "1.47708e+06", "1.47708e+06"]
    assert (path.table["n_errors"] == -1).all()
    reg = path.regressor(4)
    same = OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert reg.proof_ == same.proof_
    assert (reg.predict(X) == same.predict(X)).all()
    assert path.regressor(2).proof_ == (
        "Proved optimal with at most 2 leaves: squared error 1,856,876 (R² 0.292)"
    )
    assert reg.get_params()["max_leaf_nodes"] == 4
    assert OptimalTreeRegressor.from_json(reg.to_json()).proof_ == reg.proof_
    with pytest.raises(ValueError, match=r"the trees of this path predict numbers: use regressor"):
        path.classifier(2)
    hull = penalty_path(X, y, regression=True, max_depth=2)
    assert hull.proof == "Proved optimal: 4 trees of depth at most 2"
    assert hull.regressor().objective_ == pytest.approx(same.objective_)
    for row in hull.table[1:]:
        fitted = OptimalTreeRegressor(max_depth=2, leaf_penalty=float(row["leaf_penalty"]))
        assert fitted.fit(X, y).get_n_leaves() == row["leaves"]


def test_paths_of_classes_have_no_regressors():
    path = leaf_path([[0], [1]], [0, 1], max_leaf_nodes=2)
    with pytest.raises(ValueError, match=r"the trees of this path predict labels: use classifier"):
        path.regressor()
    with pytest.raises(ValueError, match="regression must be True or False, got 1"):
        leaf_path([[0], [1]], [0, 1], regression=1)


def test_a_constant_has_a_path():
    X = [[0], [1], [2]]
    assert leaf_path(X, [5, 5, 5], regression=True).status == "optimal"
    assert len(penalty_path(X, [5, 5, 5], regression=True)) == 1
