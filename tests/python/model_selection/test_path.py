"""The penalty path has exactly the trees on the convex hull of errors and leaves."""

import re
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer

from beamtree import (
    Binarizer,
    CancelToken,
    OptimalTreeClassifier,
    Search,
    leaf_path,
    penalty_path,
)
from beamtree.datasets import load_binarized, tic_tac_toe
from beamtree.export.text import tree_text
from tests import oracle
from tests.python.problems import noisy_problem
from tests.unfinished import unfinished

COSTS = [[0, 1, 4], [1, 0, 1], [9, 2, 1]]


def check(path, X, y, weight, costs, depth, leaf_size=1):
    errors = oracle.errors_by_leaves(X, y, weight, costs, depth, leaf_size)
    hull = oracle.hull_by_leaves(errors)
    assert path.status == "optimal"
    assert path.table["leaves"].tolist() == [leaves for leaves, _ in hull]
    assert path.table["error"] == pytest.approx([float(error) for _, error in hull])
    assert_array_equal(path.table["lower_bound"], path.table["error"])
    assert set(path.table["status"]) == {"optimal"}
    assert_array_equal([tree.n_leaves for tree in path.trees], path.table["leaves"])
    assert_array_equal([tree.max_depth for tree in path.trees], path.table["depth"])
    for row, tree in zip(path.table, path.trees, strict=True):
        predicted = tree.prediction[tree.apply(X)]
        paid = oracle.cost_of_predictions(predicted, y, weight, costs)
        assert float(paid) == pytest.approx(row["error"])
        assert (predicted != y).sum() == row["n_errors"]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_brute_force(seed, depth):
    X, y, rng = noisy_problem(seed)
    weight = [None, rng.integers(1, 5, len(y)), rng.integers(1, 9, len(y)) / 10][seed % 3]
    path = penalty_path(X, y, sample_weight=weight, max_depth=depth)
    # The oracle takes tenths, not the doubles next to them, whose sums have rounding errors.
    meant = None if weight is None else [Fraction(str(number)) for number in weight]
    check(path, X, y, meant, 1 - np.eye(3, dtype=int), depth)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("leaf_size", [1, 3])
def test_brute_force_with_costs(seed, leaf_size):
    X, y, rng = noisy_problem(seed)
    weight = rng.integers(1, 5, len(y)) if seed % 2 else None
    path = penalty_path(
        X, y, sample_weight=weight, max_depth=2, min_samples_leaf=leaf_size, cost_matrix=COSTS
    )
    check(path, X, y, weight, COSTS, 2, leaf_size)


@pytest.mark.parametrize("seed", range(4))
def test_penalties_give_the_trees(seed):
    X, y, _ = noisy_problem(seed, rows=60, features=6, classes=2)
    path = penalty_path(X, y, max_depth=3)
    assert len(path) > 2
    ends = path.table["penalty_to"]
    assert_array_equal(path.table["penalty_from"], [*ends[1:], 0.0])
    assert ends[0] == np.inf
    for row in path.table:
        assert row["penalty_from"] < row["leaf_penalty"] < row["penalty_to"]
        clf = OptimalTreeClassifier(max_depth=3, leaf_penalty=row["leaf_penalty"]).fit(X, y)
        assert (clf.get_n_leaves(), clf.n_errors_) == (row["leaves"], row["n_errors"])


@pytest.mark.parametrize("seed", range(4))
def test_a_limit_of_leaves(seed):
    X, y, _ = noisy_problem(seed)
    path = penalty_path(X, y, max_depth=3, max_leaf_nodes=4)
    errors = oracle.errors_by_leaves(X, y, None, 1 - np.eye(3, dtype=int), 3)
    hull = oracle.hull_by_leaves({size: error for size, error in errors.items() if size <= 4})
    assert path.table["leaves"].tolist() == [leaves for leaves, _ in hull]
    assert path.table["error"].tolist() == [float(error) for _, error in hull]
    noun = "tree" if len(path) == 1 else "trees"
    words = f"{len(path)} {noun} of depth at most 3"
    assert path.proof == f"Proved optimal with at most 4 leaves: {words}"


def raw(seed, rows=80):
    """Return a table of numbers and categories with missing values."""
    rng = np.random.default_rng(seed)
    X = np.empty((rows, 3), dtype=object)
    X[:, 0] = rng.normal(size=rows).round(1)
    X[:, 1] = rng.choice(["a", "b", "c"], rows)
    X[:, 2] = rng.integers(0, 9, rows)
    y = np.where(rng.random(rows) < 0.2, 0, (X[:, 1] == "b") + (X[:, 2] > 4))
    X[rng.random((rows, 3)) < 0.1] = None
    return X, y


@pytest.mark.parametrize("seed", range(3))
def test_raw_tables(seed):
    X, y = raw(seed)
    path = penalty_path(X, y, max_depth=3)
    answers = penalty_path(Binarizer().fit_transform(X), y, max_depth=3)
    assert path.status == answers.status == "optimal"
    for name in ("leaves", "error", "penalty_from"):
        assert_array_equal(path.table[name], answers.table[name])
    for row, tree in zip(path.table, path.trees, strict=True):
        leaf = tree.apply(path.columns.encode(X))
        assert (path.classes[tree.prediction[leaf]] != y).sum() == row["n_errors"]
    assert "x1 == b" in tree_text(path.trees[-1], path.columns, path.classes)


@pytest.mark.parametrize("seed", range(3))
def test_the_tests_of_a_given_tree_are_searched_throughout(seed):
    X, y = raw(seed)
    given = OptimalTreeClassifier(max_depth=3).fit(X, y)
    path = penalty_path(X, y, max_depth=3, max_thresholds=2, init=given)
    assert path.status == "optimal"
    for row in path.table:
        settings = {"leaf_penalty": row["leaf_penalty"], "max_thresholds": 2, "init": given}
        clf = OptimalTreeClassifier(max_depth=3, **settings).fit(X, y)
        assert (clf.get_n_leaves(), clf.n_errors_) == (row["leaves"], row["n_errors"])
    assert row["n_errors"] == given.n_errors_


def test_real_weights_that_must_be_rounded():
    X, y, rng = noisy_problem(5, rows=60, features=5, classes=2)
    path = penalty_path(X, y, sample_weight=rng.random(60) + 0.1, max_depth=2)
    assert path.status == "optimal"
    assert (path.table["status"] == "optimal").all()
    assert path.proof.startswith(f"Proved optimal: {len(path)} trees of depth at most 2 (up to ")
    assert (path.table["lower_bound"] <= path.table["error"]).all()
    assert path.table["lower_bound"] == pytest.approx(path.table["error"], abs=1e-7)
    assert (np.diff(path.table["error"]) < 0).all()


def test_weights_too_large_for_exact_prices():
    X, y, rng = noisy_problem(6, classes=2)
    weight = rng.integers(1, 4, len(y)).astype(float)
    weight *= 2**44
    weight[0] += 1
    path = penalty_path(X, y, sample_weight=weight, max_depth=2)
    assert path.status in ("optimal", "gap_reached")
    errors = oracle.errors_by_leaves(X, y, weight, [[0, 1], [1, 0]], 2)
    hull = oracle.hull_by_leaves(errors)
    assert path.table["leaves"].tolist() == [leaves for leaves, _ in hull]


@pytest.mark.parametrize("y", [[0, 0, 0], [0, 1, 0]])
def test_a_path_may_have_a_single_leaf_only(y):
    path = penalty_path([[1], [1], [1]], y)
    assert (len(path), path.status) == (1, "optimal")
    row = path.table[0]
    assert (row["leaf_penalty"], row["penalty_from"], row["penalty_to"]) == (0.0, 0.0, np.inf)


def test_depth_zero():
    assert penalty_path([[0], [1]], [0, 1], max_depth=0).table["leaves"].tolist() == [1]


@unfinished
def test_a_time_limit_is_for_the_whole_path():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (1500, 40)), rng.integers(0, 2, 1500)
    path = penalty_path(X, y, max_depth=6, time_limit=1.0)
    assert path.seconds < 4.0
    assert path.status == "time_limit"
    assert path.proof == f"Not proved: {len(path)} trees of depth at most 6 (time limit of 1 s)"
    assert (path.table["lower_bound"] <= path.table["error"]).all()
    assert (np.diff(path.table["error"]) < 0).all()
    slopes = np.diff(path.table["error"]) / np.diff(path.table["leaves"])
    assert (np.diff(slopes) > 0).all()
    assert "optimal" in path.table["status"][:1]


@unfinished
def test_bounds_hold_where_nothing_was_proved():
    X, y, _, _ = tic_tac_toe()
    whole = penalty_path(X, y, max_depth=3)
    assert whole.status == "optimal"
    hasty = penalty_path(X, y, max_depth=3, node_limit=1)
    assert hasty.status == "node_limit"
    for row in hasty.table:
        at_most = whole.table["leaves"] <= row["leaves"]
        assert row["lower_bound"] <= whole.table["error"][at_most].min()


def test_it_ends_when_it_is_cancelled():
    token = CancelToken()
    token.cancel()
    X, y, _, _ = tic_tac_toe()
    path = penalty_path(X, y, max_depth=6, cancel=token)
    assert path.status == "interrupted"
    assert path.table["leaves"][0] == 1


def test_parameters_are_those_of_a_search():
    X, y, _ = noisy_problem(1)
    plain = penalty_path(X, y, max_depth=2)
    for given in ({"rule": None}, {"exact_levels": 0}, {"n_jobs": 2}, {"init": plain.trees[-1]}):
        assert_array_equal(penalty_path(X, y, max_depth=2, **given).table, plain.table)
    weighted = penalty_path(X, y, max_depth=2, class_weight={0: 3})
    assert weighted.table["error"][0] != plain.table["error"][0]


@pytest.mark.parametrize("name", ["leaf_penalty", "verbose", "callback", "depth"])
def test_parameters_that_a_path_does_not_have(name):
    with pytest.raises(TypeError, match=f"takes no parameter '{name}'; allowed are"):
        penalty_path([[0], [1]], [0, 1], **{name: 0})


def test_errors_name_what_is_wrong():
    with pytest.raises(ValueError, match="time_limit must be None or a number of seconds"):
        penalty_path([[0], [1]], [0, 1], time_limit=-1)
    with pytest.raises(ValueError, match=re.escape("max_depth must be an integer from 0 to 20")):
        penalty_path([[0], [1]], [0, 1], max_depth=21)


@pytest.fixture(scope="module")
def path():
    data = load_binarized("iris")
    return penalty_path(data.X, data.y, max_depth=3)


def test_repr(path):
    lines = repr(path).splitlines()
    assert lines[0] == f"Proved optimal: {len(path)} trees of depth at most 3"
    assert len(lines) == 2 + len(path)
    assert lines[2].split()[0] == "1"


def test_a_bound_on_thresholds_is_named():
    X = np.arange(50)[:, np.newaxis]
    path = penalty_path(X, X[:, 0] % 3, max_depth=1, max_thresholds=5)
    over = "over at most 5 thresholds per column"
    assert path.proof == f"Proved optimal {over}: {len(path)} trees of depth at most 1"


def test_to_frame(path):
    frame = path.to_frame()
    assert frame["leaves"].tolist() == path.table["leaves"].tolist()
    assert list(frame.columns) == list(path.table.dtype.names)


def test_plot(path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    ax = path.plot()
    assert ax.get_title() == path.proof
    assert_array_equal(ax.lines[0].get_ydata(), path.table["error"])
    assert path.plot(ax) is ax
    table = path.table.copy()
    table["lower_bound"] *= 0.5
    unproved = replace(path, table=table, status="time_limit")
    assert unproved.plot().get_legend() is not None
    plt.close("all")


@pytest.mark.parametrize(("method", "package"), [("plot", "matplotlib"), ("to_frame", "pandas")])
def test_packages_that_are_missing(path, method, package, monkeypatch):
    for name in (package, f"{package}.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=rf"{method}\S* needs {package}"):
        getattr(path, method)()


def test_a_penalty_may_be_a_fraction(tmp_path):
    """One third is exact, unlike the float next to it, and is saved as a fraction."""
    X, y, _ = noisy_problem(2)
    search = Search(X, y, max_depth=3, leaf_penalty=Fraction(1, 3 * 10**7))
    search.step()
    search.save(tmp_path / "search")
    loaded = Search.load(tmp_path / "search", X, y)
    assert loaded.parameters["leaf_penalty"] == Fraction(1, 3 * 10**7)
    result = loaded.run()
    assert result.status == "optimal"
    assert result.cost == search.run().cost


def test_penalties_have_few_digits_and_are_exact():
    """A search at a penalty of the path ends with a proof, without a gap due to rounding."""
    data = load_breast_cancer()
    path = penalty_path(data.data, data.target, max_depth=2)
    for row in path.table:
        assert row["penalty_from"] < row["leaf_penalty"] < row["penalty_to"]
        assert float(f"{row['leaf_penalty']:.3g}") == row["leaf_penalty"]
        clf = OptimalTreeClassifier(max_depth=2, leaf_penalty=row["leaf_penalty"])
        clf.fit(data.data[:-69], data.target[:-69])
        assert (clf.status_, clf.rounding_) == ("optimal", 0.0)
        assert "rounding" not in clf.proof_


@pytest.mark.parametrize("function", [penalty_path, leaf_path])
def test_weights_are_given_by_name(function):
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        function([[0], [1]], [0, 1], 4)
