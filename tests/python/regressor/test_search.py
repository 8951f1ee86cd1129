"""`Search` for trees that predict numbers: steps, checkpoints, and the regressor of a search."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from beamtree import CheckpointError, OptimalTreeRegressor, Search


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


def test_a_search_finds_what_the_regressor_finds(diabetes):
    X, y = diabetes
    search = Search(X, y, regression=True, max_depth=2)
    assert repr(search).startswith("Search(Not started: 442 rows, 10 columns")
    incumbents = list(search)
    assert incumbents[-1].proof == "Proved optimal: squared error 1,477,077 (R² 0.436)"
    assert "<svg" in search._repr_html_()
    assert len(search.classes) == 0
    reg, fitted = search.to_regressor(), OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert (reg.predict(X) == fitted.predict(X)).all()
    assert reg.objective_ == fitted.objective_
    assert reg.get_params() == fitted.get_params()
    assert list(reg.feature_names_in_) == list(X.columns)
    assert vars(fitted).keys() == vars(reg).keys()


def test_a_saved_search_goes_on(diabetes, tmp_path):
    X, y = diabetes
    path = tmp_path / "search"
    weight = np.linspace(1, 2, len(y))
    search = Search(X, y, weight, regression=True, max_depth=3)
    first = search.run(node_limit=3)
    search.save(path)
    again = Search.load(path, X, y, weight)
    assert again.result().objective == first.objective
    assert again.run().status == "optimal"
    assert again.result().objective == search.run(node_limit=10**9).objective
    with pytest.raises(CheckpointError, match="y differs"):
        Search.load(path, X, y + 1, weight)


def test_the_other_kind_is_refused(diabetes):
    X, y = diabetes
    with pytest.raises(
        ValueError, match=r"search for labels, and this one is for numbers: use to_reg"
    ):
        Search(X, y, regression=True, max_depth=1).to_classifier()
    with pytest.raises(ValueError, match=r"needs a search for numbers, and this one is for labels"):
        Search([[0], [1]], [0, 1], max_depth=1).to_regressor()
    with pytest.raises(ValueError, match="class_weight must be None for a tree that predicts num"):
        Search(X, y, regression=True, class_weight="balanced")
    with pytest.raises(ValueError, match="cost_matrix must be None for a tree that predicts num"):
        Search(X, y, regression=True, cost_matrix=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="heuristic must be 'auto', 'lookahead', 'error', 'given'"):
        Search(X, y, regression=True, heuristic="gini")
    with pytest.raises(ValueError, match="regression must be True or False, got 'yes'"):
        Search(X, y, regression="yes")
