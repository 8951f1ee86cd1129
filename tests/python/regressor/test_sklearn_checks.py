"""scikit-learn's own checks of the regressor."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from beamtree import OptimalTreeRegressor


@parametrize_with_checks([OptimalTreeRegressor(max_depth=3, time_limit=1.0)])
def test_regressor(estimator, check):
    check(estimator)
