"""A tree as a model in ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._util.optional import import_optional
from beamtree.export._fitted import EstimatorLike
from beamtree.export._float32_thresholds import float32_thresholds
from beamtree.export._model import Model, check_no_times

# The first versions of the two sets of operators that have every operator used here.
OPSET, ML_OPSET = 17, 3
IR_VERSION = 8
ML = "ai.onnx.ml"
# Runtimes treat one and two classes specially, so the model always has at least three classes.
# Those that are added have no rows.
FEWEST = 3


def to_onnx(classifier: EstimatorLike) -> Any:
    """Return a fitted estimator as a model in ONNX.

    The outputs of a classifier are ``label``, of type int64 or string, and ``probabilities``, of
    type float. The output of a regressor is ``prediction``, a float matrix with one column. If
    all columns have numbers, there is one input ``X``, a float matrix. Otherwise there is one input
    per column with the name of the column. It is a matrix with one column, of strings if the
    categories are texts and of floats otherwise. NaN and the empty string are missing values.
    Because the inputs are float32 numbers, rows other than the training rows may differ in
    prediction if a value is as near to a threshold as the rounding to float32.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalTreeRegressor
        The fitted estimator. Its labels must be texts, integers or booleans, which become 0 and 1.

    Returns
    -------
    onnx.ModelProto
        The model. ``SerializeToString()`` returns the content of a file.

    Raises
    ------
    ValueError
        If ONNX cannot hold the labels, the categories or the name of a column, or if the tree
        separates two training values that are the same float32.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import to_onnx
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> model = to_onnx(clf)
    >>> [output.name for output in model.graph.output]
    ['label', 'probabilities']
    """
    onnx = import_optional("onnx", "to_onnx", "onnx")
    model = Model.of(classifier)
    check_no_times(model, "ONNX")
    sets = _tested_sets(model)
    inputs, nodes = _matrix(onnx.helper, model, sets)
    kinds = onnx.TensorProto
    value_info = onnx.helper.make_tensor_value_info
    if model.predicts_numbers:
        nodes.append(_regressor(onnx.helper, model, sets))
        outputs = [value_info("prediction", kinds.FLOAT, ["rows", 1])]
    else:
        nodes += _ensembles(onnx.helper, model, sets)
        label_kind = kinds.STRING if "classlabels_strings" in _labels(model) else kinds.INT64
        outputs = [
            value_info("label", label_kind, ["rows"]),
            value_info("probabilities", kinds.FLOAT, ["rows", len(model.classes)]),
        ]
    graph = onnx.helper.make_graph(nodes, "beamtree", inputs, outputs)
    result = onnx.helper.make_model(
        graph,
        producer_name="beamtree",
        ir_version=IR_VERSION,
        opset_imports=[
            onnx.helper.make_opsetid("", OPSET),
            onnx.helper.make_opsetid(ML, ML_OPSET),
        ],
    )
    onnx.checker.check_model(result)
    return result


def _labels(model: Model) -> dict[str, list[Any]]:
    """Return the labels as an attribute of the operator."""
    labels = model.classes.tolist()
    if all(isinstance(label, str) for label in labels):
        return {"classlabels_strings": labels}
    if all(isinstance(label, bool | int) and -(2**63) <= label < 2**63 for label in labels):
        return {"classlabels_int64s": [int(label) for label in labels]}
    msg = f"labels in ONNX must be texts or integers of 64 bits, got {labels!r}"
    raise ValueError(msg)


Sets = dict[tuple[int, tuple[int, ...]], int]


def _tested_sets(model: Model) -> Sets:
    """Return the column of the matrix ``X`` for each set of categories that the tree tests.

    A tree in ONNX cannot test for a set. So each set of a column has another column of the matrix
    after those of the table: 0 for the categories in the set, 1 for others, NaN if missing.
    """
    tree = model.tree
    sets: Sets = {}
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        if model.tests_categories(node):
            key = int(tree.feature[node]), tree.categories[node]
            sets.setdefault(key, tree.n_features + len(sets))
    return sets


def _matrix(helper: Any, model: Model, sets: Sets) -> tuple[list[Any], list[Any]]:
    """Return the inputs, and the nodes that turn them into the matrix of numbers ``X``."""
    floats, strings = 1, 8  # TensorProto.FLOAT and STRING
    columns = model.columns
    if all(categories is None for categories in columns.categories):
        shape = ["rows", len(columns.names)]
        return [helper.make_tensor_value_info("X", floats, shape)], []
    _check_names(columns.names)
    inputs, nodes, parts = [], [], []
    are_texts = []
    for j, (name, categories) in enumerate(zip(columns.names, columns.categories, strict=True)):
        texts = categories is not None and _are_texts(name, categories)
        are_texts.append(texts)
        inputs.append(
            helper.make_tensor_value_info(name, strings if texts else floats, ["rows", 1])
        )
        if categories is None:
            parts.append(name)
            continue
        parts.append(f"X/{j}")
        # Only the test whether a value is missing needs this column.
        nodes += _encoder(helper, name, parts[-1], [], texts=texts)
    for (j, positions), number in sets.items():
        known = columns.categories[j]
        assert known is not None
        parts.append(f"X/{number}")
        inside = known[list(positions)].tolist()
        nodes += _encoder(helper, columns.names[j], parts[-1], inside, texts=are_texts[j])
    nodes.append(helper.make_node("Concat", parts, ["X"], axis=1))
    return inputs, nodes


def _check_names(names: tuple[str, ...]) -> None:
    own = ("X", "label", "probabilities", "chosen", "likeliest", "prediction")
    used = [name for name in names if name == "" or name.split("/")[0] in own]
    if used:
        msg = f"an input in ONNX cannot have the name {used[0]!r} here: rename the column"
        raise ValueError(msg)


def _are_texts(name: str, categories: NDArray[Any]) -> bool:
    values = categories.tolist()
    if all(isinstance(value, str) for value in values):
        if "" in values:
            msg = (
                f"a category of {name!r} is the empty string, which is a missing value in ONNX: "
                "rename the category"
            )
            raise ValueError(msg)
        return True
    if all(isinstance(value, bool | int | float) for value in values):
        singles = np.array(values, dtype=np.float32)
        if len(np.unique(singles)) == len(values) and (singles == np.array(values)).all():
            return False
    msg = (
        f"categories in ONNX must be all texts or all numbers that a float32 holds exactly, and "
        f"those of {name!r} are not"
    )
    raise ValueError(msg)


def _encoder(helper: Any, name: str, output: str, inside: list[Any], *, texts: bool) -> list[Any]:
    """Return nodes that write 0 for the given categories, 1 for others, and NaN if missing."""
    zeros = [0.0] * len(inside)
    settings: dict[str, Any] = {"default_float": 1.0, "domain": ML}
    if texts:
        settings |= {"keys_strings": [*inside, ""], "values_floats": [*zeros, float("nan")]}
        return [helper.make_node("LabelEncoder", [name], [output], **settings)]
    if not inside:  # all that is not missing is known
        return [helper.make_node("Identity", [name], [output])]
    settings |= {"keys_floats": [float(one) for one in inside], "values_floats": zeros}
    return [
        helper.make_node("LabelEncoder", [name], [f"{output}/known"], **settings),
        helper.make_node("IsNaN", [name], [f"{output}/missing"]),
        helper.make_node("Where", [f"{output}/missing", name, f"{output}/known"], [output]),
    ]


def _ensembles(helper: Any, model: Model, sets: Sets) -> list[Any]:
    """Return nodes for the tree.

    If the predicted label is not always the most probable one, the tree is written twice: once for
    the label, and once for the probabilities.
    """
    shares = model.tree.probability.astype(np.float32)
    leaves = model.tree.feature < 0
    if (shares.argmax(axis=1) == model.tree.prediction)[leaves].all():
        return _ensemble(helper, model, sets, shares, "label", "probabilities")
    chosen = np.zeros_like(shares)
    chosen[np.arange(len(chosen)), model.tree.prediction] = 1.0
    return [
        *_ensemble(helper, model, sets, chosen, "label", "chosen"),
        *_ensemble(helper, model, sets, shares, "likeliest", "probabilities"),
    ]


def _ensemble(
    helper: Any, model: Model, sets: Sets, shares: NDArray[np.float32], label: str, scores: str
) -> list[Any]:
    """Return nodes that output the class of the largest share in a leaf, and all shares."""
    n_classes = shares.shape[1]
    labels = _labels(model)
    if n_classes >= FEWEST:
        return [_classifier(helper, model, sets, shares, labels, [label, scores])]
    more = FEWEST - n_classes
    padded = np.pad(shares, ((0, 0), (0, more)))
    labels = {name: values + values[-1:] * more for name, values in labels.items()}
    first = helper.make_tensor("", 7, [n_classes], range(n_classes))  # TensorProto.INT64
    return [
        _classifier(helper, model, sets, padded, labels, [label, f"{scores}/all"]),
        helper.make_node("Constant", [], [f"{scores}/first"], value=first),
        helper.make_node("Gather", [f"{scores}/all", f"{scores}/first"], [scores], axis=1),
    ]


def _classifier(
    helper: Any,
    model: Model,
    sets: Sets,
    shares: NDArray[np.float32],
    labels: dict[str, list[Any]],
    outputs: list[str],
) -> Any:
    leaves = np.flatnonzero(model.tree.feature < 0)
    n_classes = shares.shape[1]
    return helper.make_node(
        "TreeEnsembleClassifier",
        ["X"],
        outputs,
        domain=ML,
        **_nodes(model, sets),
        class_treeids=[0] * len(leaves) * n_classes,
        class_nodeids=np.repeat(leaves, n_classes).tolist(),
        class_ids=np.tile(np.arange(n_classes), len(leaves)).tolist(),
        class_weights=shares[leaves].ravel().tolist(),
        post_transform="NONE",
        **labels,
    )


def _regressor(helper: Any, model: Model, sets: Sets) -> Any:
    """Return a node that outputs the mean of a leaf."""
    leaves = np.flatnonzero(model.tree.feature < 0)
    return helper.make_node(
        "TreeEnsembleRegressor",
        ["X"],
        ["prediction"],
        domain=ML,
        **_nodes(model, sets),
        n_targets=1,
        aggregate_function="SUM",
        target_treeids=[0] * len(leaves),
        target_nodeids=leaves.tolist(),
        target_ids=[0] * len(leaves),
        target_weights=model.tree.value[leaves, 0, 0].tolist(),
        post_transform="NONE",
    )


def _nodes(model: Model, sets: Sets) -> dict[str, list[Any]]:
    """Return the nodes of the tree as attributes of an operator."""
    tree = model.tree
    inner = tree.feature >= 0
    nodes = range(tree.node_count)
    column, value = tree.feature.copy(), float32_thresholds(model, "ONNX")
    for node in np.flatnonzero(inner).tolist():
        if model.tests_categories(node):
            column[node] = sets[int(tree.feature[node]), tree.categories[node]]
            value[node] = 0.5
    return {
        "nodes_treeids": [0 for _ in nodes],
        "nodes_nodeids": list(nodes),
        "nodes_featureids": np.where(inner, column, 0).tolist(),
        "nodes_values": np.where(inner, value, 0.0).tolist(),
        "nodes_modes": np.where(inner, "BRANCH_LEQ", "LEAF").tolist(),
        "nodes_truenodeids": np.where(inner, tree.children_left, 0).tolist(),
        "nodes_falsenodeids": np.where(inner, tree.children_right, 0).tolist(),
        "nodes_missing_value_tracks_true": tree.missing_go_to_left.tolist(),
    }
