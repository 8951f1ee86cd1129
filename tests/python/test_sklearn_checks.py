"""scikit-learn's own checks, on a classifier that cuts their numbers at zero first.

The checks feed arbitrary numbers, which the classifier refuses, so the step that reads zeros and
ones is replaced by one that makes them.
"""

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

import beamtree._predictor
import beamtree._validation
from beamtree import OptimalTreeClassifier, OptimalTreeClassifierCV


def cut(X, _names=None):
    return np.ascontiguousarray(X.astype(float) > 0.0).view(np.uint8)


@parametrize_with_checks(
    [
        OptimalTreeClassifier(max_depth=3, time_limit=1.0),
        OptimalTreeClassifierCV(max_depths=(1, 2), time_limit=1.0, cv=3),
        OptimalTreeClassifierCV(max_depths=(0, 2), leaf_penalties=(0.0, 0.1), cv=2),
    ]
)
def test_sklearn(estimator, check, monkeypatch):
    for module in (beamtree._validation, beamtree._predictor):
        monkeypatch.setattr(module, "as_binary", cut)
    check(estimator)
