"""Trees from JSON, checked in full before anything is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._util.validation import POSITIVE, Allowed, finite, integer
from beamtree.export._json_search import search_attributes
from beamtree.export._json_tests import check_test, keys_of_test, threshold_of
from beamtree.export._json_values import (
    LIST,
    TEXT,
    TRUTH,
    check,
    checked_object,
    checked_values,
    is_list,
    one_of,
    parse,
    refuse,
)
from beamtree.tree import NO_CHILD, NO_FEATURE, Tree

FORMAT = "beamtree.tree"
VERSION = 1
# The most levels of tests, as in max_depth.
DEEPEST = 20
# By how much shares may miss 1, and the weights of children that of their parent.
TOLERANCE = 1e-6
FALSE = Allowed("false", lambda value: value is False)


def read(text: str | bytes) -> dict[str, Any]:
    """Return the attributes of a fitted classifier.

    Parameters
    ----------
    text : str or bytes
        What `to_json` wrote, or anything else.

    Returns
    -------
    dict
        Attributes by name.
    """
    content = parse(text)
    keys: tuple[str, ...] = (
        "format",
        "version",
        "columns",
        "named",
        "classes",
        "nodes",
        "search",
    )
    if type(content) is dict:
        check("format", content.get("format"), one_of(FORMAT))
        check("version", content.get("version"), one_of(VERSION))
        keys += ("problem",) if "problem" in content else ()
    top = checked_object("the tree", content, keys)
    columns = _columns(top["columns"])
    classes = checked_values("classes", top["classes"])
    if len(classes) == 0:
        refuse("classes.values must not be empty")
    attributes = {
        "columns_": columns,
        "classes_": classes,
        "n_classes_": len(classes),
        "n_features_in_": len(columns.names),
        "tree_": _tree(top["nodes"], columns, len(classes)),
        **search_attributes(top["search"], columns),
    }
    if check("named", top["named"], TRUTH):
        attributes["feature_names_in_"] = np.array(columns.names, dtype=object)
    if "problem" in top:
        attributes["problem_"] = _problem(top["problem"])
    return attributes


def _problem(value: Any) -> dict[str, Any]:
    content = checked_object("problem", value, ("target", "leaf_penalty"))
    check("problem.target", content["target"], TEXT)
    check("problem.leaf_penalty", content["leaf_penalty"], finite(0.0))
    return content


def _columns(value: Any) -> Columns:
    check("columns", value, LIST)
    names, categories, integral, binary = [], [], [], []
    for j, one in enumerate(value):
        where = f"columns[{j}]"
        content = checked_object(where, one, ("name", "categories", "integral", "binary"))
        names.append(check(f"{where}.name", content["name"], TEXT))
        given = content["categories"]
        categories.append(None if given is None else checked_values(f"{where}.categories", given))
        only = TRUTH if given is None else FALSE
        integral.append(check(f"{where}.integral", content["integral"], only))
        whole = TRUTH if content["integral"] else FALSE
        binary.append(check(f"{where}.binary", content["binary"], whole))
    return Columns(
        tuple(names),
        tuple(categories),
        np.array(integral, dtype=np.bool_),
        np.array(binary, dtype=np.bool_),
    )


def _tree(value: Any, columns: Columns, n_classes: int) -> Tree:
    check("nodes", value, LIST)
    nodes = [_node(f"nodes[{k}]", one, columns, n_classes) for k, one in enumerate(value)]
    depth = _check_order(nodes)
    _check_sums(nodes)
    shares = np.array([node["shares"] for node in nodes], dtype=np.float64)
    return Tree(
        children_left=_integers(nodes, "left", NO_CHILD),
        children_right=_integers(nodes, "right", NO_CHILD),
        feature=_integers(nodes, "column", NO_FEATURE),
        threshold=np.array([_threshold(node) for node in nodes], dtype=np.float64),
        impurity=1.0 - (shares**2).sum(axis=1),
        n_node_samples=np.array([node["rows"] for node in nodes], dtype=np.int64),
        weighted_n_node_samples=np.array([node["weight"] for node in nodes], dtype=np.float64),
        value=shares[:, np.newaxis, :],
        max_depth=depth,
        n_features=len(columns.names),
        category=_integers(nodes, "equals", -1),
        prediction=_integers(nodes, "prediction", 0),
    )


def _integers(nodes: list[dict[str, Any]], key: str, without: int) -> NDArray[np.intp]:
    return np.array([node.get(key, without) for node in nodes], dtype=np.intp)


def _threshold(node: dict[str, Any]) -> float:
    return threshold_of(node) if "column" in node else float(NO_FEATURE)


def _node(where: str, value: Any, columns: Columns, n_classes: int) -> dict[str, Any]:
    keys: tuple[str, ...] = ("rows", "weight", "shares", "prediction")
    if isinstance(value, dict) and "column" in value:
        keys += (*keys_of_test(where, value), "left", "right")
    node = checked_object(where, value, keys)
    check(f"{where}.rows", node["rows"], integer(1, 2**63 - 1))
    check(f"{where}.weight", node["weight"], POSITIVE)
    check(f"{where}.prediction", node["prediction"], integer(0, n_classes - 1))
    _check_shares(f"{where}.shares", node["shares"], n_classes)
    if "column" in node:
        check_test(where, node, columns)
    return node


def _check_shares(where: str, shares: Any, n_classes: int) -> None:
    words = f"a list of {n_classes} numbers"
    check(where, shares, Allowed(words, lambda value: is_list(value, n_classes)))
    for k, share in enumerate(shares):
        check(f"{where}[{k}]", share, finite(0.0, 1.0))
    if abs(sum(shares) - 1.0) > TOLERANCE:
        refuse(f"{where} must add up to 1, got {sum(shares)}")


def _check_order(nodes: list[dict[str, Any]]) -> int:
    """Return the depth, if the nodes are a tree in depth-first order."""
    deepest = due = 0
    stack = [(0, 0)]
    while stack:
        number, depth = stack.pop()
        if number != due:
            refuse(f"nodes must be a tree, depth first: node {due} is due where {number} is")
        due += 1
        deepest = max(deepest, depth)
        if deepest > DEEPEST:
            refuse(f"nodes must have a depth of at most {DEEPEST}")
        node = nodes[number]
        if "column" in node:
            for key in ("right", "left"):
                child = check(f"nodes[{number}].{key}", node[key], integer(1, len(nodes) - 1))
                stack.append((child, depth + 1))
    if due < len(nodes):
        refuse(f"nodes must be a tree: none leads to node {due}")
    return deepest


def _check_sums(nodes: list[dict[str, Any]]) -> None:
    for number, node in enumerate(nodes):
        if "column" not in node:
            continue
        left, right = nodes[node["left"]], nodes[node["right"]]
        if left["rows"] + right["rows"] != node["rows"]:
            refuse(f"nodes[{number}].rows must be those of its children together")
        if abs(left["weight"] + right["weight"] - node["weight"]) > TOLERANCE * node["weight"]:
            refuse(f"nodes[{number}].weight must be that of its children together")
