"""The leaf path has the best tree of every number of leaves."""

import os
import signal
from dataclasses import replace
from fractions import Fraction
from threading import Timer

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from beamtree import CancelToken, OptimalTreeClassifier, leaf_path, penalty_path
from beamtree.datasets import load_binarized, tic_tac_toe
from tests import oracle
from tests.python.problems import noisy_problem
from tests.unfinished import unfinished

COSTS = [[0, 1, 4], [1, 0, 1], [9, 2, 1]]
MISTAKES = 1 - np.eye(3, dtype=int)
DEEP = 10**6


def check(path, X, y, weight, costs, depth, leaf_size=1):
    errors = oracle.errors_by_leaves(X, y, weight, costs, depth, leaf_size)
    numbers = path.table["max_leaf_nodes"].tolist()
    assert numbers == list(range(1, len(path) + 1))
    least = [min(error for size, error in errors.items() if size <= k) for k in numbers]
    fewest = [min(size for size, error in errors.items() if error == best) for best in least]
    assert path.status == "optimal"
    assert path.table["error"] == pytest.approx([float(error) for error in least])
    assert path.table["leaves"].tolist() == fewest
    assert_array_equal(path.table["lower_bound"], path.table["error"])
    assert set(path.table["status"]) == {"optimal"}
    assert_array_equal([tree.n_leaves for tree in path.trees], path.table["leaves"])
    assert_array_equal([tree.max_depth for tree in path.trees], path.table["depth"])
    for row, tree in zip(path.table, path.trees, strict=True):
        predicted = tree.prediction[tree.apply(X)]
        paid = oracle.cost_of_predictions(predicted, y, weight, costs)
        assert float(paid) == pytest.approx(row["error"])
        assert (predicted != y).sum() == row["n_errors"]


@pytest.mark.parametrize("seed", range(9))
@pytest.mark.parametrize("depth", [1, 2, 3, None])
def test_brute_force(seed, depth):
    X, y, rng = noisy_problem(seed)
    weight = [None, rng.integers(1, 5, len(y)), rng.integers(1, 9, len(y)) / 10][seed % 3]
    path = leaf_path(X, y, sample_weight=weight, max_leaf_nodes=7, max_depth=depth)
    assert len(path) == (7 if depth is None else min(7, 2**depth))
    meant = None if weight is None else [Fraction(str(number)) for number in weight]
    check(path, X, y, meant, MISTAKES, DEEP if depth is None else depth)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("leaf_size", [1, 3])
def test_brute_force_with_costs(seed, leaf_size):
    X, y, rng = noisy_problem(seed)
    weight = rng.integers(1, 5, len(y)) if seed % 2 else None
    path = leaf_path(
        X, y, sample_weight=weight, max_depth=3, min_samples_leaf=leaf_size, cost_matrix=COSTS
    )
    check(path, X, y, weight, COSTS, 3, leaf_size)


@pytest.mark.parametrize("seed", range(4))
def test_it_has_the_trees_of_the_penalty_path_and_more(seed):
    X, y, _ = noisy_problem(seed, rows=60, features=6, classes=2)
    hull = penalty_path(X, y, max_depth=3)
    path = leaf_path(X, y, max_depth=3)
    errors = dict(zip(path.table["max_leaf_nodes"], path.table["error"], strict=True))
    for row in hull.table:
        assert errors[row["leaves"]] == row["error"]
    for row in path.table:
        clf = OptimalTreeClassifier(max_depth=3, max_leaf_nodes=int(row["max_leaf_nodes"]))
        assert clf.fit(X, y).n_errors_ == row["n_errors"]


def test_real_weights_that_must_be_rounded():
    X, y, rng = noisy_problem(5, rows=60, features=5, classes=2)
    path = leaf_path(X, y, sample_weight=rng.random(60) + 0.1, max_depth=2)
    assert path.status == "optimal"
    assert (path.table["status"] == "optimal").all()
    assert path.proof.startswith("Proved optimal: the best trees of 1 to 4 leaves and ")
    assert " (up to " in path.proof
    assert (path.table["lower_bound"] <= path.table["error"]).all()
    assert path.table["lower_bound"] == pytest.approx(path.table["error"], abs=1e-7)
    clf = path.classifier()
    assert clf.objective_ - clf.lower_bound_ <= clf.rounding_
    assert OptimalTreeClassifier.from_json(clf.to_json()).proof_ == clf.proof_
    assert (np.diff(path.table["error"]) <= 0).all()


@pytest.mark.parametrize("y", [[0, 0, 0], [0, 1, 0]])
def test_a_table_that_allows_no_split(y):
    path = leaf_path([[1], [1], [1]], y)
    assert (path.status, path.table["leaves"].tolist()) == ("optimal", [1, 1, 1])


def test_the_path_ends_with_the_largest_tree():
    X, y, _ = noisy_problem(0)
    for depth in (0, 1, 2):
        path = leaf_path(X, y, max_depth=depth, max_leaf_nodes=20)
        assert path.table["max_leaf_nodes"].tolist() == list(range(1, 2**depth + 1))
    assert path.proof == "Proved optimal: the best trees of 1 to 4 leaves and depth at most 2"
    one = leaf_path(X, y, max_leaf_nodes=1, max_depth=None)
    assert one.proof == "Proved optimal: the best trees of 1 leaf and any depth"


@unfinished
def test_a_time_limit_is_for_the_whole_path():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (1500, 40)), rng.integers(0, 2, 1500)
    path = leaf_path(X, y, max_depth=6, max_leaf_nodes=20, time_limit=1.0)
    assert path.seconds < 4.0
    assert path.status == "time_limit"
    assert path.proof.endswith("and depth at most 6 (time limit of 1 s)")
    assert (path.table["lower_bound"] <= path.table["error"]).all()
    assert (path.table["leaves"] <= path.table["max_leaf_nodes"]).all()
    for name in ("error", "lower_bound"):
        assert (np.diff(path.table[name]) <= 0).all()
    assert path.table["status"][:2].tolist() == ["optimal", "optimal"]


@unfinished
def test_bounds_hold_where_nothing_was_proved():
    X, y, _, _ = tic_tac_toe()
    whole = leaf_path(X, y, max_depth=3)
    assert whole.status == "optimal"
    hasty = leaf_path(X, y, max_depth=3, node_limit=1)
    assert hasty.status == "node_limit"
    assert (hasty.table["lower_bound"] <= whole.table["error"]).all()
    assert (hasty.table["error"] >= whole.table["error"]).all()


def test_it_ends_when_it_is_cancelled():
    token = CancelToken()
    token.cancel()
    X, y, _, _ = tic_tac_toe()
    path = leaf_path(X, y, max_depth=6, cancel=token)
    assert path.status == "interrupted"
    assert len(path) == 8
    assert path.table["status"][0] == "optimal"
    assert set(path.table["status"][1:]) == {"interrupted"}


def test_an_interrupt_keeps_what_is_there():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (1500, 40)), rng.integers(0, 2, 1500)
    given = {"max_depth": 6, "max_leaf_nodes": 20, "time_limit": 30}
    timer = Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    path = leaf_path(X, y, **given)
    assert path.status == "interrupted"
    assert path.seconds < 10
    # Also the numbers of leaves that were not searched have more than a single leaf.
    assert (path.table["error"][1:] < path.table["error"][0]).all()
    timer = Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        leaf_path(X, y, on_interrupt="raise", **given)


def test_parameters_are_those_of_a_search():
    X, y, _ = noisy_problem(1)
    plain = leaf_path(X, y, max_depth=2)
    for given in ({"rule": None}, {"exact_levels": 0}, {"n_jobs": 2}, {"init": plain.trees[-1]}):
        assert_array_equal(leaf_path(X, y, max_depth=2, **given).table, plain.table)
    weighted = leaf_path(X, y, max_depth=2, class_weight={0: 3})
    assert weighted.table["error"][0] != plain.table["error"][0]


@pytest.mark.parametrize("name", ["leaf_penalty", "tie_break", "verbose", "callback", "depth"])
def test_parameters_that_a_path_does_not_have(name):
    with pytest.raises(TypeError, match=f"takes no parameter '{name}'; allowed are"):
        leaf_path([[0], [1]], [0, 1], **{name: 0})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_leaf_nodes": 0}, "max_leaf_nodes must be an integer of at least 1, got 0"),
        ({"max_leaf_nodes": None}, "max_leaf_nodes must be an integer of at least 1, got None"),
        ({"max_leaf_nodes": 122, "max_depth": None}, "max_leaf_nodes must be at most 121 if"),
        ({"time_limit": -1}, "time_limit must be None or a number of seconds"),
        ({"max_depth": 21}, "max_depth must be None or an integer from 0 to 20"),
    ],
)
def test_errors_name_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        leaf_path([[0], [1]], [0, 1], **given)


@pytest.fixture(scope="module")
def path():
    data = load_binarized("iris")
    return leaf_path(data.X, data.y, max_leaf_nodes=6, max_depth=3)


def test_repr(path):
    lines = repr(path).splitlines()
    assert lines[0] == "Proved optimal: the best trees of 1 to 6 leaves and depth at most 3"
    assert len(lines) == 2 + len(path)
    assert [line.split()[0] for line in lines[2:]] == ["1", "2", "3", "4", "5", "6"]


def test_to_frame(path):
    frame = path.to_frame()
    assert frame["max_leaf_nodes"].tolist() == [1, 2, 3, 4, 5, 6]
    assert list(frame.columns) == list(path.table.dtype.names)


def test_plot(path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    ax = path.plot()
    assert ax.get_title().replace("\n", " ") == path.proof
    assert_array_equal(ax.lines[0].get_xdata(), path.table["max_leaf_nodes"])
    assert_array_equal(ax.lines[0].get_ydata(), path.table["error"])
    table = path.table.copy()
    table["lower_bound"] *= 0.5
    assert replace(path, table=table).plot(ax) is ax
    assert ax.get_legend() is not None
    plt.close("all")


def test_a_bound_on_thresholds_is_named():
    X = np.arange(50)[:, np.newaxis]
    path = leaf_path(X, X[:, 0] % 3, max_depth=1, max_thresholds=5)
    over = "over at most 5 thresholds per column"
    assert (
        path.proof == f"Proved optimal {over}: the best trees of 1 to 2 leaves and depth at most 1"
    )
