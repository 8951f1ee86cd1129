"""Tables of all kinds with equal content become the same numbers."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal

from beamtree import Binarizer

pl = pytest.importorskip("polars")
NAN = np.nan
NUMBERS = np.array([[1, 0.5], [2, NAN], [-3, 2.25]])
SPARSE = np.array([[0, 3.0], [2.5, 0], [0, -1]])


def matrix(columns):
    """Return encoded columns as one matrix of floats, where NaN is a missing value."""
    return np.column_stack([np.ma.filled(x.astype(np.float64), NAN) for x in columns])


def encoded(X, again=None):
    return matrix(Binarizer().fit(X).columns_.encode(X if again is None else again))


@pytest.mark.parametrize(
    "X",
    [
        NUMBERS,
        NUMBERS.astype(np.float32),
        NUMBERS.astype(np.float16),
        np.asfortranarray(NUMBERS),
        NUMBERS.astype(object),
        NUMBERS.astype(">f8"),
        np.ma.masked_invalid(NUMBERS),
        [[1, 0.5], [2, None], [-3, 2.25]],
        [[1, Decimal("0.5")], [2, None], [np.int8(-3), 2.25]],
        pd.DataFrame(NUMBERS),
        pd.DataFrame({"a": [1, 2, -3], "b": NUMBERS[:, 1]}),
        pd.DataFrame({"a": [1, 2, -3], "b": [0.5, None, 2.25]}, dtype=object),
        pd.DataFrame({"a": [1, 2, -3], "b": [0.5, pd.NA, 2.25]}, dtype="Float64"),
        pd.DataFrame({"a": [1, 2, -3], "b": [0.5, pd.NA, 2.25]}).astype({"a": "Int16"}),
        pd.DataFrame({"a": [1, 2, -3], "b": NUMBERS[:, 1]}, dtype="double[pyarrow]"),
        pd.DataFrame({"a": [1, 2, -3], "b": pd.arrays.SparseArray(NUMBERS[:, 1])}),
        pl.DataFrame({"a": [1, 2, -3], "b": [0.5, None, 2.25]}),
        pl.DataFrame({"a": [1, 2, -3], "b": [0.5, float("nan"), 2.25]}),
    ],
    ids=range(18),
)
def test_numbers(X):
    assert_array_equal(encoded(X), NUMBERS)
    columns = Binarizer().fit(X).columns_
    assert columns.categories == (None, None)
    assert not columns.integral[1]
    assert not columns.wide.any()
    kinds = [x.dtype.kind for x in columns.encode(X)]
    assert [kind == "i" for kind in kinds] == columns.integral.tolist()


LARGE = 10**17 + np.arange(3)


@pytest.mark.parametrize(
    "X",
    [
        LARGE[:, np.newaxis],
        np.ma.masked_array(LARGE[:, np.newaxis], [[False], [True], [False]]),
        LARGE[:, np.newaxis].astype(np.uint64) * 100,
        LARGE[:, np.newaxis].astype(">i8"),
        LARGE[:, np.newaxis].tolist(),
        [[int(LARGE[0])], [None], [int(LARGE[2])]],
        [[float("nan")], [Decimal(int(LARGE[1]))], [np.uint8(3)]],
        pd.DataFrame({"a": LARGE}),
        pd.DataFrame({"a": LARGE, "b": [0.5, 1.5, 2.5]}),
        pd.DataFrame({"a": pd.array([int(LARGE[0]), None, int(LARGE[2])], dtype="Int64")}),
        pd.DataFrame({"a": pd.array([2**64 - 1, None, 1], dtype="UInt64")}),
        pd.DataFrame({"a": pd.array([int(LARGE[0]), None, 5], dtype="int64[pyarrow]")}),
        pd.DataFrame({"a": [int(LARGE[0]), None, 5]}, dtype=object),
        pl.DataFrame({"a": [int(LARGE[0]), None, 5]}),
        pl.DataFrame({"a": [2**64 - 1, None, 1]}, schema={"a": pl.UInt64}),
        pl.DataFrame({"a": [Decimal(int(LARGE[0])), None, Decimal(5)]}),
        scipy.sparse.csc_array(np.array([[0], [LARGE[1]], [LARGE[2]]])),
    ],
    ids=range(17),
)
def test_integers_keep_their_values(X):
    if isinstance(X, list):
        given = [row[0] for row in X]
    elif scipy.sparse.issparse(X):
        given = X.toarray()[:, 0].tolist()
    elif isinstance(X, pl.DataFrame):
        given = X["a"].to_list()
    else:
        given = X["a"].tolist() if isinstance(X, pd.DataFrame) else X[:, 0].tolist()
    wanted = [None if pd.isna(value) else int(value) for value in given]
    columns = Binarizer().fit(X).columns_
    assert columns.encode(X)[0].tolist() == wanted
    assert columns.integral[0]
    assert columns.wide[0]
    assert columns.encode(X)[0].dtype.kind in "iu"
    floats = np.full((2, len(columns.names)), 0.5)
    where = "'a'" if isinstance(X, pd.DataFrame | pl.DataFrame) else "0"
    if where == "'a'":
        floats = pd.DataFrame(floats, columns=columns.names)
    message = f"column {where} of X must have integers, as it had in fit, where some were beyond 2"
    with pytest.raises(ValueError, match=message):
        columns.encode(floats)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_keep_their_values(kind):
    x = np.nextafter(kind(0.1), kind([0, 1])).astype(kind)
    (column,) = Binarizer().fit(x[:, np.newaxis]).columns_.encode(x[:, np.newaxis])
    assert column.dtype == np.float64
    assert_array_equal(column, x)
    assert len(Binarizer().fit(x[:, np.newaxis]).tests_) == 1


def test_lists_of_integers_and_floats_keep_large_integers():
    X = [[10**17 + 1, 0.5], [10**17 + 2, 1.5], [10**17 + 3, 0.5]]
    columns = Binarizer().fit(X).columns_
    assert columns.integral.tolist() == [True, False]
    assert columns.encode(X)[0].tolist() == [row[0] for row in X]


@pytest.mark.parametrize(
    "X",
    [
        np.array([["b", "x"], ["a", "x"], ["b", "y"]]),
        np.array([["b", "x"], ["a", "x"], ["b", "y"]], dtype=object),
        np.array([["b", "x"], ["a", "x"], ["b", "y"]], dtype=np.dtypes.StringDType()),
        [["b", "x"], ["a", "x"], ["b", "y"]],
        pd.DataFrame({"l": list("bab"), "r": list("xxy")}),
        pd.DataFrame({"l": list("bab"), "r": list("xxy")}, dtype=object),
        pd.DataFrame({"l": list("bab"), "r": list("xxy")}, dtype="string"),
        pd.DataFrame({"l": list("bab"), "r": list("xxy")}, dtype="string[pyarrow]"),
        pd.DataFrame({"l": list("bab"), "r": list("xxy")}, dtype="category"),
        pd.DataFrame({"l": pd.Categorical(list("bab"), list("dba")), "r": list("xxy")}),
        pl.DataFrame({"l": list("bab"), "r": list("xxy")}),
        pl.DataFrame(
            {"l": list("bab"), "r": list("xxy")},
            schema={"l": pl.Categorical, "r": pl.Enum(["x", "y"])},
        ),
    ],
    ids=range(12),
)
def test_text(X):
    assert_array_equal(encoded(X), [[1, 0], [0, 0], [1, 1]])
    left, right = Binarizer().fit(X).columns_.categories
    assert (left.tolist(), right.tolist()) == (["a", "b"], ["x", "y"])


@pytest.mark.parametrize(
    "X",
    [
        [["b", True], [None, None], ["a", False]],
        np.ma.masked_array([["b", 1], ["c", 5], ["a", 0]], [[0, 0], [1, 1], [0, 0]], dtype=object),
        [["b", 1], [NAN, NAN], ["a", 0]],
        pd.DataFrame({"t": ["b", None, "a"], "b": [True, None, False]}),
        pd.DataFrame({"t": ["b", NAN, "a"], "b": pd.array([True, None, False], dtype="boolean")}),
        pd.DataFrame({"t": pd.array(["b", None, "a"], dtype="string"), "b": [1, None, 0]}),
        pd.DataFrame({"t": pd.Categorical(["b", None, "a"]), "b": [1, pd.NA, 0]}),
        pd.DataFrame({"t": ["b", pd.NaT, "a"], "b": [1, NAN, 0]}),
        pl.DataFrame({"t": ["b", None, "a"], "b": [True, None, False]}),
        pl.DataFrame({"t": pl.Series(["b", None, "a"], dtype=pl.Categorical), "b": [1, None, 0]}),
    ],
    ids=range(10),
)
def test_missing_values_of_every_kind(X):
    assert_array_equal(encoded(X), [[1, 1], [NAN, NAN], [0, 0]])


@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.csc_array])
def test_sparse(make):
    assert_array_equal(encoded(make(SPARSE)), SPARSE)
    assert_array_equal(Binarizer().fit_transform(make(SPARSE)), Binarizer().fit_transform(SPARSE))


def test_columns_of_zeros_and_ones():
    X = [[0, 0, 0, 1, True, "a"], [1, 2, None, 1, False, "b"], [1, 1, 1, 1, True, "a"]]
    columns = Binarizer().fit(X).columns_
    assert columns.binary.tolist() == [True, False, False, True, True, False]
    assert columns.integral.tolist() == [True, True, True, True, True, False]
    assert Binarizer().fit([[0, 0.5], [1, 2**23]]).columns_.binary.tolist() == [True, False]


def test_entries_that_are_given_twice_are_added():
    twice = scipy.sparse.csc_matrix(([1.0, 2.0, 5.0], [0, 0, 2], [0, 3]), shape=(3, 1))
    assert_array_equal(encoded(twice), [[3], [0], [5]])


def test_categories_have_types_of_python():
    X = np.empty((2, 1), dtype=object)
    X[:, 0] = [np.str_("a"), np.str_("b")]
    assert [type(value) for value in Binarizer().fit(X).columns_.categories[0]] == [str, str]


def test_categories_of_numbers_stay_categories():
    X = pd.DataFrame({"code": pd.Categorical([7, 3, 7])})
    columns = Binarizer().fit(X).columns_
    assert columns.categories[0].tolist() == [3, 7]
    plain = pd.DataFrame({"code": [3, 9, np.nan]})
    assert_array_equal(matrix(columns.encode(plain)), [[0], [-1], [NAN]])
    fractions = Binarizer().fit(pd.DataFrame({"f": pd.Categorical([0.1, 0.2])})).columns_
    assert_array_equal(matrix(fractions.encode([[0.2], [0.1]])), [[1], [0]])


def test_unknown_categories_and_new_missing_values():
    fitted = [["a", 1], ["b", 2]]
    later = [["c", 5], [None, None]]
    assert_array_equal(encoded(fitted, later), [[-1, 5], [NAN, NAN]])


def test_other_kinds_than_in_fit_are_refused():
    columns = Binarizer().fit(pd.DataFrame({"a": [1, 2], "t": ["x", "y"]})).columns_
    message = "column 'a' of X must have numbers, as it had in fit, got '1'"
    with pytest.raises(ValueError, match=message):
        columns.encode(pd.DataFrame({"a": ["1", "2"], "t": ["x", "y"]}))
    with pytest.raises(ValueError, match="column 't' of X must have text, as it had in fit, got 3"):
        columns.encode(pd.DataFrame({"a": [1, 2], "t": [3, 4]}))
    with pytest.raises(ValueError, match="X must have 2 columns, got 1"):
        columns.encode([[1]])
    nothing = pd.DataFrame({"a": [None, None], "t": [np.nan, np.nan]})
    assert np.isnan(matrix(columns.encode(nothing))).all()


def test_a_column_that_was_all_missing_takes_anything():
    columns = Binarizer().fit(np.array([[None], [None]], dtype=object)).columns_
    for later in ([["a"], [None]], [[1.5], [None]]):
        assert_array_equal(matrix(columns.encode(later)), [[-1], [NAN]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"a": [1.0, np.inf]}), "column 'a' of X contains infinity .*: inf in row 1"),
        ([[0.0], [-np.inf]], "column 0 of X contains infinity .*: -inf in row 1"),
        (np.array([[0.5], [10**400]], object), "column 0 of X contains infinity or a number too"),
        (
            [[0], [10**400]],
            r"column 0 of X must have integers from -2\*\*63 to .* got 10+ in row 1",
        ),
        ([[0], [2**64]], r"column 0 of X .* 2\*\*64 - 1, got 18446744073709551616 in row 1"),
        ([[2**63], [-1]], "column 0 of X must have integers .* got -1 in row 1; turn them into"),
        ([[None], [-(2**63) - 1]], "column 0 of X .* got -9223372036854775809 in row 1"),
        (
            pd.DataFrame({"a": [2**53 + 1, 2.0**53]}, dtype=object),
            "column 'a' .* differ as float64",
        ),
        ([[Decimal("0.1")], [Decimal("0.10000000000000000001")]], "column 0 .* differ as float64"),
        (np.array([[np.longdouble(1) / 3]]), "column 0 of X must have numbers that a float64"),
        ([[1], ["a"]], "column 0 of X must be all numbers or all text, got 1 and 'a'"),
        (pd.DataFrame({"a": [True, "x"]}), "column 'a' of X must be all numbers .* True and 'x'"),
        (np.array([[1j], [2]], object), "Complex data not supported: column 0 of X has 1j"),
        (np.array([[1j], [2]]), "Complex data not supported"),
        (pd.DataFrame({"a": [1j, 2]}), "column 'a' .* complex128"),
        (
            pd.DataFrame({"a": [date(2020, 1, 1), 5]}),
            "column 'a' .* numbers or all dates, got 5 and",
        ),
        (pd.DataFrame({"a": [date(2020, 1, 1), "x"]}), "column 'a' of X must be all text or all"),
        (
            np.array([[b"a"]]),
            "column 0 of X must have numbers, booleans, text or dates, got the .* .S1",
        ),
        (pd.DataFrame({"a": [[1, 2], [3]]}), r"column 'a' .* got a list, \[1, 2\]; turn"),
        (pd.DataFrame({"a": [{1: 2}, None]}), "column 'a' .* got a dict"),
        (pl.DataFrame({"a": [[1], [2]]}), r"column 'a' .* List\(Int64\)"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "different names, got twice: 'a'"),
        (pd.DataFrame([["x", 2]], columns=["a", "a"]), "different names, got twice: 'a'"),
        (pd.DataFrame({"a": ["x"]})[:0], r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pd.DataFrame({"a": ["x"]})[[]], r"0 feature\(s\)"),
        (pl.DataFrame({"a": []}), r"0 sample\(s\)"),
    ],
    ids=range(26),
)
def test_objects_that_are_not_tables_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        Binarizer().fit(X)
