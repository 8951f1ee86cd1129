"""Trees in words: as text, as rules, in Graphviz, and as `str` and HTML of a classifier."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn import config_context
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from beamtree import OptimalTreeClassifier, export_graphviz, export_text
from beamtree._table.columns import Columns
from beamtree._table.wording import number_words
from beamtree.datasets import tic_tac_toe
from beamtree.export import leaf_rules
from tests.python.export.shown_trees import grown, mixed_tree, tree_of
from tests.unfinished import unfinished


def flowers():
    """Return a classifier with a tree made by hand, which has every kind of test."""
    inner = [
        {"feature": 0, "threshold": 1.75, "left": 1, "right": 4},
        {"feature": 0, "threshold": 0.8, "left": 2, "right": 3},
        {"left": -1, "right": -1, "weights": [50, 0]},
        {"left": -1, "right": -1, "weights": [2, 6]},
        {"feature": 1, "threshold": np.nan, "categories": (0,), "left": 5, "right": 6},
        {"left": -1, "right": -1, "weights": [0, 5]},
        {"feature": 1, "threshold": np.nan, "categories": (2,), "left": 7, "right": 8},
        {"left": -1, "right": -1, "weights": [4, 0]},
        {"feature": 1, "threshold": np.inf, "left": 9, "right": 14},
        {"feature": 2, "threshold": 0.5, "left": 10, "right": 13},
        {"feature": 0, "threshold": np.inf, "left": 11, "right": 12},
        {"left": -1, "right": -1, "weights": [1, 2]},
        {"left": -1, "right": -1, "weights": [3, 1]},
        {"left": -1, "right": -1, "weights": [0, 1]},
        {"left": -1, "right": -1, "weights": [1, 0]},
    ]
    for node in reversed(inner):
        leaf = node["left"] < 0
        node.update({"feature": -2, "threshold": -2.0} if leaf else {})
        if not leaf:
            children = (inner[node["left"]], inner[node["right"]])
            node["weights"] = np.sum([child["weights"] for child in children], axis=0)
    no = np.array([False, False, False])
    rain = np.array([False, False, True])
    colours = np.array(["blue", "green", "red"])
    columns = Columns(
        ("petal width", "colour", "rain"),
        (None, colours, None),
        no | rain,
        rain,
        has_missing=np.logical_not(rain),
    )
    return grown(columns, tree_of(inner, 3), ["iris", "rose"])


def test_text():
    assert export_text(flowers()).splitlines() == [
        "petal width <= 1.75?",
        "  yes: petal width <= 0.8?",
        "    yes: iris (50 rows, 100%)",
        "    no: rose (8 rows, 75%)",
        "  no or missing: colour == blue?",
        "    yes: rose (5 rows, 100%)",
        "    no or missing: colour == red?",
        "      yes: iris (4 rows, 100%)",
        "      no or missing: colour is missing?",
        "        yes: iris (1 row, 100%)",
        "        no: rain?",
        "          yes: rose (1 row, 100%)",
        "          no: petal width is missing?",
        "            yes: iris (4 rows, 75%)",
        "            no: rose (3 rows, 67%)",
    ]


def test_rules():
    wide = "petal width > 1.75 and petal width"
    either = "(petal width > 1.75 or missing)"
    known = "colour not in (blue, red) and colour is known"
    assert flowers().leaf_rules() == [
        "If petal width <= 0.8 then iris (50 rows, 100%)",
        "If 0.8 < petal width <= 1.75 then rose (8 rows, 75%)",
        f"If {either} and colour == blue then rose (5 rows, 100%)",
        f"If {either} and colour == red then iris (4 rows, 100%)",
        f"If {either} and colour is missing then iris (1 row, 100%)",
        f"If {either} and {known} and rain then rose (1 row, 100%)",
        f"If petal width is missing and {known} and not rain then iris (4 rows, 75%)",
        f"If {wide} is known and {known} and not rain then rose (3 rows, 67%)",
    ]


def test_rules_of_a_leaf_and_given_names():
    clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1], [1]], ["no", "yes", "yes"])
    assert leaf_rules(clf) == ["Always yes (3 rows, 67%)"]
    rules = flowers().leaf_rules(feature_names=["a", "b", "c"], class_names=["I", "R"])
    assert rules[1] == "If 0.8 < a <= 1.75 then R (8 rows, 75%)"


@pytest.mark.parametrize("seed", range(4))
def test_one_rule_per_leaf(seed):
    clf, _ = mixed_tree(seed)
    rules = clf.leaf_rules()
    assert len(rules) == clf.get_n_leaves()
    assert len(set(rules)) == len(rules)


def test_integers_that_are_not_only_zeros_and_ones():
    clf = flowers()
    clf.columns_ = replace(clf.columns_, binary=np.zeros(3, dtype=bool))
    assert "no: rain <= 0.5?" in export_text(clf)


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        (34.5, "34.5"),
        (0.5, "0.5"),
        (-3.0, "-3"),
        (np.float32(0.1), "0.1"),
        (np.nextafter(np.float32(0.1), np.float32(1)), "0.1"),
        (1234567.5, "1234567.5"),
        (np.float32(14.127843), "14.127843"),
        (1e30, "1e+30"),
        (2e6, "2000000"),
        (-2.5e-7, "-2.5e-07"),
        (np.float32(1.2345678e-20), "1.2345678e-20"),
        (0.0, "0"),
    ],
)
def test_numbers(threshold, words):
    assert number_words(threshold) == words


@pytest.mark.parametrize(
    ("threshold", "below", "above", "words"),
    [
        (0.15000000000000002, 0.1, 0.2, "0.15"),
        (0.65, 0.6, 0.7, "0.65"),
        (2 / 3, 0.6, 0.7, "0.67"),
        (2.45, 1.9, 3.0, "2.45"),
        (2.45003, 1.9, 3.00006, "2.5"),
        (0.5555551, 0.1234561, 0.9876541, "0.6"),
        (16.805, 16.77, 16.84, "16.8"),
        (0.12372, 0.12345, 0.12399, "0.1237"),
        (1234.55, 1000.2, 1468.9, "1200"),
        (-0.33333, -0.4, -0.26666, "-0.3"),
        (2 / 3, 0.66666666, 0.66666667, "0.666666667"),
        (0.1, 0.1, np.nextafter(0.1, 1), "0.1"),
        (np.nextafter(0.1, 1), np.nextafter(0.1, 1), 0.2, "0.10000000000000002"),
        (1234567.0, 1.0, 2469133.0, "1234567"),
        (1700000000.5, 1700000000, 1700000001, "1700000000.5"),
        (10**17 + 5, 10**17 + 5, 10**17 + 6, "100000000000000005"),
        (1.5e300, 1e300, 2e300, "1.5e+300"),
        (-1e-323, -1e-323, 0.0, "-1e-323"),
    ],
)
def test_numbers_separate_the_values(threshold, below, above, words):
    assert number_words(threshold, below, above) == words
    assert below <= (int(words) if isinstance(threshold, int) else float(words)) < above


def missing_left():
    """Return a classifier that sends missing ages to the left at the first two nodes."""
    inner = [
        {"feature": 0, "threshold": 60.5, "missing_go_to_left": 1, "left": 1, "right": 6},
        {"feature": 0, "threshold": 34.5, "missing_go_to_left": 0, "left": 2, "right": 3},
        {"left": -1, "right": -1, "weights": [5, 0]},
        {"feature": 1, "threshold": 1e17, "left": 4, "right": 5},
        {"left": -1, "right": -1, "weights": [0, 4]},
        {"left": -1, "right": -1, "weights": [3, 0]},
        {"left": -1, "right": -1, "weights": [0, 2]},
    ]
    inner[3]["exact_threshold"] = 10**17 + 5
    for node in reversed(inner):
        leaf = node["left"] < 0
        node.update({"feature": -2, "threshold": -2.0} if leaf else {})
        if not leaf:
            children = (inner[node["left"]], inner[node["right"]])
            node["weights"] = np.sum([child["weights"] for child in children], axis=0)
    no = np.array([False, False])
    columns = Columns(("age", "account"), (None, None), no, no, has_missing=np.array([True, False]))
    return grown(columns, tree_of(inner, 2), ["a", "b"])


def test_missing_values_that_go_left():
    clf = missing_left()
    assert export_text(clf).splitlines() == [
        "age <= 60.5 or missing?",
        "  yes: age <= 34.5?",
        "    yes: a (5 rows, 100%)",
        "    no or missing: account <= 100000000000000005?",
        "      yes: b (4 rows, 100%)",
        "      no: a (3 rows, 100%)",
        "  no: b (2 rows, 100%)",
    ]
    middle = "(34.5 < age <= 60.5 or missing) and account"
    assert leaf_rules(clf) == [
        "If age <= 34.5 then a (5 rows, 100%)",
        f"If {middle} <= 100000000000000005 then b (4 rows, 100%)",
        f"If {middle} > 100000000000000005 then a (3 rows, 100%)",
        "If age > 60.5 and age is known then b (2 rows, 100%)",
    ]
    assert r'0 [label="age <= 60.5 or missing?\n14 rows"' in export_graphviz(clf)


def test_graphviz():
    clf = flowers()
    lines = export_graphviz(clf).splitlines()
    assert lines[0] == "digraph tree {"
    assert lines[-1] == "}"
    assert sum("label=" in line and "->" not in line for line in lines) == clf.tree_.node_count
    assert r'  0 [label="petal width <= 1.75?\n76 rows", fillcolor=' in "\n".join(lines)
    assert '  0 -> 1 [label="yes"];' in lines
    # "Yes" is the right child if the test is for a missing value or for a 1.
    assert '  8 -> 14 [label="yes"];' in lines
    assert '  9 -> 13 [label="yes"];' in lines


def test_names_in_graphviz_are_escaped():
    names = ['say "a" \\ b', "two\nlines", "rain"]
    dot = export_graphviz(flowers(), feature_names=names)
    assert r'label="say \"a\" \\ b <= 1.75?\n' in dot
    assert r'label="two\nlines == blue?\n' in dot
    # Every line has an even number of quotes that are not escaped.
    for line in dot.splitlines():
        assert re.sub(r"\\.", "", line).count('"') % 2 == 0


def test_str_shows_proof_and_tree_and_repr_does_not():
    clf = OptimalTreeClassifier(max_depth=1)
    assert str(clf) == repr(clf) == "OptimalTreeClassifier(max_depth=1)"
    clf.fit([[0], [1]], ["dry", "wet"])
    assert repr(clf) == "OptimalTreeClassifier(max_depth=1)"
    tree = "x0?\n  yes: wet (1 row, 100%)\n  no: dry (1 row, 100%)"
    proof = "Proved optimal: 0 errors"
    assert str(clf) == f"{proof}\nOptimalTreeClassifier(max_depth=1)\n{tree}"


@unfinished
def test_large_trees_are_cut():
    X, y, _, _ = tic_tac_toe()
    lines = str(OptimalTreeClassifier(max_depth=7, node_limit=1).fit(X, y)).splitlines()
    assert len(lines) == 42
    assert re.fullmatch(r"\.\.\. \(\d+ more lines\)", lines[-1])


@unfinished
def test_the_box_of_a_large_tree_has_its_first_levels():
    X, y, _, _ = tic_tac_toe()
    html = OptimalTreeClassifier(max_depth=7, node_limit=1).fit(X, y)._repr_html_()
    assert "<p>The picture has the nodes down to depth 4 of 7; " in html
    assert html.count("<rect") <= 31
    assert "leaves below" in html


def test_html_is_that_of_scikit_learn_with_proof_and_tree():
    clf = OptimalTreeClassifier(max_depth=1)
    plain = clf._repr_html_()
    assert "OptimalTreeClassifier" in plain
    assert "<pre>x" not in plain
    assert "roved" not in plain
    clf.fit([[0], [1]], ["<b>", "wet"])
    clf.proof_ = "Proved <b>optimal</b>: 0 errors"  # as a file could have it
    for html in (clf._repr_html_(), clf._repr_mimebundle_()["text/html"]):
        assert "sk-" in html
        assert html.startswith("<p>Proved &lt;b&gt;optimal&lt;/b&gt;: 0 errors</p>")
        assert '<div style="overflow-x: auto"><svg xmlns="http://www.w3.org/2000/svg"' in html
        assert "<b>" not in html[html.index("<svg xmlns") :]
        assert html.endswith(
            '<pre style="font-family: monospace">'
            "x0?\n  yes: wet (1 row, 100%)\n  no: &lt;b&gt; (1 row, 100%)</pre></details>"
        )
    assert clf._repr_mimebundle_()["text/plain"] == str(clf)
    with config_context(display="text"):
        assert "text/html" not in clf._repr_mimebundle_()
        assert not hasattr(clf, "_repr_html_")
    pipeline = make_pipeline(FunctionTransformer(), clf).fit([[0], [1]], [0, 1])
    assert "OptimalTreeClassifier" in pipeline._repr_html_()


def test_unfitted():
    clf = OptimalTreeClassifier()
    for show in (clf.leaf_rules, clf.to_json, clf.to_sql, clf.to_python, clf.to_sklearn):
        with pytest.raises(NotFittedError):
            show()
    with pytest.raises(NotFittedError):
        export_graphviz(clf)
