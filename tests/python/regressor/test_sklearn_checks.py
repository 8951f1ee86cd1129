"""scikit-learn's own checks of the regressors."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from beamtree import OptimalTreeRegressor, OptimalTreeRegressorCV


@parametrize_with_checks(
    [
        OptimalTreeRegressor(max_depth=3, time_limit=1.0),
        OptimalTreeRegressorCV(max_depths=(0, 2), leaf_penalties=(0.0, 0.1), cv=2),
    ]
)
def test_regressors(estimator, check):
    check(estimator)
