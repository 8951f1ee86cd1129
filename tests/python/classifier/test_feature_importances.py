"""The importances of columns, alone and in the tools of scikit-learn that use them."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel

from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV
from beamtree.datasets import load_binarized


@pytest.fixture(scope="module")
def table():
    """Return rows whose labels follow from the columns 1 and 4, with some noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    y = np.where(X[:, 1] > 0.3, "a", np.where(X[:, 4] > -0.2, "b", "c"))
    y[rng.random(200) < 0.05] = "a"
    return X, y


def test_they_are_the_drops_of_the_errors():
    # 6 rows of a, 3 of b, 1 of c: a leaf has 4 errors, the first split leaves 1, the second none.
    X = [[0, 0]] * 6 + [[1, 0]] * 3 + [[1, 1]]
    clf = OptimalTreeClassifier(max_depth=2).fit(X, list("aaaaaabbbc"))
    assert clf.tree_.error.tolist() == [4, 0, 1, 0, 0]
    assert_allclose(clf.feature_importances_, [3 / 4, 1 / 4])
    again = OptimalTreeClassifier.from_json(clf.to_json())
    assert_allclose(again.feature_importances_, [3 / 4, 1 / 4])


def test_weights_and_costs_count_and_penalties_do_not():
    X = [[0, 0]] * 6 + [[1, 0]] * 3 + [[1, 1]]
    y = list("aaaaaabbbc")
    clf = OptimalTreeClassifier(max_depth=2, leaf_penalty=0.01)
    assert_allclose(clf.fit(X, y).feature_importances_, [3 / 4, 1 / 4])
    weight = [1.0] * 9 + [0.1]
    assert_allclose(clf.fit(X, y, weight).feature_importances_, [3 / 3.1, 0.1 / 3.1])
    costs = [[0, 1, 1], [1, 0, 1], [2, 2, 0]]  # a mistake about c costs twice as much
    clf.set_params(cost_matrix=costs)
    assert clf.fit(X, y).tree_.error.tolist() == [5, 0, 2, 0, 0]
    assert_allclose(clf.feature_importances_, [3 / 5, 2 / 5])
    again = OptimalTreeClassifier.from_json(clf.to_json())
    assert_allclose(again.feature_importances_, [3 / 5, 2 / 5])


def test_a_needed_split_may_drop_nothing():
    clf = OptimalTreeClassifier(max_depth=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    assert sorted(clf.feature_importances_.tolist()) == [0.0, 1.0]


def test_a_single_leaf_has_zeros(table):
    X, y = table
    assert OptimalTreeClassifier(max_depth=0).fit(X, y).feature_importances_.tolist() == [0.0] * 6
    with pytest.raises(NotFittedError):
        _ = OptimalTreeClassifier().feature_importances_
    assert not hasattr(OptimalTreeClassifier(), "feature_importances_")


@pytest.mark.parametrize("seed", range(5))
def test_they_add_up_to_one_for_real_weights(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (30, 5)), rng.integers(0, 3, 30)
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y, rng.random(30) * 1e-8)
    found = clf.feature_importances_
    assert found.shape == (5,)
    assert (found >= 0).all()
    assert_allclose(found.sum(), 1.0)


def test_recursive_elimination_and_selection(table):
    X, y = table
    tree = OptimalTreeClassifier(max_depth=2)
    assert RFE(tree, n_features_to_select=2).fit(X, y).get_support(indices=True).tolist() == [1, 4]
    chosen = SelectFromModel(tree).fit(X, y)
    assert chosen.get_support(indices=True).tolist() == [1, 4]
    assert chosen.transform(X).shape == (200, 2)


def test_a_plot_of_a_series(table):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    X, y = table
    frame = pd.DataFrame(X, columns=list("pqrstu"))
    clf = OptimalTreeClassifier(max_depth=2).fit(frame, y)
    ax = pd.Series(clf.feature_importances_, clf.feature_names_in_).sort_values().plot.barh()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    pyplot.close("all")
    assert set(labels[-2:]) == {"q", "t"}


def test_categories_and_cross_validation():
    frame = pd.DataFrame({"colour": ["red", "blue"] * 10, "noise": np.arange(20) % 3})
    clf = OptimalTreeClassifier(max_depth=1).fit(frame, ["a", "b"] * 10)
    assert clf.feature_importances_.tolist() == [1.0, 0.0]
    X, y, _, _ = load_binarized("iris")
    cv = OptimalTreeClassifierCV(max_depths=(2,), leaf_penalties=(0.0,), cv=2)
    assert not hasattr(cv, "feature_importances_")
    cv.fit(X, y)
    assert_allclose(cv.feature_importances_, cv.best_estimator_.feature_importances_)
    assert not hasattr(cv.set_params(refit=False).fit(X, y), "feature_importances_")
