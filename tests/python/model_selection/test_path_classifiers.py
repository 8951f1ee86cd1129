"""The trees of paths as classifiers, which predict and can be shown and exported."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from beamtree import OptimalTreeClassifier, export_graphviz, export_text, leaf_path, penalty_path
from beamtree.datasets import monks
from beamtree.export import plot_tree


@pytest.fixture(scope="module")
def rows():
    X, y, _, _ = monks(1)
    return pd.DataFrame(X, columns=[f"test {k}" for k in range(X.shape[1])]), y


@pytest.mark.parametrize("find", [penalty_path, leaf_path])
def test_each_tree_of_a_path_is_a_classifier(rows, find):
    path = find(*rows, max_depth=3)
    across = "leaves" if find is penalty_path else "max_leaf_nodes"
    for row, tree in zip(path.table, path.trees, strict=True):
        clf = path.classifier(int(row[across]))
        assert clf.tree_.value is tree.value
        assert (clf.predict(rows[0]) != rows[1]).sum() == row["n_errors"] == clf.n_errors_
        assert (clf.objective_, clf.lower_bound_) == (row["error"], row["lower_bound"])
        again = clone(clf).fit(*rows)
        assert (again.objective_, again.status_) == (clf.objective_, clf.status_)
        assert again.proof_ == clf.proof_


def test_the_largest_tree_within_the_limit(rows):
    path = penalty_path(*rows, max_depth=3)
    assert path.table["leaves"].tolist() == [1, 2, 4, 7]
    leaves = [path.classifier(most).get_n_leaves() for most in (1, 2, 3, 4, 6, 7, 100)]
    assert leaves == [1, 2, 2, 4, 4, 7, 7]
    assert path.classifier().get_n_leaves() == 7
    for wrong in (0, 2.5, True):
        with pytest.raises(ValueError, match="max_leaf_nodes must be None or an integer of at"):
            path.classifier(wrong)


def test_a_tree_of_a_path_in_every_form(rows):
    pytest.importorskip("matplotlib")
    clf = leaf_path(*rows, max_depth=3, max_leaf_nodes=3).classifier(3)
    assert clf.proof_ == "Proved optimal with at most 3 leaves: 108 errors"
    assert str(clf).startswith(f"{clf.proof_}\nOptimalTreeClassifier(max_depth=3, max_leaf_nodes=3")
    assert "test " in export_text(clf)
    assert plot_tree(clf).get_title() == clf.proof_
    assert export_graphviz(clf).startswith("digraph tree {")
    assert clf.to_svg().startswith("<svg")
    assert clf.leaf_rules()[0].startswith("If test ")
    assert '"test ' in clf.to_sql("rows")
    again = OptimalTreeClassifier.from_json(clf.to_json())
    for other in (again, pickle.loads(pickle.dumps(clf))):
        assert (other.predict(rows[0]) == clf.predict(rows[0])).all()
        assert other.proof_ == clf.proof_
    assert list(clf.feature_names_in_) == list(rows[0].columns)
    assert len(clf.alternatives_) == 0


def test_the_proof_names_what_ended_the_path():
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 6)), rng.integers(0, 2, 300)
    clf = leaf_path(X, y, max_leaf_nodes=6, time_limit=0).classifier(6)
    assert clf.status_ == "time_limit"
    assert clf.proof_.startswith("Not proved with at most 6 leaves: ")
    assert clf.proof_.endswith("(time limit of 0 s)")
    weight = rng.random(300)
    clf = penalty_path(X[:, :1].round(1), y, sample_weight=weight, max_depth=1).classifier()
    assert clf.status_ == "optimal"
    assert clf.proof_.startswith("Proved optimal: objective ")
    assert " (up to " in clf.proof_


def test_paths_can_be_pickled(rows):
    path = penalty_path(*rows, max_depth=2)
    assert repr(pickle.loads(pickle.dumps(path))) == repr(path)
