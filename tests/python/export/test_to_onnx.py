"""Trees as ONNX graphs."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from beamtree import OptimalTreeClassifier
from beamtree._table.columns import Columns
from beamtree.datasets import load_binarized
from beamtree.export import to_onnx
from tests.python.export.shown_trees import (
    grown,
    mixed_tree,
    number_columns,
    number_tree,
    random_tree,
)

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def run(model, inputs):
    session = runtime.InferenceSession(model.SerializeToString())
    return session.run(["label", "probabilities"], inputs)


@pytest.mark.parametrize("n_rows", [1, 7, 5000])
@pytest.mark.parametrize(
    "labels", [["a", "b"], ["a", "b", "ü"], [-5, 0, 2**40], np.array(["a", "b", "c"], dtype=object)]
)
def test_labels(labels, n_rows):
    rng = np.random.default_rng(2)
    columns = number_columns()
    clf = grown(columns, random_tree(rng, columns, 4, len(labels)), labels)
    X = rng.normal(size=(n_rows, 4)).astype(np.float32)
    label, probabilities = run(to_onnx(clf), {"X": X})
    assert_array_equal(label, clf.predict(X))
    assert_allclose(probabilities, clf.predict_proba(X), atol=1e-6)


def test_the_reference_implementation_agrees():
    from onnx.reference import ReferenceEvaluator

    for n_classes in (2, 3):
        rng = np.random.default_rng(n_classes)
        columns = number_columns()
        labels = [f"class {k}" for k in range(n_classes)]
        clf = grown(columns, random_tree(rng, columns, 4, n_classes), labels)
        X = rng.normal(size=(200, 4)).astype(np.float32)
        label, probabilities = ReferenceEvaluator(to_onnx(clf)).run(None, {"X": X})
        assert_array_equal(label, clf.predict(X))
        assert_allclose(probabilities, clf.predict_proba(X), atol=1e-6)


def test_two_classes_and_ties():
    data = load_binarized("breast_cancer")
    clf = OptimalTreeClassifier(max_depth=2).fit(data.X, data.y == 1)
    label, probabilities = run(clf.to_onnx(), {"X": data.X.astype(np.float32)})
    assert_array_equal(label, clf.predict(data.X).astype(int))
    assert_allclose(probabilities, clf.predict_proba(data.X), atol=1e-6)
    tie = OptimalTreeClassifier(max_depth=1).fit([[0], [0], [1], [1]], [0, 1, 1, 0])
    label, _ = run(tie.to_onnx(), {"X": np.array([[0], [1]], dtype=np.float32)})
    assert_array_equal(label, tie.predict([[0], [1]]))


def test_one_leaf_and_one_class():
    clf = OptimalTreeClassifier(max_depth=0).fit([[0, 1], [1, 1], [1, 0]], ["a", "b", "b"])
    label, probabilities = run(clf.to_onnx(), {"X": np.zeros((2, 2), dtype=np.float32)})
    assert label.tolist() == ["b", "b"]
    assert_allclose(probabilities, [[2 / 5, 3 / 5]] * 2, rtol=1e-6)
    clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1]], [7, 7])
    label, probabilities = run(clf.to_onnx(), {"X": np.zeros((2, 1), dtype=np.float32)})
    assert label.tolist() == [7, 7]
    assert_allclose(probabilities, [[1.0], [1.0]])


@pytest.mark.parametrize("nudge", [0.0, 1e-9])
def test_labels_that_do_not_follow_from_probabilities(nudge):
    clf, rows = number_tree(2)
    tree = clf.tree_
    # Shares that differ little are equal in 32 bits; with costs, the likeliest class may not be
    # the prediction.
    tree.value[:] = 1 / 3
    tree.value[:, 0, 2] += nudge
    object.__setattr__(tree, "prediction", np.full(tree.node_count, 2))
    label, probabilities = run(to_onnx(clf), {"X": np.array(rows, dtype=np.float32)})
    assert set(label.tolist()) == {9}
    assert_allclose(probabilities, 1 / 3, rtol=1e-6)


def test_inputs_of_a_table_with_categories():
    clf, _ = mixed_tree(0)
    graph = to_onnx(clf).graph
    kinds = {value.name: value.type.tensor_type.elem_type for value in graph.input}
    strings = {name for name, kind in kinds.items() if kind == onnx.TensorProto.STRING}
    assert list(kinds) == list(clf.columns_.names)
    assert strings == {"colour", "size"}


def test_a_column_of_nothing_but_missing_values():
    nothing = np.array([], dtype=object)
    no = np.zeros(2, bool)
    columns = Columns(("a", "b"), (None, nothing), no, no)
    clf = grown(
        columns, random_tree(np.random.default_rng(0), number_columns(1), 2), ["x", "y", "z"]
    )
    inputs = {"a": np.zeros((2, 1), np.float32), "b": np.array([[""], ["new"]])}
    label, _ = run(to_onnx(clf), inputs)
    assert_array_equal(label, clf.predict([[0.0, None], [0.0, "new"]]))


def renamed(name=None, categories=None, labels=None):
    clf, _ = mixed_tree(0)
    columns = clf.columns_
    names = (*columns.names[:3], name or columns.names[3], *columns.names[4:])
    known = columns.categories[3] if categories is None else categories
    known = (*columns.categories[:3], known, *columns.categories[4:])
    clf.columns_ = Columns(names, known, columns.integral, columns.binary)
    if labels is not None:
        clf.classes_ = np.array(labels)
    return clf


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"labels": [0.5, 1.5, 2.5]},
            r"labels in ONNX must be texts or integers of 64 bits, got \[0.5",
        ),
        ({"name": "X"}, "an input in ONNX cannot have the name 'X' here: rename the column"),
        ({"categories": np.array(["", "a", "b"])}, "is the empty string, which is a missing value"),
        (
            {"categories": np.array([1, 2, 2**24 + 1])},
            "all texts or all numbers that a float32 holds exactly, and those of",
        ),
        (
            {"categories": np.array([1, 2, "a"], object)},
            "all texts or all numbers that a float32 holds exactly, and those",
        ),
    ],
)
def test_refusals(changes, message):
    with pytest.raises(ValueError, match=message):
        to_onnx(renamed(**changes))


def test_without_onnx(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    clf = OptimalTreeClassifier(max_depth=0).fit([[0], [1]], [0, 1])
    with pytest.raises(ImportError, match=r"to_onnx needs onnx: pip install beamtree\[onnx\]"):
        clf.to_onnx()
