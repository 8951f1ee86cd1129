"""A tree as a DecisionTreeClassifier or a DecisionTreeRegressor of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from beamtree.export._fitted import EstimatorLike
from beamtree.export._float32_thresholds import float32_thresholds
from beamtree.export._model import Model

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


# Arrays that have the same name in both trees.
SAME = (
    "feature",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
)


def to_sklearn(classifier: EstimatorLike) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return a fitted estimator as a decision tree of scikit-learn.

    The result predicts the same for the training rows, and works with
    every tool that accepts a tree of scikit-learn, such as ``plot_tree``, SHAP, dtreeviz and
    skl2onnx. Because scikit-learn rounds numbers to float32, other rows may differ in prediction
    if a value is as near to a threshold as that rounding.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalTreeRegressor
        The fitted estimator. All its columns must have numbers, because the trees of
        scikit-learn cannot test categories.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or DecisionTreeRegressor
        A fitted estimator with the same labels, if there are any, and names of features.

    Raises
    ------
    ValueError
        If a column has categories, if the tree separates two training values that are the same
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
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    model = Model.of(classifier)
    _check(model)
    kind = DecisionTreeRegressor if model.predicts_numbers else DecisionTreeClassifier
    twin = kind(max_depth=max(model.tree.max_depth, 1))
    twin.n_features_in_ = model.tree.n_features
    twin.n_outputs_ = 1
    if not model.predicts_numbers:
        twin.classes_ = model.classes
        twin.n_classes_ = len(model.classes)
    twin.max_features_ = model.tree.n_features
    if hasattr(classifier, "feature_names_in_"):
        twin.feature_names_in_ = classifier.feature_names_in_
    twin.tree_ = _tree(model)
    return twin


def _check(model: Model) -> None:
    for name, categories in zip(model.columns.names, model.columns.categories, strict=True):
        if categories is not None:
            msg = (
                f"scikit-learn's trees need columns of numbers, and {name!r} has categories. "
                "Encode such columns before fit, for example with beamtree.Binarizer or "
                "sklearn.preprocessing.OneHotEncoder in a pipeline, and turn the last step of the "
                "pipeline into a tree of scikit-learn"
            )
            raise ValueError(msg)
    leaf = model.tree.feature < 0
    likeliest = model.tree.value[:, 0, :].argmax(axis=1)
    if (likeliest != model.tree.prediction)[leaf].any():
        msg = (
            "scikit-learn's trees predict the most frequent class of a leaf, but this classifier "
            "predicts the class of the lowest cost: use to_onnx, to_json, to_sql or to_python"
        )
        raise ValueError(msg)


def _tree(model: Model) -> Any:
    from sklearn.tree._tree import Tree as SklearnTree

    tree = model.tree
    twin = SklearnTree(tree.n_features, tree.n_classes, tree.n_outputs)
    state = twin.__getstate__()
    nodes = np.zeros(tree.node_count, dtype=state["nodes"].dtype)
    nodes["left_child"] = tree.children_left
    nodes["right_child"] = tree.children_right
    for name in SAME:
        nodes[name] = getattr(tree, name)
    nodes["threshold"] = float32_thresholds(model, "scikit-learn")
    values = np.ascontiguousarray(tree.value)
    state.update(max_depth=tree.max_depth, node_count=tree.node_count, nodes=nodes, values=values)
    twin.__setstate__(state)
    return twin
