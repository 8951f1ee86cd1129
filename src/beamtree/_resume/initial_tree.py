"""Trees to start a search from, converted from scikit-learn and beamtree to arrays of the core."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from beamtree._engine.classification import check_policy
from beamtree._engine.engine import Engine
from beamtree._engine.interrupts import Interrupts
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.native import Distribute
from beamtree._engine.regression import check_regression
from beamtree._engine.settings import INIT, Settings
from beamtree._engine.tree_arrays import TreeArrays
from beamtree._resume.given_tree import GivenTree, TreeWithColumns, bare, refuse
from beamtree._resume.match_tests import TestMatcher
from beamtree._sklearn.predictor import TreePredictorMixin
from beamtree._table.learn_tests import AddedTests
from beamtree._table.row_costs import ACTIONS
from beamtree._table.table import Table
from beamtree._table.times import kind_of_times
from beamtree._table.training_data import (
    Predicted,
    TrainingData,
    policy_data,
    read_rewards,
    read_rows,
    training_data,
)
from beamtree._util.validation import BOOLEAN, Allowed
from beamtree.result import Incumbent, Result
from beamtree.tree import Tree, levels

Names = Sequence[str] | None


def _is_tree_of_sklearn(value: Any) -> bool:
    # Importing sklearn.tree takes long; if nobody has imported it, there can be no such tree.
    module = sys.modules.get("sklearn.tree")
    return module is not None and isinstance(value, module.BaseDecisionTree)


def _holds_a_tree(value: Any) -> bool:
    return (
        isinstance(value, Tree | TreeWithColumns | Incumbent | Result)
        or isinstance(bare(value), TreePredictorMixin)
        or _is_tree_of_sklearn(bare(value))
    )


def check_settings(settings: Settings, *, numbers: bool = False) -> None:
    """Raise a ValueError unless all settings are allowed, including the tree in `init`.

    Parameters
    ----------
    settings : Settings
        The settings.
    numbers : bool, default=False
        Whether the tree predicts numbers instead of classes.
    """
    settings.check()
    if numbers:
        check_regression(settings)
    elif settings.criterion != "squared_error":
        msg = (
            f"criterion must be 'squared_error' unless the tree predicts numbers, got "
            f"{settings.criterion!r}"
        )
        raise ValueError(msg)
    check_init(settings.init, numbers=numbers)


def check_kind(settings: Settings, *, regression: Any, policy: Any, actions: Any) -> Predicted:
    """Raise a ValueError unless all settings are allowed for the kind of tree that is asked for.

    Parameters
    ----------
    settings : Settings
        The settings.
    regression, policy, actions : object
        The parameters of `Search`.

    Returns
    -------
    {"labels", "numbers", "actions"}
        What the leaves of the tree are to be.
    """
    BOOLEAN.check("regression", regression)
    BOOLEAN.check("policy", policy)
    ACTIONS.check("actions", actions)
    if regression and policy:
        msg = "regression must be False if policy is True: a leaf has a number or an action"
        raise ValueError(msg)
    if actions is not None and not policy:
        msg = f"actions must be None unless policy is True, got {actions!r}"
        raise ValueError(msg)
    check_settings(settings, numbers=bool(regression))
    if policy:
        check_policy(settings)
        return "actions"
    return "numbers" if regression else "labels"


def check_init(init: Any, *, numbers: bool = False) -> None:
    """Raise a ValueError if a search cannot start from an object.

    Parameters
    ----------
    init : object
        Value of the setting `init`.
    numbers : bool, default=False
        Whether the search is for a tree that predicts numbers instead of classes.
    """
    if init is None:
        return
    words = INIT.words.replace("Classifier", "Regressor") if numbers else INIT.words
    Allowed(words, _holds_a_tree).check("init", init)
    init = bare(init)
    if isinstance(init, Tree | TreeWithColumns | Incumbent | Result):
        _check_whole(GivenTree(init).tree)
        return
    name = type(init).__name__
    if numbers and not is_regressor(init):
        msg = f"init must be a regressor, got a {name}, whose leaves are not numbers"
        raise ValueError(msg)
    is_ours = isinstance(init, TreePredictorMixin) and not is_regressor(init)
    if not numbers and not is_classifier(init) and not is_ours:
        msg = f"init must be a classifier, got a {name}, whose leaves are not classes"
        raise ValueError(msg)
    try:
        check_is_fitted(init, "tree_")
    except Exception as error:  # scikit-learn has its own kinds of exceptions
        msg = (
            f"init must be fitted, and this {name} is not. A clone is never fitted: if estimators "
            f"are cloned, give the tree_ of the {'regressor' if numbers else 'classifier'}, or a "
            "sklearn.frozen.FrozenEstimator"
        )
        raise ValueError(msg) from error
    if init.tree_.n_outputs != 1:
        msg = f"init must predict one output, and this {name} predicts {init.tree_.n_outputs}"
        raise ValueError(msg)


def _check_whole(tree: Tree) -> None:
    """Raise a ValueError if the arrays are not those of a tree; users can make a `Tree`, too."""
    integers = (tree.children_left, tree.children_right, tree.feature)
    others = (tree.threshold, tree.missing_go_to_left, tree.exact_threshold, tree.categories)
    arrays: list[NDArray[Any]] = [np.asarray(array) for array in (*integers, *others)]
    left, right, feature, threshold, missing, _, categories = arrays
    nodes = len(left) if left.ndim == 1 else 0
    if nodes == 0 or any(array.shape != (nodes,) for array in arrays):
        shapes = [array.shape for array in arrays]
        refuse(f"its arrays have the shapes {shapes}, not one entry per node")
    kind = [array.dtype.kind for array in (left, right, feature, missing)]
    if not set(kind) <= {"i", "u"} or threshold.dtype.kind != "f":
        kinds = [str(array.dtype) for array in arrays]
        refuse(f"its arrays have the types {kinds}, not integers and thresholds of float")
    inner = (left >= 0) | (right >= 0)
    for side, child in (("left", left), ("right", right)):
        bad = inner & ((child <= 0) | (child >= nodes))
        if bad.any():
            at = int(bad.argmax())
            refuse(f"the {side} child of its node {at} is {child[at]}, of {nodes} nodes")
    bad = inner & ((feature < 0) | (feature >= tree.n_features))
    if bad.any():
        at = int(bad.argmax())
        refuse(f"its node {at} tests the feature {feature[at]}, of {tree.n_features}")
    for at in np.flatnonzero(inner).tolist():
        if not _is_set_or_none(categories[at]):
            words = "a sorted tuple of positions of categories, or None"
            refuse(f"the categories of its node {at} must be {words}, got {categories[at]!r}")
    # If every node has at most one parent, and the root has none, there is no cycle.
    children = np.concatenate([left[inner], right[inner]]).astype(np.intp)
    parents = np.bincount(children, minlength=nodes)
    if (parents > 1).any():
        at = int((parents > 1).argmax())
        refuse(f"its node {at} has {parents[at]} parents")


def _is_set_or_none(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, tuple) or not value:
        return False
    are_integers = all(isinstance(one, int | np.integer) for one in value)
    return are_integers and value[0] >= 0 and list(value) == sorted(set(value))


def added_tests(init: Any, table: Table, max_depth: int | None) -> dict[int, AddedTests]:
    """Return the tests of the tree to start from, which the search needs to represent it.

    Parameters
    ----------
    init : estimator, Tree, TreeWithColumns, Incumbent, Result or None
        Value of the setting `init`, which `check_init` has checked.
    table : Table
        The table X.
    max_depth : int or None
        Depth at which nodes become leaves.

    Returns
    -------
    dict
        The tests of the nodes above that depth, by column.
    """
    if init is None:
        return {}
    given = GivenTree(init)
    tree = given.tree
    _check_columns(given, table.shape[1], table.names)
    kinds = cache(lambda column: kind_of_times(table.column(column)))
    tests = (tree.feature, tree.children_left, tree.children_right)
    nodes = np.concatenate(levels(*tests)[:max_depth] or [np.empty(0, dtype=np.intp)])
    added: dict[int, AddedTests] = {}
    for node in nodes[tree.feature[nodes] >= 0].tolist():
        feature = int(tree.feature[node])
        column = added.setdefault(feature, AddedTests())
        if given.tests_categories(node):
            column.sets.append(given.values(node))
        else:
            kind = None if given.time(node) is None else kinds(feature)
            column.thresholds.append(given.threshold(node, kind))
    return added


def read_training_data(
    X: Any,
    y: Any,
    sample_weight: Any,
    settings: Settings,
    owner: Any,
    sample_costs: Any = None,
    *,
    numbers: bool = False,
) -> TrainingData:
    """Read a table and its labels, or the numbers to predict, and rank its rows for a search.

    Parameters
    ----------
    X, y, sample_weight, sample_costs
        As in `OptimalTreeClassifier.fit`.
    settings : Settings
        The settings of the search, of which `max_thresholds` and `init` determine the tests.
    owner : estimator or str
        As in `read_rows`.
    numbers : bool, default=False
        Whether `y` has numbers to predict instead of labels.

    Returns
    -------
    TrainingData
        The rows, and the tests including those of the tree in `init`.
    """
    if sample_costs is not None:
        _check_sample_costs(settings)
    table, target = read_rows(X, y, owner, numbers=numbers)

    def learn(most: int | None, added: dict[int, AddedTests]) -> TrainingData:
        return training_data(
            table, target, sample_weight, most, added, sample_costs, numbers=numbers
        )

    return _with_greedy_tests(table, settings, learn)


def _check_sample_costs(settings: Settings) -> None:
    """Raise a ValueError if there are settings that cannot be combined with costs of rows."""
    if settings.cost_matrix is not None:
        msg = "cost_matrix must be None if there are sample_costs, which take its place"
        raise ValueError(msg)
    if settings.min_weight_fraction_leaf > 0:
        share = settings.min_weight_fraction_leaf
        msg = f"min_weight_fraction_leaf must be 0 if there are sample_costs, got {share!r}"
        raise ValueError(msg)


def read_kind(
    predicted: Predicted,
    X: Any,
    y: Any,
    actions: Any,
    sample_weight: Any,
    settings: Settings,
    owner: str,
) -> TrainingData:
    """Read a table and what its rows predict, and rank its rows for a search.

    Parameters
    ----------
    predicted : {"labels", "numbers", "actions"}
        What `check_kind` has returned.
    X, y, actions, sample_weight
        As in `Search`.
    settings, owner
        As in `read_training_data`.

    Returns
    -------
    TrainingData
        The rows, and the tests including those of the tree in `init`.
    """
    if predicted == "actions":
        return read_policy_data(X, y, actions, sample_weight, settings, owner)
    numbers = predicted == "numbers"
    return read_training_data(X, y, sample_weight, settings, owner, numbers=numbers)


def read_policy_data(
    X: Any, rewards: Any, actions: Any, sample_weight: Any, settings: Settings, owner: Any
) -> TrainingData:
    """Read a table and the rewards of its rows, and rank the rows for a search.

    Parameters
    ----------
    X, sample_weight
        As in `OptimalPolicyTree.fit`.
    rewards : array-like or data frame of shape (n_rows, n_actions)
        The reward of each action.
    actions : sequence or None
        The names of the actions.
    settings, owner
        As in `read_training_data`.

    Returns
    -------
    TrainingData
        The rows, and the tests including those of the tree in `init`.
    """
    table, values, names = read_rewards(X, rewards, actions, owner)
    return _with_greedy_tests(
        table,
        settings,
        lambda most, added: policy_data(table, values, names, sample_weight, most, added),
    )


def _with_greedy_tests(
    table: Table,
    settings: Settings,
    learn: Callable[[int | None, dict[int, AddedTests]], TrainingData],
) -> TrainingData:
    """Learn the tests of a table; `learn` takes `max_thresholds` and the tests to add."""
    added = added_tests(settings.init, table, settings.depth_limit)
    data = learn(settings.max_thresholds, added)
    if settings.max_thresholds is None or data.space.lossless:
        return data
    # No result is worse than the greedy tree over all thresholds, so the search has its tests, too.
    greedy = greedy_tree(learn(None, {}), settings)
    extend_tests(added, added_tests(greedy, table, settings.depth_limit))
    return replace(learn(settings.max_thresholds, added), greedy=greedy)


def extend_tests(added: dict[int, AddedTests], further: dict[int, AddedTests]) -> None:
    """Add tests of columns to those that are to be added.

    Parameters
    ----------
    added : dict
        Tests by column, which get the further ones.
    further : dict
        Tests by column.
    """
    for column, tests in further.items():
        ours = added.setdefault(column, AddedTests())
        ours.thresholds.extend(tests.thresholds)
        ours.sets.extend(tests.sets)


def greedy_tree(data: TrainingData, settings: Settings) -> Incumbent:
    """Return the first tree of a search.

    Parameters
    ----------
    data : TrainingData
        The rows.
    settings : Settings
        The settings of the search, of which those of the problem count.

    Returns
    -------
    Incumbent
        The best of a leaf and of the greedy trees.
    """
    engine = Engine(data, replace(settings, rule="auto", init=None, cancel=None, n_jobs=None))
    engine.step(0.0)
    return engine.incumbent()


def init_arrays(init: Any, data: TrainingData, max_depth: int | None) -> TreeArrays | None:
    """Return the tree to start from, over the tests of a search and cut to a depth.

    A split that sends all rows the same way is skipped. A node whose test is not among those of
    the search becomes a leaf; without skipped splits, such nodes lie below the depth.

    Parameters
    ----------
    init : estimator, Tree, TreeWithColumns, Incumbent, Result or None
        Value of the setting `init`, which `check_init` has checked.
    data : TrainingData
        Rows whose tests include those of `added_tests`, or on which the tree was found.
    max_depth : int or None
        Depth at which nodes become leaves.

    Returns
    -------
    TreeArrays or None
        The tree; None if no tree was given.
    """
    if init is None:
        return None
    given = GivenTree(init)
    _check_columns(given, len(data.columns.names), data.names)
    return _cut(given.tree, max_depth, TestMatcher(given, data))


def make_engine(
    data: TrainingData,
    settings: Settings,
    *,
    allowance: MemoryAllowance,
    begin: float | None = None,
    interrupts: Interrupts | None = None,
    distribute: Distribute | None = None,
) -> Engine:
    """Return an engine that starts from the tree of the setting `init`.

    Parameters
    ----------
    data, settings, allowance, begin, interrupts, distribute
        As in `Engine`.

    Returns
    -------
    Engine
        The engine, before its first step.
    """
    given = [init_arrays(tree, data, settings.depth_limit) for tree in (settings.init, data.greedy)]
    starts = [tree for tree in given if tree is not None]
    return Engine(
        data,
        settings,
        starts=starts,
        allowance=allowance,
        begin=begin,
        interrupts=interrupts,
        distribute=distribute,
    )


def _check_columns(given: GivenTree, n_columns: int, names: Names) -> None:
    theirs, n_theirs = given.names, given.tree.n_features
    if n_theirs != n_columns:
        msg = f"init must have as many features as X, {n_columns}, and it has {n_theirs}"
        raise ValueError(msg)
    if theirs is not None and names is not None and list(theirs) != list(names):
        at = next(i for i in range(n_columns) if theirs[i] != names[i])
        msg = (
            f"init must have the features of X in the same order, and its column {at} is "
            f"{theirs[at]!r}, that of X {names[at]!r}"
        )
        raise ValueError(msg)


def init_key(init: Any) -> tuple[Any, ...] | None:
    """Return a key by which trees to start from can be compared.

    Parameters
    ----------
    init : object
        Value of the setting `init`, which `check_init` has checked.

    Returns
    -------
    tuple or None
        The tests and the children of all nodes; None if there is no tree.
    """
    if init is None:
        return None
    given = GivenTree(init)
    tree = given.tree
    arrays = (tree.feature, tree.threshold, tree.children_left, tree.children_right)
    nodes = range(len(tree.feature))
    return (
        *(array.tobytes() for array in arrays),
        *((given.sends_missing_left(node), given.threshold(node)[1]) for node in nodes),
        *((node, given.values(node)) for node in nodes if given.tests_categories(node)),
    )


def _cut(tree: Any, max_depth: int | None, matcher: TestMatcher) -> TreeArrays:
    left = tree.children_left.tolist()
    # One entry [test, left, right] per node, in depth-first order.
    nodes: list[list[int]] = []
    stack = [(0, 0, -1, 0)]  # node, depth, parent, side
    while stack:
        node, depth, parent, side = stack.pop()
        test, yes, no = None, -1, -1
        while left[node] >= 0:
            test, yes, no = matcher.match(node)
            if test != -1:
                break
            node = yes
        if parent >= 0:
            nodes[parent][side] = len(nodes)
        if left[node] >= 0 and test is not None and (max_depth is None or depth < max_depth):
            stack.append((no, depth + 1, len(nodes), 2))
            stack.append((yes, depth + 1, len(nodes), 1))
            nodes.append([test, -1, -1])
        else:
            nodes.append([-1, -1, -1])
    columns = np.array(nodes, dtype=np.int32).T
    return TreeArrays(*(np.ascontiguousarray(column) for column in columns))
