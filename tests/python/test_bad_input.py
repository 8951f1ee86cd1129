"""What is wrong is named: parameter, value, column, and what is allowed."""

import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError

from beamtree import OptimalTreeClassifier

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
Y = np.array([0, 1, 1, 0])
INTEGER_DEPTH = "max_depth must be an integer from 0 to 20, got "
LEAF_SIZE = (
    "min_samples_leaf must be an integer of at least 1, or a share of the rows between 0 and 1, "
    "got "
)
PENALTY = "leaf_penalty must be a finite number of at least 0, got "
RULE = (
    "rule must be None, 'auto', 'discrepancy', 'top-k', 'top-k-star', 'gain', 'purity', or an "
    "object of beamtree.rules, got "
)
SCHEDULE = (
    "schedule must be 'monotonic', 'exponential', 'luby', or an object of beamtree.schedules, "
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
        ("max_depth", None, INTEGER_DEPTH + "None"),
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
        ("exact_levels", 4, "exact_levels must be an integer from 0 to 3, got 4"),
        ("time_limit", -1, SECONDS + "-1"),
        ("time_limit", np.nan, SECONDS + "nan"),
        ("time_limit", "60", SECONDS + "'60'"),
        ("verbose", -1, "verbose must be a bool or an integer of at least 0, got -1"),
    ],
)
def test_parameters(name, value, message):
    clf = OptimalTreeClassifier(**{name: value})
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        clf.fit("not looked at before the parameters are", None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_depth", np.int64(2)),
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


NOT_BINARY = "features must be 0 or 1 (or False and True), but column "


@pytest.mark.parametrize(
    ("value", "dtype", "shown"),
    [
        (2, np.uint8, "2"),
        (-1, np.int64, "-1"),
        (2**40, np.int64, str(2**40)),
        (0.5, np.float64, "0.5"),
        (1 + 1e-7, np.float32, repr(float(np.float32(1 + 1e-7)))),
        (7, object, "7"),
        ("1", object, "'1'"),
        ("yes", object, "'yes'"),
        ("1", str, "'0'"),
    ],
)
def test_other_values_name_column_row_and_value(value, dtype, shown):
    data = X.astype(dtype)
    data[2, 1] = value
    first = (0, 0) if dtype is str else (2, 1)
    message = f"{NOT_BINARY}{first[1]} of X has the value {shown} in row {first[0]}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        OptimalTreeClassifier().fit(data, Y)
    if dtype is not str:
        fitted = OptimalTreeClassifier().fit(X, Y)
        with pytest.raises(ValueError, match=re.escape(message)):
            fitted.predict(data)


def test_other_values_name_the_frame_s_column():
    frame = pd.DataFrame(X.copy(), columns=["smoker", "age"])
    frame.loc[3, "age"] = 44
    message = f"{NOT_BINARY}'age' of X has the value 44 in row 3"
    with pytest.raises(ValueError, match=re.escape(message)):
        OptimalTreeClassifier().fit(frame, Y)


def test_other_values_far_down_are_found():
    data = np.zeros((10_000, 3))
    data[9_876, 2] = 0.25
    message = f"{NOT_BINARY}2 of X has the value 0.25 in row 9876"
    with pytest.raises(ValueError, match=re.escape(message)):
        OptimalTreeClassifier().fit(data, np.arange(10_000) % 2)


@pytest.mark.parametrize(
    ("bad_X", "bad_y", "message"),
    [
        (np.where(X == 0, np.nan, 1.0), Y, "contains NaN"),
        (np.where(X == 0, np.inf, 1.0), Y, "contains infinity"),
        (pd.DataFrame(X).astype(object).where(X == 0, None), Y, "has the value None"),
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
def test_data(bad_X, bad_y, message):
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier().fit(bad_X, bad_y)


def test_sparse_data_is_refused():
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        OptimalTreeClassifier().fit(scipy.sparse.csr_matrix(X), Y)
    assert not OptimalTreeClassifier().__sklearn_tags__().input_tags.sparse


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -1, 1, 1], "Negative values in data passed to `sample_weight`"),
        ([1, np.nan, 1, 1], "sample_weight contains NaN"),
        ([1, np.inf, 1, 1], "sample_weight contains infinity"),
        ([0, 0, 0, 0], "ample.weight"),
        ([1, 1, 1], r"sample_weight.shape == \(3,\), expected \(4,\)"),
        ([[1], [1], [1], [1]], "Sample weights must be 1D array"),
        ([1e300] * 4, "the sum of the sample weights must lie between 1e-290 and 1e290"),
    ],
)
def test_weights(weight, message):
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
