"""The policy tree passes the checks of scikit-learn that apply to it."""

import numpy as np
import scipy.sparse
from numpy.testing import assert_array_equal
from sklearn.utils.estimator_checks import parametrize_with_checks

from beamtree import OptimalPolicyTree, OptimalPolicyTreeCV

# The checks of sparse tables want predictions with one column per column of y from estimators of
# several outputs. A policy has one action per row, however many rewards a row has; the test below
# checks sparse tables instead.
OF_OUTPUTS = "predict returns one action per row, and not one value per reward"
DO_NOT_APPLY = dict.fromkeys(
    ["check_estimator_sparse_matrix", "check_estimator_sparse_array"], OF_OUTPUTS
)


@parametrize_with_checks(
    [
        OptimalPolicyTree(),
        OptimalPolicyTreeCV(max_depths=(0, 2), leaf_penalties=(0.0, 0.1), cv=2),
    ],
    expected_failed_checks=lambda _: DO_NOT_APPLY,
)
def test_sklearn_checks(estimator, check):
    check(estimator)


def test_sparse_tables():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    rewards = rng.integers(-3, 4, (60, 3))
    policy = OptimalPolicyTree(max_depth=2).fit(X, rewards)
    for kind in (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array):
        other = OptimalPolicyTree(max_depth=2).fit(kind(X), rewards)
        assert other.reward_ == policy.reward_
        assert_array_equal(other.predict(kind(X)), other.predict(X))
        assert other.predict(kind(X)).shape == (60,)
