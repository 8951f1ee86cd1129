"""Errors name the parameter or the column, its value, and what is allowed."""

import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from beamtree import OptimalTreeClassifier

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
Y = np.array([0, 1, 1, 0])
INTEGER_DEPTH = "max_depth must be None or an integer from 0 to 20, got "
LEAF_SIZE = (
    "min_samples_leaf must be an integer of at least 1, or a share of the rows between 0 and 1, "
    "got "
)
LEAVES = "max_leaf_nodes must be None or an integer of at least 1, got "
PENALTY = "leaf_penalty must be a finite number of at least 0, got "
RULE = (
    "rule must be None, 'auto', 'discrepancy', 'top-k', 'top-k-star', 'gain', 'purity', or an "
    "object of beamtree.rules, got "
)
SCHEDULE = (
    "schedule must be 'monotonic', 'exponential', 'luby', an object of beamtree.schedules, "
    "or increasing numbers of at least 0, got "
)
HEURISTIC = (
    "heuristic must be 'auto', 'information_gain', 'gain_ratio', 'gini', 'error', 'lookahead', "
    "'given', or an object of beamtree.heuristics, got "
)
SECONDS = "time_limit must be None or a number of seconds of at least 0, got "


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("max_depth", -1, INTEGER_DEPTH + "-1"),
        ("max_depth", 21, INTEGER_DEPTH + "21"),
        ("max_depth", 2.0, INTEGER_DEPTH + "2.0"),
        ("max_depth", True, INTEGER_DEPTH + "True"),
        ("max_depth", "4", INTEGER_DEPTH + "'4'"),
        ("min_samples_leaf", 0, LEAF_SIZE + "0"),
        ("min_samples_leaf", 0.0, LEAF_SIZE + "0.0"),
        ("min_samples_leaf", 1.0, LEAF_SIZE + "1.0"),
        ("min_samples_leaf", -0.1, LEAF_SIZE + "-0.1"),
        ("min_samples_leaf", -2, LEAF_SIZE + "-2"),
        ("min_samples_leaf", np.nan, LEAF_SIZE + "nan"),
        ("min_samples_leaf", True, LEAF_SIZE + "True"),
        ("leaf_penalty", -0.1, PENALTY + "-0.1"),
        ("leaf_penalty", np.inf, PENALTY + "inf"),
        ("leaf_penalty", np.nan, PENALTY + "nan"),
        ("leaf_penalty", None, PENALTY + "None"),
        ("rule", "beam", RULE + "'beam'"),
        ("rule", 3, RULE + "3"),
        ("rule", ["gain"], RULE + "['gain']"),
        ("schedule", "fast", SCHEDULE + "'fast'"),
        ("schedule", None, SCHEDULE + "None"),
        ("schedule", (2, 1), SCHEDULE + "(2, 1)"),
        ("schedule", [], SCHEDULE + "[]"),
        ("heuristic", "entropy", HEURISTIC + "'entropy'"),
        ("heuristic", None, HEURISTIC + "None"),
        ("node_limit", 0, "node_limit must be None or an integer of at least 1, got 0"),
        ("node_limit", 1e6, "node_limit must be None or an integer of at least 1, got 1000000.0"),
        ("max_thresholds", 0, "max_thresholds must be None or an integer of at least 1, got 0"),
        (
            "max_thresholds",
            "all",
            "max_thresholds must be None or an integer of at least 1, got 'all'",
        ),
        ("max_leaf_nodes", 0, LEAVES + "0"),
        ("max_leaf_nodes", 2.0, LEAVES + "2.0"),
        ("max_leaf_nodes", True, LEAVES + "True"),
        ("tie_break", "least", "tie_break must be 'any', 'small' or 'smallest', got 'least'"),
        ("tie_break", None, "tie_break must be 'any', 'small' or 'smallest', got None"),
        ("exact_levels", 4, "exact_levels must be an integer from 0 to 3, got 4"),
        ("time_limit", -1, SECONDS + "-1"),
        ("time_limit", np.nan, SECONDS + "nan"),
        ("time_limit", "60", SECONDS + "'60'"),
        ("verbose", -1, "verbose must be a bool or an integer of at least 0, got -1"),
    ],
)
def test_wrong_parameters(name, value, message):
    clf = OptimalTreeClassifier(**{name: value})
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        clf.fit("not looked at before the parameters are", None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_depth", np.int64(2)),
        ("max_leaf_nodes", np.int64(3)),
        ("max_leaf_nodes", 10**30),
        ("min_samples_leaf", np.uint8(1)),
        ("leaf_penalty", 0),
        ("leaf_penalty", np.float32(0.25)),
        ("time_limit", np.float64(5)),
        ("node_limit", np.int64(10**6)),
        ("node_limit", 10**30),
        ("schedule", (np.int64(0), np.float32(2))),
        ("verbose", False),
    ],
)
def test_numbers_of_numpy_are_numbers(name, value):
    assert OptimalTreeClassifier(**{name: value}).fit(X, Y).status_ == "optimal"


@pytest.mark.parametrize(
    ("bad_X", "bad_y", "message"),
    [
        (np.where(X == 0, np.inf, 1.0), Y, "contains infinity"),
        (X * 1j, Y, "Complex data not supported"),
        (X[:0], Y[:0], "0 sample"),
        (X[:, :0], Y, r"0 feature\(s\)"),
        (X[:, 0], Y, "Expected 2D array, got 1D array"),
        (X, Y[:3], "inconsistent numbers of samples"),
        (X, None, "requires y to be passed"),
        (X, [0.5, 1.5, 0.25, 1.0], "Unknown label type: continuous"),
        (X, [0, np.nan, 1, 1], "contains NaN"),
        (X, np.eye(4), "should be a 1d array"),
    ],
)
def test_wrong_data(bad_X, bad_y, message):
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier().fit(bad_X, bad_y)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1, 1, 1], "Negative values in data passed to `sample_weight`"),
        ([1, np.nan, 1, 1], "sample_weight contains NaN"),
        ([1, np.inf, 1, 1], "sample_weight contains infinity"),
        ([0, 0, 0, 0], "ample.weight"),
        ([1, 1, 1], r"sample_weight.shape == \(3,\), expected \(4,\)"),
        ([[1], [1], [1], [1]], "Sample weights must be 1D array"),
        ([1e300] * 4, "the sum of the sample weights must be between 1e-290 and 1e290"),
    ],
)
def test_wrong_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier().fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path", "score"])
def test_unfitted(method):
    arguments = (X, Y) if method == "score" else (X,)
    with pytest.raises(NotFittedError):
        getattr(OptimalTreeClassifier(), method)(*arguments)
    with pytest.raises(NotFittedError):
        OptimalTreeClassifier().get_depth()


def test_other_columns_at_predict():
    clf = OptimalTreeClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2 features"):
        clf.predict(np.zeros((1, 3)))


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_labels_that_are_missing_are_named(nothing):
    y = np.array(["a", "b", nothing], dtype=object)
    with pytest.raises(
        ValueError, match="y must have a label in every row, and the label of row 2 is missing"
    ):
        OptimalTreeClassifier().fit([[0], [1], [1]], y)


def test_missing_labels_of_pandas_are_named():
    pd = pytest.importorskip("pandas")
    y = pd.Series(["a", None, "b"], dtype="string")
    with pytest.raises(ValueError, match="the label of row 1 is missing"):
        OptimalTreeClassifier().fit([[0], [1], [1]], y)
