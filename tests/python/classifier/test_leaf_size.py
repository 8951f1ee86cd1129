"""`min_samples_leaf` as a number of rows, or as a share of the rows."""

from math import ceil

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from beamtree import OptimalTreeClassifier, Search
from tests import oracle


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (75, 6))
    return X, np.where(rng.random(75) < 0.3, rng.integers(0, 2, 75), X[:, 0] ^ X[:, 1])


@pytest.mark.parametrize("share", [0.004, 0.04, 0.1, 0.25, 0.3, np.float32(0.5), 0.6])
def test_a_share_is_rounded_up(noisy, share):
    X, y = noisy
    rows = ceil(share * len(y))
    clf = OptimalTreeClassifier(max_depth=3, min_samples_leaf=share).fit(X, y)
    same = OptimalTreeClassifier(max_depth=3, min_samples_leaf=rows).fit(X, y)
    assert clf.objective_ == same.objective_ == oracle.best(X, y, None, 2, 3, rows)
    leaves = clf.tree_.feature < 0
    assert clf.tree_.n_node_samples[leaves].min() >= rows
    greedy = DecisionTreeClassifier(max_depth=3, min_samples_leaf=float(share)).fit(X, y)
    assert clf.n_errors_ <= (greedy.predict(X) != y).sum()


def test_a_share_means_the_decimals_that_were_written():
    """As doubles, 0.07 * 100 is more than 7, which would forbid this split."""
    X = np.repeat([[0], [1]], [7, 93], axis=0)
    clf = OptimalTreeClassifier(max_depth=1, min_samples_leaf=0.07).fit(X, X[:, 0])
    assert clf.get_n_leaves() == 2


def test_rows_of_weight_zero_do_not_count():
    X = np.repeat([[0], [1]], [2, 18], axis=0)
    weight = np.ones(20)
    clf = OptimalTreeClassifier(max_depth=1, min_samples_leaf=0.2)
    assert clf.fit(X, X[:, 0], weight).get_n_leaves() == 1
    weight[10:] = 0
    assert clf.fit(X, X[:, 0], weight).get_n_leaves() == 2


def test_a_share_is_saved(noisy, tmp_path):
    X, y = noisy
    search = Search(X, y, max_depth=4, min_samples_leaf=0.1)
    search.step()
    search.save(tmp_path / "search")
    loaded = Search.load(tmp_path / "search", X, y)
    assert loaded.parameters["min_samples_leaf"] == 0.1
    assert loaded.run().objective == search.run().objective


def test_a_warm_start_distinguishes_shares(noisy):
    X, y = noisy
    clf = OptimalTreeClassifier(max_depth=3, min_samples_leaf=0.3, warm_start=True).fit(X, y)
    for share in (0.1, 0.3):
        fresh = OptimalTreeClassifier(max_depth=3, min_samples_leaf=share).fit(X, y)
        assert clf.set_params(min_samples_leaf=share).fit(X, y).objective_ == fresh.objective_


def test_more_rows_than_any_float_can_count(noisy):
    assert OptimalTreeClassifier(min_samples_leaf=10**400).fit(*noisy).get_n_leaves() == 1
