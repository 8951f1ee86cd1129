"""Tables of all kinds, from fit to predict: optimal over all tests, or refused with a reason."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError

from beamtree import Binarizer, OptimalTreeClassifier, Search, SearchSpace
from beamtree.datasets import tic_tac_toe
from tests.oracle import best
from tests.oracle.raw_tables import class_groups
from tests.unfinished import unfinished

pl = pytest.importorskip("polars")

NUMBER = st.one_of(
    st.sampled_from([0, 1, 2, 0.5, -1, 1e-30, 3e38, 16777217, 0.1, None]),
    st.floats(-(2.0**90), 2.0**90, width=32),
)
TEXT = st.sampled_from(["a", "b", "c", "", "nan", "\u00e9 <= 1", None])
BOOLEAN = st.sampled_from([True, False, None])


@st.composite
def tables(draw):
    """Draw a frame with a few columns of any kind, labels, and weights."""
    n_rows = draw(st.integers(1, 14))
    kinds = draw(st.lists(st.sampled_from([NUMBER, TEXT, BOOLEAN]), min_size=1, max_size=3))
    columns = [draw(st.lists(kind, min_size=n_rows, max_size=n_rows)) for kind in kinds]
    frame = pd.DataFrame({f"c{j}": pd.Series(c, dtype=object) for j, c in enumerate(columns)})
    y = draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    weight = draw(st.none() | st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows))
    if weight is not None and not any(weight):
        weight = None
    return frame, np.array(y), weight


def every_test(frame, y, weight):
    """Return the answers to all tests, as a list of columns of 0 and 1."""
    answers = []
    for name in frame:
        values = [None if value is None else value for value in frame[name].tolist()]
        known = {value for value in values if value is not None}
        if all(isinstance(value, str) for value in known):
            weights = [1] * len(values) if weight is None else weight
            sets = [*({c} for c in known), *class_groups(values, y.tolist(), weights)]
            answers += [[value in one for value in values] for one in sets]
            answers += [[value is None or value in one for value in values] for one in sets]
        else:
            answers += [[v is not None and v <= t for v in values] for t in known]
            answers += [[v is None or v <= t for v in values] for t in known]
        answers.append([value is None for value in values])
    return [[int(column[i]) for column in answers] for i in range(len(frame))]


@given(tables(), st.integers(0, 2), st.integers(1, 3))
def test_the_optimum_is_that_over_every_test(table, depth, leaf):
    frame, y, weight = table
    clf = OptimalTreeClassifier(max_depth=depth, min_samples_leaf=leaf, max_thresholds=None)
    clf.fit(frame, y, weight)
    assert clf.status_ == "optimal"
    assert clf.search_space_.lossless or "groups of categories by class share" in clf.proof_
    optimum = best(every_test(frame, y, weight), y.tolist(), weight, 3, depth, leaf)
    assert clf.objective_ == optimum
    # The predictions have the cost that the search counted.
    wrong = (clf.predict(frame) != y) * (1 if weight is None else np.array(weight))
    assert wrong.sum() == optimum
    again = pickle.loads(pickle.dumps(clf))
    assert_array_equal(again.predict(frame), clf.predict(frame))


@given(tables(), tables(), st.integers(1, 3))
def test_any_table_gives_a_result_or_names_a_column(first, second, most):
    frame, y, weight = first
    clf = OptimalTreeClassifier(max_depth=2, max_thresholds=most, time_limit=5)
    clf.fit(frame, y, weight)
    rows = clf.apply(frame)
    kept = np.ones(len(y), dtype=bool) if weight is None else np.array(weight) > 0
    counted = np.bincount(rows[kept], minlength=clf.tree_.node_count)
    leaves = clf.tree_.feature < 0
    assert_array_equal(counted[leaves], clf.tree_.n_node_samples[leaves])
    bits = Binarizer(max_thresholds=most).fit(frame, sample_weight=weight)
    # A search with a bound also has the tests of the greedy tree.
    assert len(bits.tests_) <= clf.search_space_.n_tests
    outcome = predicted_or_refused(clf, second[0])
    assert set(outcome) <= set(clf.classes_) or re.search("column|feature", outcome)


def predicted_or_refused(clf, frame):
    try:
        return clf.predict(frame)
    except ValueError as error:
        return str(error)


def test_trees_are_in_the_columns_of_the_table():
    X, y = load_iris(return_X_y=True)
    clf = OptimalTreeClassifier(max_depth=2, max_thresholds=32).fit(X, y)
    assert clf.n_errors_ == (clf.predict(X) != y).sum() == 6
    assert clf.tree_.n_features == 4
    inner = clf.tree_.feature >= 0
    assert clf.tree_.feature[inner].max() < 4
    assert_array_equal(clf.tree_.threshold[inner], [2.45, 1.75])
    for other in (pd.DataFrame(X), X.astype(object), np.asfortranarray(X), X.tolist()):
        assert_array_equal(clone(clf).fit(other, y).apply(other), clf.apply(X))


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames(library):
    frame = library.DataFrame(
        {
            "age": [20.0, 30.0, None, 50.0, 60.0, 25.0],
            "colour": ["red", "blue", "red", None, "green", "blue"],
            "member": [True, False, True, True, False, False],
        }
    )
    y = ["a", "b", "a", "b", "a", "b"]
    clf = OptimalTreeClassifier(max_depth=3).fit(frame, y)
    assert clf.feature_names_in_.tolist() == ["age", "colour", "member"]
    assert clf.predict(frame).tolist() == y
    with pytest.raises(ValueError, match="feature names should match"):
        clf.predict(frame[["colour", "age", "member"]])
    with pytest.raises(ValueError, match=r"feature names should match|2 features"):
        clf.predict(frame[["age", "colour"]])


def test_zeros_and_ones_are_tested_as_they_are():
    X, y, _, _ = tic_tac_toe()
    one = OptimalTreeClassifier(max_depth=4).fit(X, y)
    assert one.search_space_.n_tests == 27
    assert set(one.tree_.threshold) == {-2.0, 0.5}
    frame = pd.DataFrame(X).astype(object)  # objects are read value by value
    other = OptimalTreeClassifier(max_depth=4).fit(frame.rename(columns=str), y)
    for name in ("feature", "threshold", "children_left", "value"):
        assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name))
    for name in ("nodes", "objective", "lower_bound"):
        assert_array_equal(one.trace_[name], other.trace_[name])


def test_the_search_space_in_words():
    X, y = load_wine(return_X_y=True)
    clf = OptimalTreeClassifier(max_depth=1, max_thresholds=32).fit(X, y)
    space = clf.search_space_
    assert not space.lossless
    possible = sum(space.possible_per_column)
    assert str(space) == f"{space.n_tests} of the {possible:,} tests of 13 columns"
    assert repr(space) == f"SearchSpace({space})"
    full = OptimalTreeClassifier(max_depth=1, max_thresholds=None).fit(X, y).search_space_
    assert full.lossless
    assert str(full) == f"{full.n_tests:,} tests: every threshold and category of 13 columns"
    assert Search(X, y, max_depth=1, max_thresholds=32).search_space == space


@pytest.mark.parametrize(
    ("tests", "possible", "words"),
    [
        ((1,), (1,), "1 test: every threshold and category of 'a'"),
        ((2, 3), (2, 9), "5 tests: every threshold and category of 'a', 3 of the 9 tests of 'b'"),
        ((3,), (9,), "3 of the 9 tests of 'a'"),
        ((2, 3), (4, 9), "5 tests: 2 of the 4 tests of 'a', 3 of the 9 tests of 'b'"),
        ((10**6, 5), (10**6, 5), "1,000,005 tests: every threshold and category of 2 columns"),
        ((32,) * 4, (1000,) * 4, "128 of the 4,000 tests of 4 columns"),
    ],
)
def test_words_for_numbers_of_tests(tests, possible, words):
    assert str(SearchSpace(tuple("abcd"[: len(tests)]), tests, possible)) == words


@unfinished
def test_searches_of_tables_continue_and_are_saved(tmp_path):
    X = load_wine().data
    y = np.random.default_rng(0).integers(0, 2, len(X))
    X[::9, 3] = np.nan
    clf = OptimalTreeClassifier(max_depth=4, max_thresholds=5, node_limit=5, warm_start=True)
    assert clf.fit(X, y).status_ == "node_limit"
    clf.set_params(node_limit=50).fit(X, y)
    assert clf.statistics_["nodes"] == 50
    start = OptimalTreeClassifier(max_depth=4, max_thresholds=None, node_limit=1).fit(X, y)
    path = tmp_path / "wine.checkpoint"
    search = Search(X, y, max_depth=4, max_thresholds=2, init=start)
    search.run(node_limit=5)
    search.save(path)
    loaded = Search.load(path, X, y)
    assert loaded.search_space == search.search_space
    assert search.search_space.n_tests > Search(X, y, max_thresholds=2).search_space.n_tests
    result, whole = loaded.run(node_limit=100), search.run(node_limit=100)
    assert (result.status, result.objective) == (whole.status, whole.objective)
    assert result.objective <= start.objective_
    changed = X.copy()
    changed[0, 0] = 5.0
    for other in (changed, 2 * X):
        with pytest.raises(ValueError, match="it belongs to other data: X differs"):
            Search.load(path, other, y)
    few = np.repeat([[1.0], [2.0]], 89, axis=0)
    Search(few, y, max_depth=1).save(path)
    with pytest.raises(ValueError, match="it belongs to other data: tests differs"):
        Search.load(path, 2 * few, y)


def test_warm_starts_compare_the_tests():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    y = [0, 1, 0, 1]
    clf = OptimalTreeClassifier(max_depth=2, warm_start=True).fit(X, y)
    clf.fit(X * 10, y)  # equal answers, but other tests
    assert clf.tree_.threshold.max() > 4
    assert clf.predict(X * 10).tolist() == y


def test_incumbents_can_be_applied():
    X = [[1, "a"], [5, "b"], [None, "a"]]
    incumbent = Search(X, [0, 1, 1], max_depth=2).step()
    leaf = incumbent.tree.apply(incumbent.columns.encode(X))
    assert len(leaf) == 3


def test_a_model_holds_no_rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"n": rng.normal(size=20_000), "id": [f"row {i}" for i in range(20_000)]})
    clf = OptimalTreeClassifier(max_depth=2, time_limit=2, max_thresholds=32)
    clf.fit(X, rng.integers(0, 2, 20_000))
    assert len(pickle.dumps(clf)) < 20_000
    assert clf.predict(X[:5]).shape == (5,)


X4, Y4 = np.array([[1.5, 0], [2, 1], [3, 0], [4, 1]]), np.array([0, 1, 1, 0])


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (X4[:1], Y4[:1]),
        (np.full((4, 2), np.nan), Y4),
        (np.full((4, 2), None, dtype=object), Y4),
        (X4, np.zeros(4)),
        (X4, [-1, 1, 1, -1]),
        (X4, [0.0, 1.0, 1.0, 0.0]),
        (scipy.sparse.csr_matrix(X4), Y4),
        (scipy.sparse.csc_array(X4), Y4),
        (scipy.sparse.coo_matrix(X4), Y4),
        (scipy.sparse.csr_matrix(X4 > 1), Y4),
        (np.asfortranarray(X4), Y4),
        (X4[::-1, ::-1], Y4),
        (np.array([[f"id {i}"] for i in range(4)]), Y4),
        (pd.DataFrame({0: ["a", "b", "c", "d"]}), Y4),
    ],
    ids=range(14),
)
@pytest.mark.parametrize("depth", [0, 2, 20])
def test_odd_tables_give_a_result(X, y, depth):
    if isinstance(X, np.ndarray):
        X = X.copy(order="K")
        X.flags.writeable = False
    clf = OptimalTreeClassifier(max_depth=depth).fit(X, y)
    assert clf.status_ == "optimal"
    assert clf.n_errors_ == (clf.predict(X) != y).sum()


@pytest.mark.parametrize(
    ("X", "y", "weight", "message"),
    [
        (
            np.where(X4 == 1.5, np.inf, X4),
            Y4,
            None,
            "column 0 of X contains infinity .* inf in row 0",
        ),
        (X4 * 1j, Y4, None, "Complex data not supported"),
        (X4[:0], Y4[:0], None, r"0 sample\(s\)"),
        (X4[:, :0], Y4, None, r"0 feature\(s\)"),
        (X4, [0.5, 1.5, 0.5, 1.25], None, "Unknown label type: continuous"),
        ([[1], ["a"], [2], [3]], Y4, None, "column 0 of X must be all numbers or all text"),
        (pd.DataFrame(X4, columns=["a", "a"]), Y4, None, "got twice: 'a'"),
        (X4, Y4, [1, -1, 1, 1], "Negative values in data passed to `sample_weight`"),
        (X4, Y4, [0, 0, 0, 0], "ample.weight"),
        ([[1, 2], [3]], [0, 1], None, "inhomogeneous"),
        ("text", Y4, None, "Expected 2D array"),
        (5, Y4, None, "Expected 2D array"),
        ([["a"], [["b"]]], [0, 1], None, "column 0|inhomogeneous"),
    ],
    ids=range(13),
)
def test_errors_name_what_is_wrong(X, y, weight, message):
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier().fit(X, y, weight)
    with pytest.raises(ValueError, match=message):
        Search(X, y, weight)


def test_wrong_columns_at_predict():
    clf = OptimalTreeClassifier().fit(X4, Y4)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2"):
        clf.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="column 1 of X must have numbers, as it had in fit"):
        clf.predict([[1, "a"]])
    with pytest.raises(ValueError, match="column 0 of X contains infinity"):
        clf.predict([[np.inf, 0]])
    with pytest.raises(NotFittedError):
        OptimalTreeClassifier().predict([[1, "a"]])


def test_very_many_categories():
    rng = np.random.default_rng(0)
    n = 200_000
    X = np.empty((n, 1), dtype=object)
    X[:, 0] = [f"id {i}" for i in rng.permutation(n)]
    clf = OptimalTreeClassifier(max_depth=1).fit(X, rng.integers(0, 2, n))
    assert clf.search_space_.n_tests == 255
    groups = "255 tests: groups by class share of 128 of the 200,000 categories of 'x0'"
    assert str(clf.search_space_) == groups
    assert "over at most 128 categories per column" in clf.proof_


@pytest.mark.parametrize("most", [1, 4, 32])
def test_a_bound_on_thresholds_keeps_those_of_the_greedy_tree(most):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    y = (X[:, 0] > 2.3) | (X[:, 1] < -2.5)
    clf = OptimalTreeClassifier(max_depth=2, max_thresholds=most, time_limit=0).fit(X, y)
    assert clf.n_errors_ == 0
    assert clf.search_space_.n_tests <= 3 * most + 6
