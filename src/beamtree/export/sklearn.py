"""A tree as a DecisionTreeClassifier or a DecisionTreeRegressor of scikit-learn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beamtree.export._fitted import EstimatorLike
from beamtree.export._float32_thresholds import float32_thresholds
from beamtree.export._model import Model, check_no_times
from beamtree.export.encoder import CategoryTest, TreeEncoder
from beamtree.tree import Tree

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


# Arrays that have the same name in both trees.
SAME = (
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
)


def to_sklearn(
    classifier: EstimatorLike,
) -> DecisionTreeClassifier | DecisionTreeRegressor | Pipeline:
    """Return a fitted estimator as a decision tree of scikit-learn.

    The result predicts the same for the training rows, and works with
    every tool that accepts a tree of scikit-learn, such as ``plot_tree``, SHAP, dtreeviz and
    skl2onnx. Because scikit-learn rounds numbers to float32, other rows may differ in prediction
    if a value is as near to a threshold as that rounding.

    The trees of scikit-learn cannot test categories. If a column has categories, the result is a
    pipeline of two steps: a `TreeEncoder`, which turns each test of categories into a column of
    zeros and ones, and a tree that tests these columns. Give tools that need a tree the last step,
    and rows that the first step has transformed.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalTreeRegressor
        The fitted estimator.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier, DecisionTreeRegressor or sklearn.pipeline.Pipeline
        A fitted estimator with the same labels, if there are any, and names of features. It is a
        pipeline if a column has categories.

    Raises
    ------
    ValueError
        If a column has dates or times, if the tree separates two training values that are the same
        float32, or if a leaf does not predict its most frequent class.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import to_sklearn
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> twin = to_sklearn(clf)
    >>> twin
    DecisionTreeClassifier(max_depth=1)
    >>> twin.predict([[1], [0]])
    array(['wet', 'dry'], dtype='<U3')

    >>> clf = clf.fit([["rain"], ["sun"], ["fog"]], ["wet", "dry", "wet"])
    >>> twin = to_sklearn(clf)
    >>> twin.named_steps["tree"].predict(twin.named_steps["encoder"].transform([["rain"]]))
    array(['wet'], dtype='<U3')
    """
    from sklearn.pipeline import Pipeline

    model = Model.of(classifier)
    _check(model)
    names = getattr(classifier, "feature_names_in_", None)
    thresholds = float32_thresholds(model, "scikit-learn")
    if all(categories is None for categories in model.columns.categories):
        twin = _twin(model, replace(model.tree, threshold=thresholds))
        if names is not None:
            twin.feature_names_in_ = names
        return twin
    encoder, tree = _encoded(model, thresholds)
    encoder.n_features_in_ = model.tree.n_features
    if names is not None:
        encoder.feature_names_in_ = names
    return Pipeline([("encoder", encoder), ("tree", _twin(model, tree))])


def _check(model: Model) -> None:
    check_no_times(model, "scikit-learn")
    if model.predicts_numbers:
        return
    leaf = model.tree.feature < 0
    likeliest = model.tree.probability.argmax(axis=1)
    if (likeliest != model.tree.prediction)[leaf].any():
        msg = (
            "scikit-learn's trees predict the most frequent class of a leaf, but this classifier "
            "predicts the class of the lowest cost: use to_onnx, to_json, to_sql or to_python"
        )
        raise ValueError(msg)


def _encoded(model: Model, thresholds: NDArray[np.float64]) -> tuple[TreeEncoder, Tree]:
    """Return the encoder of a tree with categories, and the tree over its columns.

    The nodes keep their numbers. Where a test of categories holds, its column has 1, which is above
    the threshold, so that the two sides change places.
    """
    tree, known = model.tree, model.columns.categories
    numbers = [j for j, categories in enumerate(known) if categories is None]
    feature, threshold = tree.feature.copy(), thresholds.copy()
    left, right = tree.children_left.copy(), tree.children_right.copy()
    missing = tree.missing_go_to_left.copy()
    tests: dict[CategoryTest, int] = {}
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        column = int(tree.feature[node])
        if known[column] is None:
            feature[node] = numbers.index(column)
            continue
        asks_if_missing = model.is_missing_test(node)
        passes = asks_if_missing or bool(tree.missing_go_to_left[node])
        test = CategoryTest(column, tree.categories[node], missing_passes=passes)
        feature[node] = tests.setdefault(test, len(numbers) + len(tests))
        threshold[node], missing[node] = 0.5, 0
        if not asks_if_missing:  # missing values are on the right side already
            left[node], right[node] = right[node], left[node]
    if not numbers and not tests:  # scikit-learn refuses a matrix without columns
        tests[CategoryTest(0, None, missing_passes=True)] = 0
    over_columns = replace(
        tree,
        feature=feature,
        threshold=threshold,
        children_left=left,
        children_right=right,
        missing_go_to_left=missing,
        n_features=len(numbers) + len(tests),
    )
    return TreeEncoder(model.columns, tuple(tests)), over_columns


def _twin(model: Model, tree: Tree) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return the estimator of scikit-learn with the given tree over numbers."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeRegressor if tree.predicts_numbers else DecisionTreeClassifier
    twin = kind(max_depth=max(tree.max_depth, 1))
    twin.n_features_in_ = twin.max_features_ = tree.n_features
    twin.n_outputs_ = 1
    if not tree.predicts_numbers:
        twin.classes_ = model.classes
        twin.n_classes_ = len(model.classes)
    twin.tree_ = _tree(tree)
    return twin


def _tree(tree: Tree) -> Any:
    from sklearn.tree._tree import Tree as SklearnTree

    twin = SklearnTree(tree.n_features, tree.n_classes, tree.n_outputs)
    state = twin.__getstate__()
    nodes = np.zeros(tree.node_count, dtype=state["nodes"].dtype)
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    for name in SAME:
        nodes[name] = getattr(tree, name)
    values = np.ascontiguousarray(tree.probability[:, np.newaxis, :])
    state.update(max_depth=tree.max_depth, node_count=tree.node_count, nodes=nodes, values=values)
    twin.__setstate__(state)
    return twin
