"""Numbers keep their values: rows are separated exactly as the search has counted them."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.tree import DecisionTreeClassifier

from beamtree import Binarizer, OptimalTreeClassifier, Search
from beamtree._table.ranks import rank_values
from beamtree._table.training_data import read_rows, training_data
from tests.oracle import best

pl = pytest.importorskip("polars")
NEXT = np.nextafter(0.1, [0.0, 1.0]).tolist()
# Numbers that a smaller type, or a careless midpoint, would confuse.
FLOATS = [0.1, *NEXT, 0.0, -0.0, 5e-324, -5e-324, 1e-323, 1.7e308, 1.79e308, -1.79e308, 2.0**53]
SIGNED = [
    10**17 + 1,
    10**17 + 2,
    10**17 + 3,
    2**53,
    2**53 + 1,
    -(2**63),
    2**63 - 1,
    2**63 - 2,
    0,
    1,
]
UNSIGNED = [2**64 - 1, 2**64 - 2, 2**63, 2**63 - 1, 0, 1]
DAYS = [20240101, 20240115, 20240116, 20240131]


@st.composite
def columns(draw):
    """Draw a table of numbers of different types, as a list of columns of equal length."""
    n_rows = draw(st.integers(1, 12))
    kinds = draw(
        st.lists(st.sampled_from([FLOATS, SIGNED, UNSIGNED, DAYS]), min_size=1, max_size=2)
    )
    drawn = []
    for kind in kinds:
        values = st.sampled_from(draw(st.sampled_from([kind, [*kind, None, None]])))
        drawn.append(draw(st.lists(values, min_size=n_rows, max_size=n_rows)))
    return drawn


def as_objects(drawn):
    return np.array(list(zip(*drawn, strict=True)), dtype=object)


def as_pandas(drawn):
    frame = {}
    for j, values in enumerate(drawn):
        known = [value for value in values if value is not None]
        kind = "Float64" if any(isinstance(value, float) for value in known) else "Int64"
        kind = "UInt64" if kind == "Int64" and max(known, default=0) >= 2**63 else kind
        frame[f"c{j}"] = pd.array([pd.NA if v is None else v for v in values], dtype=kind)
    return pd.DataFrame(frame)


def as_polars(drawn):
    schema = {}
    for j, values in enumerate(drawn):
        known = [value for value in values if value is not None]
        kind = pl.Float64 if any(isinstance(value, float) for value in known) else pl.Int64
        schema[f"c{j}"] = pl.UInt64 if kind == pl.Int64 and max(known, default=0) >= 2**63 else kind
    return pl.DataFrame({f"c{j}": values for j, values in enumerate(drawn)}, schema=schema)


def every_test(drawn):
    """Return the answers to all possible tests; Python compares integers and floats exactly."""
    answers = []
    for values in drawn:
        known = {value for value in values if value is not None}
        answers += [[v is not None and v <= t for v in values] for t in known]
        answers += [[v is None or v <= t for v in values] for t in known]
        answers.append([value is None for value in values])
    return [[int(answer[i]) for answer in answers] for i in range(len(drawn[0]))]


@given(columns(), st.data(), st.integers(1, 2), st.sampled_from([as_objects, as_pandas, as_polars]))
def test_rows_are_separated_as_the_search_counted(drawn, data, depth, make):
    n_rows = len(drawn[0])
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)))
    X = make(drawn)
    clf = OptimalTreeClassifier(max_depth=depth, max_thresholds=None).fit(X, y)
    assert clf.status_ == "optimal"
    assert clf.search_space_.lossless
    assert clf.objective_ == best(every_test(drawn), y.tolist(), None, 3, depth, 1)
    for fitted in (clf, pickle.loads(pickle.dumps(clf)), type(clf).from_json(clf.to_json())):
        assert (fitted.predict(X) != y).sum() == clf.objective_
    leaves = clf.tree_.feature < 0
    counted = np.bincount(clf.apply(X), minlength=clf.tree_.node_count)
    assert_array_equal(counted[leaves], clf.tree_.n_node_samples[leaves])
    bits = Binarizer(max_thresholds=None).fit(X)
    assert len(bits.tests_) == clf.search_space_.n_tests
    assert len(set(bits.get_feature_names_out())) == len(bits.tests_)


@given(columns(), st.data(), st.integers(1, 3))
def test_bounded_thresholds_and_trees_to_start_from(drawn, data, most):
    n_rows = len(drawn[0])
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows)))
    X = as_objects(drawn)
    whole = OptimalTreeClassifier(max_depth=2, max_thresholds=None).fit(X, y)
    few = OptimalTreeClassifier(max_depth=2, max_thresholds=most).fit(X, y)
    assert (few.predict(X) != y).sum() == few.objective_ >= whole.objective_
    # With the tests of the tree to start from, the bounded search has the tree itself.
    again = OptimalTreeClassifier(max_depth=2, max_thresholds=most, init=whole, time_limit=0)
    again.fit(X, y)
    assert (again.predict(X) != y).sum() == again.objective_ == whole.objective_


@given(columns(), st.data())
def test_training_ranks_are_those_of_the_tests(drawn, data):
    most = data.draw(st.none() | st.integers(1, 3))
    X = as_objects(drawn)
    binarizer = Binarizer(max_thresholds=most).fit(X)
    answers = binarizer.transform(X)
    for test in range(len(binarizer.tests_)):
        tests = binarizer.tests_
        values = drawn[tests.column[test]]
        exact = tests.exact_threshold[test]
        limit = tests.threshold[test] if exact is None else exact
        left = bool(tests.missing_go_to_left[test])
        holds = [left if value is None else bool(value <= limit) for value in values]
        if tests.asks_if_missing[test]:
            holds = [value is None for value in values]
        assert answers[:, test].tolist() == holds


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (range(20240101, 20240132), [day >= 20240116 for day in range(20240101, 20240132)]),
        ([10**17 + i for i in range(40)], [i >= 17 for i in range(40)]),
        ([2**64 - 40 + i for i in range(40)], [i >= 17 for i in range(40)]),
        ([0.1 + i * 2.0**-56 for i in range(40)], [i >= 17 for i in range(40)]),
        ([i * 5e-324 for i in range(40)], [i >= 17 for i in range(40)]),
        ([1.79e308, 1.78e308, -1.79e308, -1.78e308], [1, 1, 0, 0]),
    ],
    ids=["days", "accounts", "unsigned", "doubles", "subnormal", "huge"],
)
@pytest.mark.parametrize("make", [np.array, list, pd.DataFrame, pl.DataFrame])
def test_values_that_float32_confuses(values, labels, make):
    X = make([[value] for value in values])
    if isinstance(X, pl.DataFrame):
        kind = pl.UInt64 if max(values) >= 2**63 and isinstance(values[0], int) else None
        X = pl.DataFrame({"x": pl.Series(list(values), dtype=kind)})
    clf = OptimalTreeClassifier(max_depth=1, max_thresholds=None).fit(X, labels)
    assert (clf.status_, clf.n_errors_) == ("optimal", 0)
    assert_array_equal(clf.predict(X), labels)


def test_the_side_of_missing_values_is_chosen():
    x = np.array([1, 2, 3, np.nan, np.nan, 5, 6, 7])[:, np.newaxis]
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    for labels, left in ((y, 1), (np.where(np.isnan(x[:, 0]), 1, y), 0)):
        clf = OptimalTreeClassifier(max_depth=1).fit(x, labels)
        assert (clf.status_, clf.n_errors_) == ("optimal", 0)
        assert clf.tree_.missing_go_to_left[0] == left
        assert_array_equal(clf.predict(x), labels)
        assert DecisionTreeClassifier(max_depth=1).fit(x, labels).score(x, labels) == 1.0
    alternatives = OptimalTreeClassifier(max_depth=1).fit(x, y).alternatives_
    assert alternatives[0].test == "x0 <= 4 or missing?"
    assert len({one.test for one in alternatives}) == len(alternatives)


def test_missing_values_of_columns_that_had_none_go_right():
    clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    assert clf.predict([[np.nan]]).tolist() == [1]
    integers = OptimalTreeClassifier(max_depth=1).fit([[1], [2], [3]], [0, 0, 1])
    assert integers.predict([[None], [2.25], [2.75], [True]]).tolist() == [1, 0, 1, 0]


def test_zeros_of_both_signs_are_equal():
    X = np.array([[0.0], [-0.0], [0.0], [-0.0], [2.0]])
    clf = OptimalTreeClassifier(max_depth=1, max_thresholds=None).fit(X, [0, 1, 0, 0, 1])
    assert clf.search_space_.n_tests == 1
    assert clf.n_errors_ == 1
    assert str(clf.tree_.value_below[0]) == "0.0"


def test_integers_of_fit_may_be_floats_later_if_they_are_small():
    X = np.arange(10)[:, np.newaxis]
    y = X[:, 0] > 4
    clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert clf.tree_.exact_threshold[0] == 4
    assert clf.tree_.threshold[0] == 4.5
    assert_array_equal(clf.predict(X.astype(float)), y)
    frame = pd.DataFrame(X.astype(float))
    assert_array_equal(clf.predict(frame.to_numpy(object)), y)
    wide = OptimalTreeClassifier(max_depth=1).fit(X + 2**53, y)
    with pytest.raises(ValueError, match="column 0 of X must have integers, as it had in fit"):
        wide.predict((X + 2**53).astype(float))
    assert_array_equal(wide.predict(np.full((2, 1), None, dtype=object)), [True, True])


def test_checkpoints_and_warm_starts(tmp_path):
    rng = np.random.default_rng(0)
    X = np.ma.masked_array(10**17 + rng.integers(0, 60, (80, 3)), rng.random((80, 3)) < 0.2)
    y = rng.integers(0, 3, 80)
    first = OptimalTreeClassifier(max_depth=3, max_thresholds=None).fit(X, y)
    init = Search(X, y, max_depth=3, max_thresholds=4, init=first)
    assert init.step(0).objective == first.objective_
    init.save(tmp_path / "file")
    found = Search.load(tmp_path / "file", X, y).run()
    assert (found.status, found.objective) == ("optimal", first.objective_)
    clf = OptimalTreeClassifier(
        max_depth=3, max_thresholds=4, init=first, warm_start=True, time_limit=0
    )
    assert clf.fit(X, y).objective_ == first.objective_
    assert clf.set_params(time_limit=60).fit(X, y).status_ == "optimal"
    other = X.copy()
    other[0, 0] = np.ma.masked if not np.ma.getmaskarray(X)[0, 0] else 10**17
    with pytest.raises(ValueError, match="it belongs to other data"):
        Search.load(tmp_path / "file", other, y)


@given(st.lists(st.sampled_from([*SIGNED[:5], *DAYS]), min_size=1), st.booleans())
def test_ranks(values, spread):
    numbers = np.array(values, dtype=np.int64)
    if not spread:
        numbers = numbers % 7
    distinct, rank = rank_values(numbers)
    assert_array_equal(distinct, np.unique(numbers))
    assert_array_equal(distinct[rank], numbers)


@given(st.lists(st.sampled_from([*FLOATS, np.nan]), min_size=1), st.sampled_from([1, 500]))
def test_ranks_of_floats(values, times):
    numbers = np.tile(values, times)  # many rows are sorted in another way than few
    distinct, rank = rank_values(numbers)
    known = ~np.isnan(numbers)
    assert_array_equal(distinct, np.unique(numbers[known]))
    assert not np.signbit(distinct[distinct == 0]).any()
    assert_array_equal(distinct[rank[known]], numbers[known])
    assert (rank[~known] == len(distinct)).all()


@pytest.mark.skipif(sklearn.__version__.startswith("1.6."), reason="has no such warning")
@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_labels_that_look_like_measurements_give_a_warning(kind):
    X = np.arange(40.0)[:, np.newaxis]
    with pytest.warns(UserWarning, match="unique classes is greater than 50%"):
        read_rows(X, np.arange(40, dtype=kind), "Search")
    read_rows(X, np.arange(40, dtype=kind) // 2, "Search")


def test_tables_whose_orders_have_one_cut_are_zeros_and_ones():
    X = pd.DataFrame({"a": [0, 1, 1, 0], "b": [2.0, 3.0, 3.0, 3.0], "c": ["x", "y", None, "z"]})
    table, labels = read_rows(X, [0, 1, 1, 0], "Search")
    rows = training_data(table, labels, None, None, {}).X
    assert isinstance(rows, np.ndarray)
    assert rows.flags.c_contiguous
    assert rows.T.tolist() == [
        [0, 1, 1, 0],
        [0, 1, 1, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
        [1, 1, 1, 0],
        [0, 0, 1, 0],
        [0, 1, 0, 1],
        [1, 0, 0, 1],
        [1, 1, 0, 0],
    ]
    clf = OptimalTreeClassifier(max_depth=2).fit(X, [0, 1, 1, 0])
    assert clf.n_errors_ == (clf.predict(X) != [0, 1, 1, 0]).sum() == 0
