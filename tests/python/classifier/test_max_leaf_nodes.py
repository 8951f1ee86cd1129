"""A limit of leaves: its values, its words in the proof, and who takes it."""

import re

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, Search
from beamtree._engine import engine
from beamtree._engine.native import leaf_limit
from beamtree._engine.settings import Settings
from beamtree.datasets import monks, tic_tac_toe
from beamtree.export.json import from_json, to_json

XOR, LABELS = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
BOARDS, WINS, _, _ = tic_tac_toe()


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 5, 7, 8, 100])
@pytest.mark.parametrize("depth", [None, 3])
def test_a_tree_has_at_most_so_many_leaves(leaves, depth):
    X, y, _, _ = monks(1)
    clf = OptimalTreeClassifier(max_depth=depth, max_leaf_nodes=leaves, time_limit=5).fit(X, y)
    assert clf.get_n_leaves() <= leaves
    if depth is not None:
        assert clf.status_ == "optimal"
        # The hull of the errors has 1, 2, 4 and 7 leaves.
        assert clf.n_errors_ == {1: 216, 2: 108, 3: 108, 4: 72}.get(leaves, clf.n_errors_)
        assert (clf.n_errors_ == 48) == (leaves >= 7)


def test_any_depth_needs_a_price_or_a_limit_of_leaves():
    for leaves, errors in ((1, 2), (2, 2), (3, 1), (4, 0), (5, 0), (121, 0)):
        clf = OptimalTreeClassifier(max_depth=None, max_leaf_nodes=leaves).fit(XOR, LABELS)
        assert (clf.status_, clf.n_errors_) == ("optimal", errors)
    with pytest.raises(ValueError, match="unless leaf_penalty is above 0 or there are max_leaf_n"):
        OptimalTreeClassifier(max_depth=None).fit(XOR, LABELS)


@pytest.mark.parametrize("penalty", [0.0, 0.1])
def test_many_leaves_of_any_depth_are_refused(penalty):
    message = "max_leaf_nodes must be at most 121 if max_depth is None, got 122: give a max_depth"
    with pytest.raises(ValueError, match=message):
        Search(XOR, LABELS, max_depth=None, max_leaf_nodes=122, leaf_penalty=penalty)
    assert Search(XOR, LABELS, max_depth=20, max_leaf_nodes=122).run().objective == 0.0


@pytest.mark.parametrize(
    ("leaves", "depth", "penalty", "rows", "limit"),
    [
        (None, 3, 0.0, 100, 0),
        (7, 3, 0.0, 100, 7),
        (8, 3, 0.0, 100, 0),
        (10**30, 3, 0.0, 100, 0),
        (7, 3, 0.0, 7, 0),
        (7, 3, 0.0, 8, 7),
        (1, 0, 0.0, 100, 0),
        (1, 3, 0.0, 100, 1),
        (1, 3, 0.0, 1, 0),
        (50, None, 0.0, 100, 50),
        (50, None, 0.0, 20, 20),
        (50, None, 0.1, 100, 50),
        (50, None, 0.1, 20, 0),
        (1, None, 0.0, 1, 1),
    ],
)
def test_the_core_observes_limits_that_leave_trees_out(leaves, depth, penalty, rows, limit):
    settings = Settings(max_depth=depth, max_leaf_nodes=leaves, leaf_penalty=penalty)
    assert leaf_limit(settings, rows) == limit


def test_the_proof_names_a_limit_that_leaves_trees_out():
    clf = OptimalTreeClassifier(max_depth=3, max_leaf_nodes=5).fit(BOARDS, WINS)
    assert clf.proof_ == f"Proved optimal with at most 5 leaves: {clf.n_errors_} errors"
    assert str(clf).startswith(clf.proof_)
    assert f"<p>{clf.proof_}</p>" in clf._repr_html_()
    clf.set_params(max_leaf_nodes=1, leaf_penalty=0.01).fit(BOARDS, WINS)
    assert clf.proof_ == "Proved optimal with at most 1 leaf: objective 332"
    clf.set_params(max_leaf_nodes=8, leaf_penalty=0.0).fit(BOARDS, WINS)
    assert clf.proof_ == f"Proved optimal: {clf.n_errors_} errors"
    clf.set_params(max_depth=8, max_leaf_nodes=20, time_limit=0).fit(BOARDS, WINS)
    assert re.fullmatch(
        r"Not proved with at most 20 leaves: \d+ errors, at least \d+ \(time limit of 0 s\)",
        clf.proof_,
    )


def test_a_tree_to_start_from_is_cut_to_the_limit():
    large = OptimalTreeClassifier(max_depth=5, time_limit=0).fit(BOARDS, WINS)
    assert large.get_n_leaves() > 6
    clf = OptimalTreeClassifier(max_depth=5, max_leaf_nodes=6, time_limit=0, init=large)
    assert clf.fit(BOARDS, WINS).get_n_leaves() <= 6


def test_a_model_and_a_checkpoint_keep_it(tmp_path):
    search = Search(BOARDS, WINS, max_depth=4, max_leaf_nodes=6, tie_break="smallest")
    search.run(node_limit=3)
    search.save(tmp_path / "search")
    twin = Search.load(tmp_path / "search", BOARDS, WINS)
    assert twin.parameters == search.parameters
    assert (twin.parameters["max_leaf_nodes"], twin.parameters["tie_break"]) == (6, "smallest")
    result = twin.run()
    assert result.status == "optimal"
    assert result.tree.n_leaves == result.n_leaves_bound == twin.n_leaves_bound <= 6
    clf = twin.to_classifier()
    assert clf.max_leaf_nodes == 6
    read = from_json(to_json(clf), OptimalTreeClassifier())
    assert (read.proof_, read.n_leaves_bound_) == (clf.proof_, result.n_leaves_bound)


@pytest.mark.parametrize("algorithm", ["blossom", "lgdt"])
def test_algorithms_that_limit_only_the_depth_refuse_it(algorithm):
    X, y = np.array(XOR, dtype=np.uint8), np.array(LABELS, dtype=np.int32)
    with pytest.raises(ValueError, match=f"max_leaf_nodes must be None .* '{algorithm}'"):
        engine.run(X, y, None, 2, max_leaf_nodes=2, algorithm=algorithm)
    free = engine.run(X, y, None, 2, max_depth=2, max_leaf_nodes=4, algorithm=algorithm)
    assert free.objective == 0.0
