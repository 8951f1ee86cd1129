"""Names of columns that are not strings, and tables that are not in memory."""

import html

import numpy as np
import pandas as pd
import pytest

from beamtree import Binarizer, OptimalTreeClassifier, Search
from beamtree.export import from_json

X, Y = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]), [0, 0, 1]


def named(columns, values=X):
    return pd.DataFrame(values, columns=columns)


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        ([2019, 2020], "2019"),
        ([0, 1], "0"),
        (pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")]), "a.b"),
        (pd.MultiIndex.from_tuples([("a", ""), ("b", 3)]), "a"),
        (pd.MultiIndex.from_tuples([("a.b", "c"), ("a", "b.c")]), "('a.b', 'c')"),
        (pd.to_datetime(["2024-01-01", "2024-02-01"]), "2024-01-01 00:00:00"),
        (["age", "size"], "age"),
        (pd.RangeIndex(2), "x0"),
        (pd.RangeIndex(2019, 2021), "2019"),  # as pandas names columns that are years
    ],
    ids=range(9),
)
def test_names_of_any_type_are_used(columns, name):
    for values in (X, X > 2.5, np.where(X > 2.5, "yes", "no")):
        frame = named(columns, values)
        clf = OptimalTreeClassifier(max_depth=1).fit(frame, Y)
        assert clf.columns_.names[0] == name
        assert clf.predict(frame).tolist() == Y
        words = str(clf).splitlines()[2]
        assert words.startswith(name)
        assert f'"{name}"' in clf.to_sql()
        assert repr(name) in clf.to_python()
        assert name in html.unescape(clf.to_html())
        # scikit-learn sets the names only if all of them are strings.
        assert hasattr(clf, "feature_names_in_") == (name == "age")
        twin = from_json(clf.to_json(), OptimalTreeClassifier())
        assert str(twin).splitlines()[2] == words
        assert hasattr(twin, "feature_names_in_") == (name == "age")
        assert Search(frame, Y, max_depth=1).columns.names == clf.columns_.names
        assert Binarizer().fit(frame).get_feature_names_out()[0].startswith(name)


def test_names_of_two_types_are_refused_as_in_scikit_learn():
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        OptimalTreeClassifier().fit(named(["a", 1]), Y)


def test_errors_use_the_names():
    frame = named([2019, 2020]).astype(object)
    frame.iloc[0, 1] = "a"
    with pytest.raises(ValueError, match="column '2020' of X must be all numbers or all text"):
        OptimalTreeClassifier().fit(frame, Y)


def test_tables_that_are_not_in_memory():
    pl = pytest.importorskip("polars")
    lazy = pl.LazyFrame({"a": [1, 2, 3]})
    message = r"X must be a table in memory, got a LazyFrame: call .collect\(\) first"
    for call in (OptimalTreeClassifier().fit, Search, Binarizer().fit):
        with pytest.raises(ValueError, match=message):
            call(lazy, Y)
    clf = OptimalTreeClassifier().fit(lazy.collect(), Y)
    with pytest.raises(ValueError, match=message):
        clf.predict(lazy)


def test_frames_of_dask():
    dask = pytest.importorskip("dask.dataframe")
    frame = dask.from_pandas(named(["a", "b"]), npartitions=1)
    with pytest.raises(ValueError, match=r"got a DataFrame: call .compute\(\) first"):
        OptimalTreeClassifier().fit(frame, Y)
