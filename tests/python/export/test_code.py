"""Trees as SQL and as Python: names, labels and thresholds that are hard to write."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from beamtree import OptimalTreeClassifier
from beamtree.export import to_python, to_sql
from tests.python.export.shown_trees import (
    grown,
    mixed_columns,
    number_columns,
    random_tree,
    split,
    tree_of,
)

STUMP = [
    {"feature": 0, "threshold": 0.5, "left": 1, "right": 2, "weights": [1, 1]},
    {"feature": -2, "threshold": -2.0, "left": -1, "right": -1, "weights": [1, 0]},
    {"feature": -2, "threshold": -2.0, "left": -1, "right": -1, "weights": [0, 1]},
]


def stump(labels, columns=None, **test):
    columns = columns or number_columns(1)
    nodes = [{**STUMP[0], **test}, *STUMP[1:]]
    return grown(columns, tree_of(nodes, len(columns.names)), labels)


def select(clf, name="x0", value=None):
    """Return the answers of sqlite for a row, by the expression and by the query."""
    with closing(sqlite3.connect(":memory:")) as base:
        quoted = name.replace('"', '""')
        base.execute(f'CREATE TABLE "the rows" ("{quoted}")')
        base.execute('INSERT INTO "the rows" VALUES (?)', [value])
        by_expression = base.execute(f'SELECT {to_sql(clf)} FROM "the rows"').fetchone()[0]
        assert base.execute(to_sql(clf, "the rows")).fetchone() == (value, by_expression)
        return by_expression


def predictor(source, name="predict"):
    names = {}
    exec(source, names)
    return names[name]


LABELS = [
    ["a", "b"],
    ["it's", 'say "so"; DROP TABLE x --'],
    ["", "\n\\"],
    [-1, 1],
    [0.1, 1e300],
    [False, True],
]


@pytest.mark.parametrize("labels", LABELS)
def test_labels(labels):
    clf = stump(labels)
    predict = predictor(to_python(clf))
    for value, label in ((0, labels[0]), (1, labels[1]), (None, labels[1])):
        assert predict([value]) == label
        assert type(predict({"x0": value})) is type(label)
        assert select(clf, value=value) == label


@example("TRUE")
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20))
def test_names_and_categories(text):
    columns = type(number_columns(1))(
        (text or "x",), (np.array([text], dtype=object),), np.zeros(1, bool), np.zeros(1, bool)
    )
    clf = stump(["same", "other"], columns, categories=(0,), threshold=np.nan)
    predict = predictor(to_python(clf))
    for value, label in ((text, "same"), (text + "!", "other"), (None, "other")):
        assert predict({text or "x": value}) == predict((value,)) == label
        assert select(clf, text or "x", value) == label


def test_thresholds_of_integers():
    columns = mixed_columns()
    clf = stump(["a", "b"], columns, feature=2, threshold=34.5, exact_threshold=34)
    assert '"count" <= 34.5 ' in to_sql(clf)
    assert "x2 <= 34.5:" in to_python(clf)
    low = 10**17 + 5
    clf = stump(["a", "b"], **split(low, low + 1))
    assert f'"x0" <= {low} ' in to_sql(clf)
    assert f"x0 <= {low}:" in to_python(clf)
    for value, label in ((low, "a"), (low + 1, "b")):
        assert select(clf, value=value) == predictor(to_python(clf))([value]) == label


def test_neighbouring_doubles():
    low, high = 0.1, float(np.nextafter(0.1, 1))
    clf = stump(["a", "b"], **split(low, high))
    for value, label in ((low, "a"), (high, "b")):
        assert select(clf, value=value) == predictor(to_python(clf))([value]) == label


@pytest.mark.parametrize("missing_go_to_left", [0, 1])
def test_missing_values_go_to_either_side(missing_go_to_left):
    clf = stump(["a", "b"], missing_go_to_left=missing_go_to_left)
    predict = predictor(to_python(clf))
    side = "a" if missing_go_to_left else "b"
    assert select(clf) == predict([None]) == predict([np.nan]) == side
    for value, label in ((0.25, "a"), (0.75, "b")):
        assert select(clf, value=value) == predict([value]) == label


def test_text_where_missing_values_go_left():
    clf = stump(["a", "b"], missing_go_to_left=1)
    assert to_python(clf).splitlines()[2] == "    if x0 is None or x0 != x0 or x0 <= 0.5:"
    condition = 'WHEN "t"."x0" <= 0.5 OR "t"."x0" IS NULL THEN'
    assert condition in to_sql(clf, "t")


def test_python_text():
    columns = mixed_columns()
    clf = stump(["a", "b"], columns, feature=0, threshold=np.inf)
    assert to_python(clf, name="is_known").splitlines() == [
        "def is_known(row):",
        "    x0 = row['petal width'] if isinstance(row, dict) else row[0]",
        "    if x0 is not None and x0 == x0:",
        "        return 'a'",
        "    return 'b'",
    ]
    assert clf.to_python() == to_python(clf)
    with pytest.raises(KeyError):
        predictor(to_python(clf))({"petal": 1})


@pytest.mark.parametrize("name", ["class", "two words", "", 7])
def test_names_of_functions(name):
    with pytest.raises(ValueError, match="name must be a valid name of a function in Python, got"):
        to_python(stump(["a", "b"]), name=name)


def test_sql_text():
    clf = stump(["a", "b"], mixed_columns(), feature=1, threshold=np.inf)
    assert clf.to_sql() == "\n".join(
        ["CASE", '  WHEN "say ""a"" \\ b\'s" IS NOT NULL THEN \'a\'', "  ELSE 'b'", "END"]
    )
    query = clf.to_sql('my "rows"', output="class")
    assert query.startswith('SELECT *, CASE\n  WHEN "my ""rows"""."say ""a"" ')
    assert query.endswith('END AS "class"\nFROM "my ""rows"""')


def test_a_leaf():
    clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1]], ["no", "no"])
    assert clf.to_sql() == "'no'"
    assert predictor(clf.to_python())([3]) == "no"


def test_trees_that_cannot_be_written():
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]")
    with pytest.raises(ValueError, match="labels and categories must be texts"):
        to_sql(stump(dates))
    with pytest.raises(ValueError, match="labels and categories must be texts"):
        to_python(stump(dates))
    with pytest.raises(ValueError, match="labels and categories must be texts"):
        to_sql(stump([0.0, np.inf]))
    with pytest.raises(ValueError, match="SQL cannot hold the character NUL"):
        to_sql(stump(["a", "b\0c"]))
    with pytest.raises(ValueError, match="SQL cannot hold the character NUL"):
        to_sql(stump(["a", "b"]), "a\0b")


def test_deep_trees_compile():
    tree = random_tree(np.random.default_rng(5), number_columns(), 20)
    clf = grown(number_columns(), tree, ["a", "b", "c"])
    assert tree.max_depth > 8
    assert predictor(to_python(clf))([0.0] * 4) == clf.predict([[0.0] * 4])[0]


def test_python_takes_the_rows_of_a_frame():
    named = pd.DataFrame({"age": [20.0, 30.0, None], "city": ["Bern", "Basel", "Bern"]})
    unnamed = pd.DataFrame([[20.0, 1.0], [30.0, 2.0], [25.0, 3.0]])
    for X in (named, unnamed):
        clf = OptimalTreeClassifier(max_depth=2).fit(X, ["a", "b", "a"])
        predict = predictor(clf.to_python())
        assert X.apply(predict, axis=1).tolist() == ["a", "b", "a"]
        assert [predict(row) for row in X.itertuples(index=False)] == ["a", "b", "a"]
