"""`Binarizer`: the tests of the columns, their answers and their names."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from beamtree import Binarizer, OptimalTreeClassifier
from beamtree._table.thresholds import (
    count_at_most,
    integer_midpoints,
    midpoints,
    quantile_cuts,
)

TABLE = pd.DataFrame(
    {
        "age": [20, 34, 35, np.nan],
        "colour": ["red", "blue", None, "red"],
        "smoker": ["no", "yes", "yes", "no"],
        "city": ["here"] * 4,
        "only": ["x", None, "x", "x"],
    }
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5)


@parametrize_with_checks([Binarizer(), Binarizer(max_thresholds=2, strategy="guess")])
def test_sklearn(estimator, check):
    check(estimator)


def test_words_and_answers():
    binarizer = Binarizer().fit(TABLE)
    answers = {
        "age <= 27": [1, 0, 0, 0],
        "age <= 34.5": [1, 1, 0, 0],
        "age is missing": [0, 0, 0, 1],
        "age <= 27 or missing": [1, 0, 0, 1],
        "age <= 34.5 or missing": [1, 1, 0, 1],
        "colour == blue": [0, 1, 0, 0],
        "colour == red": [1, 0, 0, 1],
        "colour is missing": [0, 0, 1, 0],
        "smoker == yes": [0, 1, 1, 0],
        "only is missing": [0, 1, 0, 0],
    }
    assert binarizer.get_feature_names_out().tolist() == [*answers]
    assert_array_equal(binarizer.transform(TABLE).T, [*answers.values()])
    assert binarizer.lossless_
    frame = binarizer.set_output(transform="pandas").transform(TABLE)
    assert frame["age is missing"].tolist() == [0, 0, 0, 1]


def test_unknown_categories_are_none_of_those_tested():
    binarizer = Binarizer().fit(TABLE)
    later = pd.DataFrame([[50, "green", "maybe", "there", "y"]], columns=TABLE.columns)
    assert not binarizer.transform(later).any()


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (2.4, 2.5, "x0 <= 2.45"),
        (30, 40, "x0 <= 35"),
        (1e-30, 3e-30, "x0 <= 2e-30"),
        (-3e20, -1e20, "x0 <= -2e+20"),
        (0, 2.0**24, "x0 <= 8388608"),
        (-1, 1, "x0 <= 0"),
    ],
)
def test_thresholds_in_words(low, high, words):
    assert Binarizer().fit([[low], [high]]).get_feature_names_out().tolist() == [words]


def test_names_of_neighbours_are_different():
    x = np.float32(0.1) + np.arange(4, dtype=np.float32) * np.spacing(np.float32(0.1))
    names = Binarizer().fit(x[:, np.newaxis]).get_feature_names_out()
    assert len(set(names)) == 3
    assert all(name.startswith("x0 <= 0.1") for name in names)


def test_names_can_be_given():
    names = Binarizer().fit([[1], [2]]).get_feature_names_out(["size"])
    assert names.tolist() == ["size <= 1.5"]


def test_names_of_neighbouring_doubles_are_different():
    x = 0.1 + np.arange(4) * np.spacing(0.1)
    names = Binarizer().fit(x[:, np.newaxis]).get_feature_names_out()
    assert len(set(names)) == 3


@given(arrays(np.float64, st.integers(1, 30), elements=FLOATS))
def test_a_threshold_separates_its_neighbours(values):
    values = np.unique(values)
    threshold = midpoints(values[:-1], values[1:])
    assert threshold.dtype == np.float64
    assert (values[:-1] <= threshold).all()
    assert (threshold < values[1:]).all()


@pytest.mark.parametrize(
    ("low", "high", "middle"),
    [
        (1.0, 2.0, 1.5),
        (0.1, float(np.nextafter(0.1, 1)), 0.1),
        (5e-324, 1e-323, 5e-324),  # subnormal neighbours
        (1.7e308, 1.79e308, 1.745e308),  # their sum overflows
        (-1.79e308, 1.79e308, 0.0),
        (-5e-324, 5e-324, 0.0),
    ],
)
def test_midpoints(low, high, middle):
    found = midpoints(np.array([low]), np.array([high]))
    assert found[0] == pytest.approx(middle, rel=1e-15, abs=0.0)
    assert low <= found[0] < high


@given(arrays(np.int64, st.integers(1, 30), elements=INTEGERS))
def test_an_integer_threshold_separates_its_neighbours(values):
    values = np.unique(values)
    low, high = values[:-1], values[1:]
    exact = integer_midpoints(low, high).tolist()
    pairs = zip(low.tolist(), high.tolist(), strict=True)
    assert exact == [(a + b) // 2 for a, b in pairs]
    threshold = midpoints(low, high)
    small = np.maximum(np.abs(low.astype(float)), np.abs(high.astype(float))) <= 2.0**53
    assert (low[small] <= threshold[small]).all()
    assert (threshold[small] < high[small]).all()


@given(st.lists(INTEGERS, unique=True, max_size=10).map(sorted), FLOATS, INTEGERS)
def test_counting_values_below_a_threshold(values, threshold, exact):
    integers = np.array(values, dtype=np.int64)
    assert count_at_most(integers, threshold) == sum(value <= threshold for value in values)
    assert count_at_most(integers, threshold, exact) == sum(value <= exact for value in values)
    assert count_at_most(integers, np.inf) == len(values)
    assert count_at_most(integers, 0.5, 2**70) == len(values)
    assert count_at_most(integers, 0.5, -(2**70)) == 0
    floats = np.unique(integers.astype(float))
    assert count_at_most(floats, threshold) == (floats <= threshold).sum()


@given(arrays(np.float64, st.integers(3, 200), elements=st.floats(1e-3, 1e3)), st.integers(1, 20))
def test_quantiles(weight, most):
    most = min(most, len(weight) - 2)
    cuts = quantile_cuts(weight, most)
    assert 1 <= len(cuts) <= most
    assert (np.diff(cuts) > 0).all()
    assert cuts[0] >= 0
    assert cuts[-1] <= len(weight) - 2
    # A part exceeds an equal share at most by the weight of the values at its two ends.
    parts = np.diff(np.concatenate([[0], np.cumsum(weight)[cuts], [weight.sum()]]))
    assert parts.max() <= weight.sum() / (most + 1) + 2 * weight.max() + 1e-9


def test_quantiles_divide_the_weight():
    x = np.arange(1000.0)[:, np.newaxis]
    binarizer = Binarizer(max_thresholds=9).fit(x)
    assert not binarizer.lossless_
    assert_array_equal(binarizer.tests_.threshold, np.arange(100, 1000, 100) - 0.5)
    weight = np.where(x[:, 0] < 100, 9.0, 1.0)
    binarizer.fit(x, sample_weight=weight)
    assert (binarizer.tests_.threshold < 100).sum() == 5


def test_a_heavy_value_does_not_reduce_the_thresholds():
    x = np.concatenate([np.zeros(900), np.arange(1.0, 101)])[:, np.newaxis]
    assert len(Binarizer(max_thresholds=10).fit(x).tests_) == 10


def test_a_column_with_few_values_is_lossless():
    x = np.arange(33.0)[:, np.newaxis]
    assert Binarizer().fit(x).lossless_
    more = np.arange(34.0)[:, np.newaxis]
    assert not Binarizer().fit(more).lossless_
    assert Binarizer(max_thresholds=None).fit(more).lossless_
    assert len(Binarizer(max_thresholds=None).fit(np.arange(500.0)[:, np.newaxis]).tests_) == 499


def test_many_thresholds_give_the_same_answers_as_few():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 1)).astype(np.float32)
    x[::7] = np.nan
    binarizer = Binarizer(max_thresholds=None).fit(x)
    tests = binarizer.tests_
    holds = (x <= tests.threshold) | (np.isnan(x) & (tests.missing_go_to_left == 1))
    known = len(np.unique(x[~np.isnan(x)]))
    assert len(tests) == 2 * known - 1
    assert tests.asks_if_missing[known - 1]
    holds[:, known - 1] = np.isnan(x[:, 0])
    assert_array_equal(binarizer.transform(x), holds)


def test_the_most_frequent_categories_are_kept():
    X = np.array([["a"]] * 5 + [["b"]] + [["c"]] * 3 + [["d"]] * 3)
    binarizer = Binarizer(max_thresholds=2).fit(X)
    assert binarizer.columns_.categories[0].tolist() == ["a", "c"]
    assert not binarizer.lossless_
    binarizer.fit(X, sample_weight=np.where(X[:, 0] == "b", 10, 1))
    assert binarizer.get_feature_names_out().tolist() == ["x0 == a", "x0 == b"]
    two = Binarizer(max_thresholds=1).fit([["a"], ["b"]])
    assert (two.get_feature_names_out().tolist(), two.lossless_) == (["x0 == b"], True)


def test_rows_of_weight_zero_are_dropped():
    X = pd.DataFrame({"n": [1, 2, 9, np.nan], "t": ["a", "b", "c", None]})
    binarizer = Binarizer().fit(X, sample_weight=[1, 1, 0, 0])
    assert binarizer.get_feature_names_out().tolist() == ["n <= 1.5", "t == b"]


def test_weights_act_as_repeated_rows():
    rng = np.random.default_rng(1)
    X, weight = rng.normal(size=(300, 2)), rng.integers(0, 4, 300)
    weighted = Binarizer(max_thresholds=7).fit(X, sample_weight=weight)
    repeated = Binarizer(max_thresholds=7).fit(np.repeat(X, weight, axis=0))
    assert_array_equal(weighted.tests_.threshold, repeated.tests_.threshold)


def test_guessed_thresholds_are_near_the_true_ones():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(2000, 3))
    X[::50, 2] = np.nan
    y = (X[:, 0] > 0.731) ^ (X[:, 1] > 0.2)
    binarizer = Binarizer(max_thresholds=4, strategy="guess").fit(X, y)
    assert not binarizer.lossless_
    assert np.bincount(binarizer.tests_.column)[:2].max() <= 4
    assert np.bincount(binarizer.tests_.column)[2] <= 9  # two tests per threshold, and one more
    for column, place in ((0, 0.731), (1, 0.2)):
        found = binarizer.tests_.threshold[binarizer.tests_.column == column]
        assert np.abs(found - place).min() < 0.005
    again = Binarizer(max_thresholds=4, strategy="guess").fit(X, y)
    assert_array_equal(again.tests_.threshold, binarizer.tests_.threshold)
    one = Binarizer(strategy="guess").fit(X, np.zeros(2000))
    assert one.get_feature_names_out().tolist() == ["x2 is missing"]


def test_in_a_pipeline():
    y = [0, 1, 1, 1]
    model = make_pipeline(Binarizer(), OptimalTreeClassifier(max_depth=2)).fit(TABLE, y)
    assert model.predict(TABLE).tolist() == y


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_thresholds": 0}, "max_thresholds must be None or an integer of at least 1, got 0"),
        ({"max_thresholds": 2.5}, "max_thresholds must be None or an integer of at least 1, got"),
        ({"strategy": "mean"}, "strategy must be 'quantile' or 'guess', got 'mean'"),
        ({"strategy": "guess"}, "strategy='guess' requires y to be passed"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        Binarizer(**parameters).fit([[1], [2]])


def test_unfitted():
    for method in (Binarizer().get_feature_names_out, lambda: Binarizer().transform([[1]])):
        with pytest.raises(NotFittedError):
            method()


def test_more_categories_than_are_tested():
    ids = np.array([f"customer {i}" for i in range(20_000)], dtype=object)
    binarizer = Binarizer().fit(ids[:, np.newaxis])
    assert len(binarizer.tests_) == len(binarizer.columns_.categories[0]) == 32
    assert not binarizer.lossless_
