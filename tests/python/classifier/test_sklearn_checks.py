"""scikit-learn's own checks of the classifiers."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV


@parametrize_with_checks([OptimalTreeClassifier(max_depth=3, time_limit=1.0)])
def test_classifier(estimator, check):
    check(estimator)


# Some checks have a label with a single row, about which the folds rightly warn.
@pytest.mark.filterwarnings("ignore:The least populated class in y has only 1 members")
@parametrize_with_checks(
    [
        OptimalTreeClassifierCV(max_depths=(1, 2), time_limit=1.0, cv=2),
        OptimalTreeClassifierCV(max_depths=(0, 2), leaf_penalties=(0.0, 0.1), cv=2),
    ]
)
def test_cross_validation(estimator, check):
    check(estimator)
