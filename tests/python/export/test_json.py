"""Trees as JSON: nothing is lost, and other texts are refused."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from beamtree import OptimalTreeClassifier
from beamtree.datasets import load_binarized
from beamtree.export import export_text, from_json, leaf_rules, to_json, to_python, to_sql
from tests.python.export.shown_trees import (
    exact_tree,
    grown,
    mixed_tree,
    number_columns,
    random_tree,
)

TREE, _ = mixed_tree(0)
WRITTEN = json.loads(to_json(TREE))
ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "value",
    "categories",
    "prediction",
    "missing_go_to_left",
    "exact_threshold",
    "value_below",
    "value_above",
)


SEARCH = (
    "status_",
    "proof_",
    "objective_",
    "lower_bound_",
    "gap_",
    "n_errors_",
    "n_leaves_bound_",
    "rounding_",
    "search_space_",
    "statistics_",
)


@pytest.mark.parametrize("tree", [mixed_tree, exact_tree])
@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_lost(tree, seed):
    clf, _ = tree(seed)
    twin = from_json(to_json(clf), OptimalTreeClassifier())
    for name in ARRAYS:
        mine, other = getattr(clf.tree_, name), getattr(twin.tree_, name)
        assert mine.dtype == other.dtype, name
        assert_array_equal(mine, other, err_msg=name)
    assert twin.tree_.max_depth == clf.tree_.max_depth
    assert_array_equal(twin.columns_.wide, clf.columns_.wide)
    for name in SEARCH:
        assert getattr(twin, name) == getattr(clf, name)
    assert_array_equal(twin.trace_, clf.trace_)
    assert list(twin.alternatives_) == list(clf.alternatives_)
    for show in (export_text, leaf_rules, to_python, to_sql, to_json):
        assert show(twin) == show(clf)


def test_a_fitted_classifier():
    data = load_binarized("iris")
    clf = OptimalTreeClassifier(max_depth=2).fit(data.X, data.y)
    twin = OptimalTreeClassifier.from_json(clf.to_json(indent=1).encode())
    assert_array_equal(twin.predict_proba(data.X), clf.predict_proba(data.X))
    for name in SEARCH:
        assert getattr(twin, name) == getattr(clf, name)
    assert_array_equal(twin.trace_, clf.trace_)
    assert list(twin.alternatives_) == list(clf.alternatives_)
    assert not hasattr(twin, "feature_names_in_")
    assert set(vars(twin)) == set(vars(clf))
    assert twin.fit(data.X, data.y).status_ == "optimal"


def test_long_traces_are_thinned():
    clf = copy.copy(TREE)
    clf.trace_ = np.zeros(5000, TREE.trace_.dtype)
    clf.trace_["nodes"] = np.arange(5000)
    nodes = from_json(to_json(clf), OptimalTreeClassifier()).trace_["nodes"]
    assert (len(nodes), nodes[0], nodes[-1]) == (1000, 0, 4999)
    assert set(np.diff(nodes)) == {5, 6}


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "bb"]),
        np.array(["a", "bb"], dtype=object),
        np.array([False, True]),
        np.array([-1, 1], dtype=np.int8),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([0.5, 1.5], dtype=np.float32),
        np.array([0.1, 0.2]),
    ],
    ids=lambda labels: labels.dtype.name,
)
def test_labels_keep_their_types(labels):
    tree = random_tree(np.random.default_rng(1), number_columns(), 3, n_classes=2)
    twin = from_json(to_json(grown(number_columns(), tree, labels)), OptimalTreeClassifier())
    assert twin.classes_.dtype == labels.dtype
    assert_array_equal(twin.classes_, labels)


def test_labels_that_json_does_not_have():
    clf = copy.copy(TREE)
    clf.classes_ = np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="datetime64[D]")
    with pytest.raises(ValueError, match="labels and categories must be texts"):
        to_json(clf)


def edited(*path, value=None, delete=False):
    """Return the JSON of the tree with one change."""
    content = copy.deepcopy(WRITTEN)
    place = content
    for key in path[:-1]:
        place = place[key]
    if delete:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(content)


DETAILS = ("at_most_integer", "missing_goes_left", "between")


def older(at_most):
    """Return the JSON of version 1 of a tree with one threshold."""
    content = copy.deepcopy(WRITTEN)
    content["version"] = 1
    for key in ("proof", "n_leaves_bound", "categories", "possible_categories"):
        del content["search"][key]
    for column in content["columns"]:
        del column["wide"], column["ordered"], column["time"], column["has_missing"]
        if column["categories"] is not None:
            column["categories"]["values"].sort()
    for test in (*content["search"]["alternatives"], *content["nodes"]):
        for key in DETAILS:
            test.pop(key, None)
        if "in" in test:
            test["equals"] = test.pop("in")[0]
    for node in content["nodes"]:
        del node["probabilities"], node["error"]
        if "at_most" in node:
            node["at_most"] = at_most
    return json.dumps(content)


LEAF = next(k for k, node in enumerate(WRITTEN["nodes"]) if "column" not in node)
BY_TEST = {
    key: next(k for k, node in enumerate(WRITTEN["nodes"]) if key in node)
    for key in ("at_most", "equals", "in", "known")
}
AT_MOST = BY_TEST["at_most"]
OUT_OF_PLACE = [
    (edited("format", value="other"), "format must be 'beamtree.tree', got 'other'"),
    (edited("version", value=3), "version must be 1 or 2, got 3"),
    (edited("version", value=True), "version must be 1 or 2, got True"),
    (edited("version", value=1), "has the unknown key"),
    (edited("nodes", delete=True), "the tree has no key 'nodes'"),
    (edited("more", value=1), "the tree has the unknown key 'more'"),
    (edited("nodes", value=[]), "nodes must be a list that is not empty"),
    (edited("nodes", value={}), "nodes must be a list that is not empty"),
    (edited("nodes", 0, value=3), r"nodes\[0\] must be an object, got 3"),
    (edited("nodes", 0, "left", value=0), r"nodes\[0\].left must be an integer from 1"),
    (edited("nodes", 0, "left", value=1.0), r"nodes\[0\].left must be an integer from 1"),
    (edited("nodes", 0, "left", value=10**50), r"left must be .* an integer of 167 bits"),
    (edited("nodes", 0, "right", value=1), "nodes must be a tree in depth-first order"),
    (edited("nodes", 0, "column", delete=True), r"nodes\[0\] has the unknown key"),
    (edited("nodes", 0, "column", value=7), r"nodes\[0\].column must be an integer from 0 to 6"),
    (edited("nodes", LEAF, "rows", value=0), "rows must be an integer from 1"),
    (edited("nodes", LEAF, "rows", value=2**63), "rows must be an integer from 1"),
    (
        edited("nodes", LEAF, "rows", value=10**6),
        "rows must be the sum of",
    ),
    (edited("nodes", LEAF, "weight", value=0.0), "weight must be a finite number above 0"),
    (
        edited("nodes", LEAF, "weight", value=1e6),
        "weight must be the sum of",
    ),
    (edited("nodes", LEAF, "prediction", value=3), "prediction must be an integer from 0 to 2"),
    (edited("nodes", LEAF, "shares", value=[1.0]), "shares must be a list of 3 numbers"),
    (edited("nodes", LEAF, "shares", value=[1.0, 1.0, 1.0]), "shares must add up to 1"),
    (edited("nodes", LEAF, "shares", value=[2.0, -1.0, 0.0]), r"shares\[0\] must be a number"),
    (edited("nodes", LEAF, "shares", value=[True, 0, 0]), r"shares\[0\] must be a number"),
    (
        edited("nodes", AT_MOST, "at_most", value="0.5"),
        "at_most must be a finite number, got '0.5'",
    ),
    (edited("nodes", AT_MOST, "at_most", value=1e999), "Infinity is not a number in JSON"),
    (edited("nodes", AT_MOST, "missing_goes_left", value=False), "missing_goes_left must be true"),
    (edited("nodes", AT_MOST, "between", value=[1.0]), "between must be a list of two numbers"),
    (edited("nodes", AT_MOST, "between", value=[None, 1]), r"between\[0\] must be a finite number"),
    (
        edited("nodes", AT_MOST, "between", value=[8.0, 9.0]),
        "between must be a number that goes le",
    ),
    (edited("nodes", AT_MOST, "at_most_integer", value=1.0), "at_most_integer must be an integer"),
    (edited("nodes", AT_MOST, "at_most_integer", value=9), "must be at_most, rounded down"),
    (edited("nodes", AT_MOST, "at_most_integer", value=10**400), "at_most_integer must be an int"),
    (edited("nodes", BY_TEST["known"], "missing_goes_left", value=True), "has the unknown key"),
    (older(0.1), "at_most must be a number that a float32"),
    (older(1e300), "at_most must be a number that a float32"),
    (edited("nodes", AT_MOST, "equals", value=0), "must have one of the keys at_most, equals"),
    (edited("nodes", AT_MOST, "at_most", delete=True), "must have one of the keys at_most, equals"),
    (edited("nodes", AT_MOST, "column", value=3), "at_most cannot test a column of categories"),
    (
        edited("nodes", BY_TEST["equals"], "column", value=0),
        "equals cannot test a column",
    ),
    (edited("nodes", BY_TEST["equals"], "equals", value=3), "equals must be an integer from 0"),
    (edited("nodes", BY_TEST["in"], "in", value=[]), "in must be a list that is not empty"),
    (edited("nodes", BY_TEST["in"], "in", value=[1]), "in must have at least two positions"),
    (edited("nodes", BY_TEST["in"], "in", value=[1, 0]), "in must have at least two positions"),
    (edited("nodes", BY_TEST["in"], "in", value=[0, 9]), r"in\[1\] must be an integer from 0"),
    (edited("nodes", BY_TEST["in"], "column", value=0), "in cannot test a column of numbers"),
    (edited("nodes", BY_TEST["in"], "missing_goes_left", value=0), "missing_goes_left must be"),
    (edited("columns", 0, "ordered", value=True), r"columns\[0\].ordered must be false"),
    (edited("columns", 6, "ordered", value=False), "must be sorted, and all different"),
    (edited("columns", 6, "categories", "values", 1, value="small"), "must be all different"),
    (edited("search", "possible", 3, value=2**1001), "must be an integer from 0 to 2..1000"),
    (edited("search", "categories", 3, value=5), r"categories\[3\] must be an integer from 0 to"),
    (edited("nodes", BY_TEST["known"], "known", value=False), "known must be true, got False"),
    (edited("named", value="yes"), "named must be true or false, got 'yes'"),
    (edited("columns", value=[]), "columns must be a list that is not empty"),
    (edited("columns", 0, "name", value=7), r"columns\[0\].name must be a text, got 7"),
    (edited("columns", 0, "name", value="\ud800"), r"columns\[0\].name must be a text"),
    (edited("columns", 3, "binary", value=True), r"columns\[3\].binary must be false, got True"),
    (edited("columns", 0, "wide", value=True), r"columns\[0\].wide must be false, got True"),
    (edited("nodes", LEAF, "probabilities", value=[1.0]), "probabilities must be a list of 3"),
    (edited("nodes", LEAF, "probabilities", value=[1.0, 1.0, 0.0]), "probabilities must add up"),
    (edited("nodes", LEAF, "error", value=-1.0), "error must be a finite number of at least 0"),
    (edited("columns", 0, "has_missing", value=False), "needs a column that had missing values"),
    (edited("columns", 5, "has_missing", value=True), r"columns\[5\].has_missing must be false"),
    (edited("columns", 0, "wide", delete=True), r"columns\[0\] has no key 'wide'"),
    (edited("columns", 3, "integral", value=True), r"columns\[3\].integral must be false"),
    (edited("columns", 3, "categories", "values", 1, value="a"), "must be sorted, and all"),
    (edited("classes", "values", value=[]), "classes.values must not be empty"),
    (edited("classes", "values", 0, value=None), r"classes.values\[0\] must be a value of type"),
    (edited("classes", "values", 0, value="it's b"), "classes.values must be sorted, and all"),
    (edited("classes", value={"type": "int8", "values": [1, 2, 300]}), "must fit into the type"),
    (edited("classes", value={"type": "float16", "values": [0.1, 0.2, 0.3]}), "holds exactly"),
    (edited("classes", value={"type": "float16", "values": [0.0, 1.0, 1e9]}), "type float16"),
    (edited("classes", value={"type": "str", "values": ["a", "b\0", "c"]}), "holds exactly"),
    (edited("classes", "type", value="datetime64"), "classes.type must be one of str, object"),
    (edited("classes", "type", value=["str"]), "classes.type must be one of str, object"),
    (edited("search", "status", value="fine"), "search.status must be 'optimal' or"),
    (edited("search", "lower_bound", value=0.0), "search.status must not be 'optimal' if"),
    (edited("search", "proof", value="Proved\nfine"), "search.proof must be one line of text"),
    (edited("search", "objective", value=-1), "search.objective must be a finite number"),
    (edited("search", "lower_bound", value=4.0), "search.lower_bound must be a number from 0 to 3"),
    (edited("search", "n_leaves_bound", value=0), "search.n_leaves_bound must be an integer"),
    (edited("search", "n_errors", value=1.5), "search.n_errors must be an integer"),
    (edited("search", value=None), "search must be an object, got None"),
    (edited("search", "tests", value=[1]), "search.tests must be a list of 7 numbers"),
    (edited("search", "tests", 2, value=5), r"search.tests\[2\] must be an integer from 0 to 4"),
    (edited("search", "possible", 0, value=-1), r"search.possible\[0\] must be an integer"),
    (edited("search", "trace", value=[]), r"search.trace must be an object, got \[\]"),
    (edited("search", "trace", "seconds", value=[]), "search.trace.seconds must be a list"),
    (edited("search", "trace", "nodes", value=[1]), "search.trace.nodes must be a list of 2"),
    (edited("search", "trace", "nodes", 0, value=2**63), r"search.trace.nodes\[0\] must be"),
    (edited("search", "trace", "objective", 1, value=None), r"objective\[1\] must be a finite"),
    (edited("search", "alternatives", value={}), "search.alternatives must be a list, got {}"),
    (edited("search", "alternatives", 0, value=1), r"alternatives\[0\] must be an object, got 1"),
    (edited("search", "alternatives", 0, "column", value=7), r"\[0\].column must be an integer"),
    (edited("search", "alternatives", 0, "equals", value=0), "must have one of the keys at_most"),
    (edited("search", "alternatives", 0, "objective", value=None), "objective must be a finite"),
    (edited("search", "statistics", value=3), "search.statistics must be an object, got 3"),
    (edited("search", "statistics", "nodes", value="7"), r"statistics\['nodes'\] must be a fin"),
    (edited("search", "statistics", "\ud800", value=7), "a key of search.statistics must be a te"),
    ("[" * 100_000, "nested too deeply"),
    ('{"format": ' * 100_000, "nested too deeply"),
    ('{"format": NaN}', "NaN is not a number in JSON"),
    ('{"format": 1e999}', "format must be 'beamtree.tree', got inf"),
    ('{"format": ' + "9" * 5000 + "}", "not strict JSON"),
    ('{"format": 1, "format": 2}', "the same key twice"),
    ("", "not strict JSON"),
    ("[]", r"the tree must be an object, got \[\]"),
    (b"\xff\xfe\x00", "not strict JSON"),
    (None, "text must be a str or bytes, got NoneType"),
]


@pytest.mark.parametrize(("text", "message"), OUT_OF_PLACE)
def test_errors_say_what_is_wrong(text, message):
    with pytest.raises(ValueError, match=message) as caught:
        from_json(text, OptimalTreeClassifier())
    assert len(str(caught.value)) < 500


def test_files_of_version_1_predict_as_they_did():
    threshold = float(np.float32(0.1))
    clf = from_json(older(threshold), OptimalTreeClassifier())
    assert clf.proof_ == "Proved optimal over 21 tests: 3 errors"
    assert clf.n_leaves_bound_ == 1
    tree = clf.tree_
    node = int(np.flatnonzero(np.isfinite(tree.threshold) & np.isin(tree.feature, (0, 1)))[0])
    for value in (0.1, threshold, float(np.nextafter(np.float32(0.1), np.float32(1))), 0.2):
        left = value <= tree.threshold[node]
        assert left == (np.float32(value) <= np.float32(threshold))
    assert set(tree.missing_go_to_left) == {0}
    assert set(tree.exact_threshold) == set(tree.value_below) == set(tree.value_above) == {None}


def one_row():
    """Return a leaf with one row."""
    shares = [1.0, 0.0, 0.0]
    known = {"rows": 1, "weight": 1.0, "prediction": 0, "error": 0.0}
    return known | {"shares": shares, "probabilities": shares}


def test_cycles_and_nodes_out_of_reach():
    leaf = one_row()
    inner = {**leaf, "column": 0, "at_most": 0.5, "left": 1, "right": 1}
    with pytest.raises(ValueError, match="nodes must be a tree in depth-first order"):
        from_json(edited("nodes", value=[inner, leaf]), OptimalTreeClassifier())
    with pytest.raises(ValueError, match="no node leads to node 1"):
        from_json(edited("nodes", value=[leaf, leaf]), OptimalTreeClassifier())


def test_trees_that_are_too_deep():
    leaf = one_row()
    chain = []
    for depth in range(501):
        inner = {**leaf, "column": 0, "at_most": 0.5, "left": 2 * depth + 1, "right": 2 * depth + 2}
        chain += [{**inner, "rows": 502 - depth, "weight": 502.0 - depth}, leaf]
    chain.append(leaf)
    with pytest.raises(ValueError, match="a depth of at most 500"):
        from_json(edited("nodes", value=chain), OptimalTreeClassifier())


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from([10**400, -1, 2**63, 1e308, "known", [], {}]),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


def places(content, path=()):
    yield path
    if isinstance(content, dict | list):
        keys = content if isinstance(content, dict) else range(len(content))
        for key in keys:
            yield from places(content[key], (*path, key))


PLACES = list(places(WRITTEN))[1:]


@given(st.lists(st.tuples(st.sampled_from(PLACES), ANYTHING | st.just(...)), max_size=3))
def test_changed_content_is_refused_or_predicts(changes):
    content = copy.deepcopy(WRITTEN)
    for path, value in changes:
        place = content
        try:
            for key in path[:-1]:
                place = place[key]
            if value is ...:
                del place[path[-1]]
            else:
                place[path[-1]] = value
        except (LookupError, TypeError):
            continue
    refused_or_predicts(json.dumps(content))


@given(ANYTHING.map(json.dumps) | st.text() | st.binary())
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="the JSON of a tree cannot be read"):
        from_json(text, OptimalTreeClassifier())


@given(st.integers(0, len(json.dumps(WRITTEN))), st.text(max_size=3), st.integers(0, 4))
def test_damaged_texts_are_refused_or_predict(at, insert, cut):
    text = json.dumps(WRITTEN)
    refused_or_predicts(text[:at] + insert + text[at + cut :])


def refused_or_predicts(text):
    clf = OptimalTreeClassifier()
    reason = ""
    try:
        from_json(text, clf)
    except ValueError as error:
        reason = str(error)
    if reason:
        assert "the JSON of a tree cannot be read" in reason
        assert not hasattr(clf, "tree_")
        return
    rng = np.random.default_rng(0)
    rows = rng.choice([np.nan, -1.0, 0.0, 0.5, 1.0, 2.0], (50, clf.n_features_in_))
    leaf = clf.tree_.apply(rows)
    assert (clf.tree_.feature[leaf] < 0).all()
    assert len(clf.classes_[clf.tree_.prediction[leaf]]) == 50
    for show in (export_text, leaf_rules, to_json):
        show(clf)
