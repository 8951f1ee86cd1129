"""scikit-learn's own checks of the classifier."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from beamtree import OptimalTreeClassifier


@parametrize_with_checks([OptimalTreeClassifier(max_depth=3, time_limit=1.0)])
def test_sklearn(estimator, check):
    check(estimator)
