"""scikit-learn's own checks of the classifier."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV


@parametrize_with_checks(
    [
        OptimalTreeClassifier(max_depth=3, time_limit=1.0),
        OptimalTreeClassifierCV(max_depths=(1, 2), time_limit=1.0, cv=3),
        OptimalTreeClassifierCV(max_depths=(0, 2), leaf_penalties=(0.0, 0.1), cv=2),
    ]
)
def test_sklearn(estimator, check):
    check(estimator)
