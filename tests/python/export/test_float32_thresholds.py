"""Thresholds for float32 systems separate the training values, or the export is refused."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from beamtree.export import to_onnx, to_sklearn
from beamtree.export._float32_thresholds import float32_threshold
from tests.python.export.shown_trees import (
    encoded,
    exact_tree,
    grown,
    number_columns,
    split,
    tree_of,
)

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
INTEGERS = st.integers(-(2**63), 2**64 - 1)


def single(value):
    with np.errstate(over="ignore", under="ignore"):
        return np.array(value).astype(np.float32)[()]


def stump(below, above, **test):
    nodes = [
        {"feature": 0, **split(below, above), **test, "left": 1, "right": 2, "weights": [1, 1]},
        {"feature": -2, "threshold": -2.0, "left": -1, "right": -1, "weights": [1, 0]},
        {"feature": -2, "threshold": -2.0, "left": -1, "right": -1, "weights": [0, 1]},
    ]
    return grown(number_columns(1), tree_of(nodes, 1), [0, 1])


@given(FLOATS, FLOATS)
@example(0.0, 5e-324)
@example(1e300, 1e308)
@example(0.0, 1e308)
def test_floats(low, high):
    assume(low != high)
    separates(min(low, high), max(low, high))


@given(INTEGERS, INTEGERS)
@example(2**24, 2**24 + 1)
@example(2**24, 2**24 + 2)
def test_integers(low, high):
    assume(low != high)
    separates(min(low, high), max(low, high))


@given(INTEGERS, st.integers(1, 10))
def test_close_integers(low, distance):
    assume(low + distance < 2**64)
    separates(low, low + distance)


def separates(below, above):
    found = float32_threshold(split(below, above)["threshold"], below, above)
    ways = [(single(below), single(above)), (single(float(below)), single(float(above)))]
    if found is None:
        assert max(low for low, _ in ways) >= min(high for _, high in ways)
        return
    assert np.float32(found) == found
    for low, high in ways:
        assert low <= found < high


@pytest.mark.parametrize(
    ("below", "above"),
    [
        (20240115, 20240116),
        (10**17 + 5, 10**17 + 6),
        (0.1, float(np.nextafter(0.1, 1))),
        (1e300, 2e300),
    ],
)
def test_the_error_names_the_column_and_the_values(below, above):
    clf = stump(below, above)
    words = "separates two values of column 'x0' that are the same float32: "
    for export in (to_sklearn, to_onnx):
        if export is to_onnx:
            pytest.importorskip("onnx")
        with pytest.raises(ValueError, match=words) as caught:
            export(clf)
        numbers = str(caught.value).split("float32: ")[1].split(". Subtract")[0].split(" and ")
        assert [type(below)(number) for number in numbers] == [below, above]


def test_neighbouring_float32_numbers_are_separated():
    below = np.float32(0.1)
    above = np.nextafter(below, np.float32(1))
    twin = to_sklearn(stump(float(below), float(above)))
    assert_array_equal(twin.predict([[float(below)], [float(above)]]), [0, 1])


def test_without_neighbours_thresholds_are_rounded_down():
    unknown = {"value_below": None, "value_above": None}
    threshold = to_sklearn(stump(0.0, 0.2, **unknown)).tree_.threshold[0]
    assert threshold == np.nextafter(np.float32(0.1), np.float32(0))
    assert to_sklearn(stump(0.0, 1.0, **unknown)).tree_.threshold[0] == 0.5


@pytest.mark.parametrize("missing_go_to_left", [0, 1])
def test_missing_values_go_to_the_same_side(missing_go_to_left):
    clf = stump(0.0, 1.0, missing_go_to_left=missing_go_to_left)
    X = [[0.0], [np.nan], [1.0]]
    assert to_sklearn(clf).predict(X).tolist() == [0, 1 - missing_go_to_left, 1]
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(to_onnx(clf).SerializeToString())
    (label,) = session.run(["label"], {"X": np.array(X, dtype=np.float32)})
    assert label.tolist() == [0, 1 - missing_go_to_left, 1]


def test_trees_that_need_more_than_float32_are_refused():
    clf, rows = exact_tree(0)
    assert len(encoded(clf.columns_, rows)) == 3
    with pytest.raises(ValueError, match="scikit-learn compares float32 numbers"):
        to_sklearn(clf)
