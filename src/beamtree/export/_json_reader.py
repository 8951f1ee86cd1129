"""Reading the JSON of a tree: everything is checked before anything is made of it."""

from __future__ import annotations

from math import floor, inf, isfinite, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.proof import objective_words
from beamtree._table.columns import Columns
from beamtree._table.time_thresholds import zone_of
from beamtree._table.times import NANOSECONDS, NOUNS, TimeKind
from beamtree._util.float32 import largest_double
from beamtree._util.validation import POSITIVE, Allowed, finite, integer, is_number, or_none
from beamtree.alternatives import ALTERNATIVE_DTYPE, Alternatives
from beamtree.export._json_values import (
    LIST,
    OBJECT,
    TEXT,
    TRUTH,
    all_of,
    check,
    checked_object,
    checked_values,
    is_list,
    one_of,
    parse,
    refuse,
)
from beamtree.result import TRACE_DTYPE, relative_gap
from beamtree.search_space import SearchSpace
from beamtree.tree import NO_CHILD, NO_FEATURE, Tree, exact_number

FORMAT = "beamtree.tree"
VERSION = 2
# Version 1 compared numbers as float32.
OLDER = 1
# A search for trees of any depth does not look at deeper ones.
DEEPEST = 500
# How far the sum of the shares may be from 1, and, relative to it, the weight of a node from that
# of its children.
TOLERANCE = 1e-6
STATUSES = (
    "optimal",
    "gap_reached",
    "time_limit",
    "node_limit",
    "memory_limit",
    "interrupted",
    "rule_limit",
)
# Attributes of the estimator, without their underscores, that "search" has under the same name.
COPIED = (
    "status",
    "proof",
    "objective",
    "lower_bound",
    "n_errors",
    "n_leaves_bound",
    "rounding",
)
# Those that a policy tree has instead of the number of errors.
REWARDS = ("reward", "reward_bound", "regret")
# Those of them that files of the older version lack.
ADDED = ("proof", "n_leaves_bound")
# The kinds of tests: a test has exactly one of these keys. Each may have some more keys.
DETAILS = {
    "at_most": ("at_most_integer", "missing_goes_left", "between"),
    "equals": ("missing_goes_left",),
    "in": ("missing_goes_left",),
    "known": (),
}
# The kinds of tests of files of the older version, which have no further keys.
OLDER_KINDS = ("at_most", "equals", "known")
# Arrays of a tree that describe its tests, apart from the columns.
FIELDS = (
    "threshold",
    "categories",
    "missing_go_to_left",
    "exact_threshold",
    "value_below",
    "value_above",
)


def _is_frequency(value: Any) -> bool:
    import pandas as pd

    try:
        pd.Period(ordinal=0, freq=value)
    except (TypeError, ValueError):
        return False
    return isinstance(value, str)


def _is_zone(value: Any) -> bool:
    try:
        zone_of(value)
    except (TypeError, ValueError):
        return False
    return True


LINE = Allowed("one line of text", lambda value: isinstance(value, str) and value.isprintable())
NULL = Allowed("null", lambda value: value is None)
FALSE = Allowed("false", lambda value: value is False)
TRUE = Allowed("true", lambda value: value is True)
NUMBER = Allowed("a finite number", lambda value: is_number(value) and isfinite(value))
COUNT = integer(0, 2**63 - 1)
# A column may have very many possible tests; larger numbers are not counted.
POSSIBLE = Allowed(
    "an integer from 0 to 2**1000", lambda value: type(value) is int and 0 <= value <= 2**1000
)
LARGEST = int(np.finfo(np.float64).max)
INTEGER = Allowed(
    "an integer that is not too large for a float64",
    lambda value: type(value) is int and abs(value) <= LARGEST,
)
VALUE = Allowed(
    "a finite number",
    lambda value: INTEGER.test(value) or (type(value) is float and isfinite(value)),
)
INSTANT = Allowed(
    "an integer of 64 bits", lambda value: type(value) is int and -(2**63) <= value < 2**63
)
UNIT = one_of(*NANOSECONDS)
FREQUENCY = Allowed("a frequency of pandas", _is_frequency)
ZONE = or_none(Allowed("the name of a time zone", _is_zone))
# Below this, all integers and the numbers halfway between them are float64 numbers.
HALVES = 2**51
# Below this, all integers are float32 numbers.
FLOAT32_INTEGERS = 2.0**24
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
FLOAT32 = Allowed(
    "a number that a float32 holds exactly",
    lambda value: (
        is_number(value) and abs(value) <= LARGEST_FLOAT32 and float(np.float32(value)) == value
    ),
)
# What "problem" may have in addition to the leaf penalty, and to the target of labels or numbers.
PROBLEM = {
    "weight": TEXT,
    "class_weight": Allowed(
        "'balanced', or an object of finite numbers of at least 0",
        lambda value: (
            value == "balanced" if type(value) is not dict else all_of(finite(0.0), value.values())
        ),
    ),
    "na": Allowed("a list of texts", lambda value: type(value) is list and all_of(TEXT, value)),
}
# The fields of the trace, and what is allowed in each.
TRACE = {
    "seconds": finite(0.0),
    "nodes": COUNT,
    "objective": NUMBER,
    "lower_bound": NUMBER,
    "restart": COUNT,
    "threshold": or_none(NUMBER),
}


def copied(*, numbers: bool, policy: bool) -> tuple[str, ...]:
    """Return those attributes of an estimator, without underscores, that "search" has.

    Parameters
    ----------
    numbers : bool
        Whether its tree predicts numbers.
    policy : bool
        Whether its tree is a policy tree.

    Returns
    -------
    tuple of str
        The names.
    """
    names = tuple(name for name in COPIED if not ((numbers or policy) and name == "n_errors"))
    return names + REWARDS if policy else names


def read(text: str | bytes, *, numbers: bool = False, policy: bool = False) -> dict[str, Any]:
    """Return the fitted attributes that a JSON text describes.

    Parameters
    ----------
    text : str or bytes
        Any text.
    numbers : bool, default=False
        Whether the tree must predict numbers instead of classes.
    policy : bool, default=False
        Whether a policy tree is expected instead of a classifier.

    Returns
    -------
    dict
        The value of each attribute of a fitted `OptimalTreeClassifier`, `OptimalTreeRegressor` or
        `OptimalPolicyTree`, by name.

    Raises
    ------
    ValueError
        If `to_json` could not have written the text; the message says why.
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
        check("version", content.get("version"), one_of(OLDER, VERSION))
        keys += ("problem",) if "problem" in content else ()
    top = checked_object("the tree", content, keys)
    columns = _columns(top["columns"], top["version"])
    _check_kind(top, numbers=numbers, policy=policy)
    attributes: dict[str, Any] = {}
    if not numbers:
        classes = checked_values("classes", top["classes"], in_any_order=policy)
        if len(classes) == 0:
            refuse("classes.values must not be empty")
        name = "actions_" if policy else "classes_"
        attributes |= {name: classes, f"n_{name}": len(classes)}
    n_classes = 0 if numbers else len(classes)
    version = top["version"]
    attributes |= {
        "columns_": columns,
        "n_features_in_": len(columns.names),
        "tree_": _tree(top["nodes"], columns, n_classes, version, policy=policy),
        **_search_attributes(top["search"], columns, version, numbers=numbers, policy=policy),
    }
    if check("named", top["named"], TRUTH):
        attributes["feature_names_in_"] = np.array(columns.names, dtype=object)
    if "problem" in top:
        attributes["problem_"] = _problem(top["problem"], policy=policy)
    return attributes


def _check_kind(top: dict[str, Any], *, numbers: bool, policy: bool) -> None:
    """Refuse the tree of another kind of estimator than the expected one."""
    nodes = top["nodes"]
    if top["classes"] is None:
        kind, reader = "numbers", "OptimalTreeRegressor"
    elif type(nodes) is not list or not nodes:
        return  # refused later
    elif any(type(one) is dict and "rewards" in one for one in nodes):
        kind, reader = "actions", "OptimalPolicyTree"
    else:
        kind, reader = "classes", "OptimalTreeClassifier"
    if (numbers, policy) != (kind == "numbers", kind == "actions"):
        refuse(f"the tree predicts {kind}, so read it with {reader}.from_json")


def _problem(value: Any, *, policy: bool) -> dict[str, Any]:
    check("problem", value, OBJECT)
    also = tuple(key for key in PROBLEM if key in value)
    # The columns of rewards are the classes of the tree.
    target = () if policy else ("target",)
    content = checked_object("problem", value, (*target, "leaf_penalty", *also))
    if not policy:
        check("problem.target", content["target"], TEXT)
    check("problem.leaf_penalty", content["leaf_penalty"], finite(0.0))
    for key in also:
        check(f"problem.{key}", content[key], PROBLEM[key])
    return content


def _columns(value: Any, version: int) -> Columns:
    check("columns", value, LIST)
    keys: tuple[str, ...] = ("name", "categories", "integral", "binary")
    keys += ("wide", "ordered", "time", "has_missing") if version > OLDER else ()
    names, categories, integral, binary, wide, ordered, has_missing = [], [], [], [], [], [], []
    times: list[TimeKind | None] = []
    for j, one in enumerate(value):
        where = f"columns[{j}]"
        content = checked_object(where, one, keys)
        names.append(check(f"{where}.name", content["name"], TEXT))
        given = content["categories"]
        may_be = FALSE if given is None else TRUTH
        ordered.append(check(f"{where}.ordered", content.get("ordered", False), may_be))
        categories.append(
            None
            if given is None
            else checked_values(f"{where}.categories", given, in_any_order=ordered[-1])
        )
        only = TRUTH if given is None else FALSE
        integral.append(check(f"{where}.integral", content["integral"], only))
        times.append(_time(f"{where}.time", content.get("time"), content))
        binary.append(check(f"{where}.binary", content["binary"], FALSE if times[-1] else only))
        may_miss = FALSE if content["binary"] else TRUTH
        missing = content.get("has_missing", False)
        has_missing.append(check(f"{where}.has_missing", missing, may_miss))
        whole = TRUTH if content["integral"] else FALSE
        wide.append(check(f"{where}.wide", content.get("wide", False), whole))
    return Columns(
        tuple(names),
        tuple(categories),
        np.array(integral, dtype=np.bool_),
        np.array(binary, dtype=np.bool_),
        np.array(wide, dtype=np.bool_),
        np.array(ordered, dtype=np.bool_),
        tuple(times),
        np.array(has_missing, dtype=np.bool_),
    )


def _time(where: str, value: Any, column: dict[str, Any]) -> TimeKind | None:
    """Return what the integers of a column mean."""
    if value is None:
        return None
    content = checked_object(where, value, ("kind", "unit", "zone"))
    kind = check(f"{where}.kind", content["kind"], one_of(*NOUNS))
    is_period = kind == "period"
    unit = check(f"{where}.unit", content["unit"], FREQUENCY if is_period else UNIT)
    zone = check(f"{where}.zone", content["zone"], ZONE if kind == "datetime" else NULL)
    if not column["integral"]:
        refuse(f"{where} must be null unless the column is integral")
    return TimeKind(kind, unit, zone)


def _tree(value: Any, columns: Columns, n_classes: int, version: int, *, policy: bool) -> Tree:
    check("nodes", value, LIST)
    nodes = [
        _node(f"nodes[{k}]", one, columns, n_classes, version, policy=policy)
        for k, one in enumerate(value)
    ]
    depth = _check_order(nodes)
    _check_sums(nodes)
    predicts_numbers = n_classes == 0
    if predicts_numbers:
        values = np.array([[node["mean"]] for node in nodes], dtype=np.float64)
        impurity = np.array([node["variance"] for node in nodes], dtype=np.float64)
    else:
        values = np.array([node["shares"] for node in nodes], dtype=np.float64)
        impurity = 1.0 - (values**2).sum(axis=1)
    tests = [_fields(node, columns, version) for node in nodes]
    kinds = {"threshold": np.float64, "missing_go_to_left": np.uint8}
    arrays: dict[str, Any] = {}
    for name in FIELDS:
        arrays[name] = np.empty(len(tests), dtype=kinds.get(name, np.object_))
        arrays[name][:] = [test[name] for test in tests]
    if version > OLDER and not predicts_numbers:
        for name, key in (("probability", "probabilities"), ("error", "error")):
            arrays[name] = np.array([node[key] for node in nodes], dtype=np.float64)
    if predicts_numbers and any("cost" in node for node in nodes):
        for k, node in enumerate(nodes):
            if "cost" not in node:
                refuse(f"nodes[{k}] must have a cost if other nodes have one")
        costs = [inf if node["cost"] is None else node["cost"] for node in nodes]
        arrays["cost"] = np.array(costs, dtype=np.float64)
    if policy:
        arrays["reward"] = np.array([node["rewards"] for node in nodes], dtype=np.float64)
    return Tree(
        children_left=_integers(nodes, "left", NO_CHILD),
        children_right=_integers(nodes, "right", NO_CHILD),
        feature=_integers(nodes, "column", NO_FEATURE),
        impurity=impurity,
        n_node_samples=np.array([node["rows"] for node in nodes], dtype=np.int64),
        weighted_n_node_samples=np.array([node["weight"] for node in nodes], dtype=np.float64),
        value=values[:, np.newaxis, :],
        max_depth=depth,
        n_features=len(columns.names),
        prediction=_integers(nodes, "prediction", 0),
        predicts_numbers=predicts_numbers,
        **arrays,
    )


def _integers(nodes: list[dict[str, Any]], key: str, without: int) -> NDArray[np.intp]:
    return np.array([node.get(key, without) for node in nodes], dtype=np.intp)


def _node(
    where: str, value: Any, columns: Columns, n_classes: int, version: int, *, policy: bool
) -> dict[str, Any]:
    predicted: tuple[str, ...] = ("mean", "variance")
    if isinstance(value, dict) and "cost" in value:
        predicted += ("cost",)
    if n_classes:
        predicted = ("shares", "prediction")
        predicted += ("rewards",) if policy else ()
        predicted += ("probabilities", "error") if version > OLDER else ()
    keys: tuple[str, ...] = ("rows", "weight", *predicted)
    if isinstance(value, dict) and "column" in value:
        keys += (*_keys_of_test(where, value, version), "left", "right")
    node = checked_object(where, value, keys)
    check(f"{where}.rows", node["rows"], integer(1, 2**63 - 1))
    check(f"{where}.weight", node["weight"], POSITIVE)
    if n_classes:
        _check_classes(where, node, n_classes, version)
    else:
        check(f"{where}.mean", node["mean"], NUMBER)
        check(f"{where}.variance", node["variance"], finite(0.0))
        if "cost" in node:
            check(f"{where}.cost", node["cost"], or_none(finite(0.0)))
    if "column" in node:
        _check_test(where, node, columns, version)
    return node


def _check_classes(where: str, node: dict[str, Any], n_classes: int, version: int) -> None:
    """Check what a node says about classes, or about actions."""
    check(f"{where}.prediction", node["prediction"], integer(0, n_classes - 1))
    _check_shares(f"{where}.shares", node["shares"], n_classes)
    if version > OLDER:
        _check_shares(f"{where}.probabilities", node["probabilities"], n_classes)
        check(f"{where}.error", node["error"], finite(0.0))
    if "rewards" in node:
        check(f"{where}.rewards", node["rewards"], _list_of(n_classes))
        for k, reward in enumerate(node["rewards"]):
            check(f"{where}.rewards[{k}]", reward, NUMBER)


def _check_shares(where: str, shares: Any, n_classes: int) -> None:
    check(where, shares, _list_of(n_classes))
    for k, share in enumerate(shares):
        check(f"{where}[{k}]", share, finite(0.0, 1.0))
    if abs(sum(shares) - 1.0) > TOLERANCE:
        refuse(f"{where} must add up to 1, got {sum(shares)}")


def _list_of(length: int) -> Allowed:
    return Allowed(f"a list of {length} numbers", lambda value: is_list(value, length))


def _check_order(nodes: list[dict[str, Any]]) -> int:
    """Return the depth of the tree, and refuse nodes that are not in depth-first order."""
    deepest = due = 0
    stack = [(0, 0)]
    while stack:
        number, depth = stack.pop()
        if number != due:
            refuse(f"nodes must be a tree in depth-first order: expected {due}, got {number}")
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
        refuse(f"nodes must be a tree: no node leads to node {due}")
    return deepest


def _check_sums(nodes: list[dict[str, Any]]) -> None:
    for number, node in enumerate(nodes):
        if "column" not in node:
            continue
        left, right = nodes[node["left"]], nodes[node["right"]]
        if left["rows"] + right["rows"] != node["rows"]:
            refuse(f"nodes[{number}].rows must be the sum of the rows of its children")
        if abs(left["weight"] + right["weight"] - node["weight"]) > TOLERANCE * node["weight"]:
            refuse(f"nodes[{number}].weight must be the sum of the weights of its children")


def _search_attributes(
    value: Any, columns: Columns, version: int, *, numbers: bool, policy: bool
) -> dict[str, Any]:
    names = copied(numbers=numbers, policy=policy)
    given = tuple(key for key in names if key not in ADDED or version > OLDER)
    content = checked_object(
        "search",
        value,
        (*given, *_space_keys(version), "trace", "statistics", "alternatives"),
    )
    check("search.status", content["status"], one_of(*STATUSES))
    check("search.objective", content["objective"], finite(0.0))
    check("search.lower_bound", content["lower_bound"], finite(0.0, content["objective"]))
    for name in REWARDS if policy else ():
        check(f"search.{name}", content[name], NUMBER)
    check("search.rounding", content["rounding"], finite(0.0))
    difference = content["objective"] - content["lower_bound"]
    if content["status"] == "optimal" and difference > content["rounding"]:
        refuse(
            f"search.status must not be 'optimal' if search.objective exceeds search.lower_bound "
            f"by more than search.rounding, got {content['objective']!r}, "
            f"{content['lower_bound']!r} and {content['rounding']!r}"
        )
    if "n_errors" in names:
        check("search.n_errors", content["n_errors"], COUNT)
    check("search.statistics", content["statistics"], OBJECT)
    for name, number in content["statistics"].items():
        check("a key of search.statistics", name, TEXT)
        check(f"search.statistics[{name!r}]", number, NUMBER)
    space = _space(content, columns.names, version)
    if version == OLDER:
        content |= {"proof": _older_proof(content), "n_leaves_bound": 1}
    check("search.proof", content["proof"], LINE)
    check("search.n_leaves_bound", content["n_leaves_bound"], integer(1))
    return {f"{name}_": content[name] for name in names} | {
        "gap_": relative_gap(content["objective"], content["lower_bound"]),
        "search_space_": space,
        "trace_": _trace(content["trace"]),
        "statistics_": dict(content["statistics"]),
        "alternatives_": Alternatives(
            _alternatives(content["alternatives"], columns, version), columns
        ),
    }


def _older_proof(content: dict[str, Any]) -> str:
    """Return what a file of version 1 proves, which knew only tests of float32 numbers."""
    objective, bound, status = (content[key] for key in ("objective", "lower_bound", "status"))
    found = objective_words(objective, bound, counts_errors=objective == content["n_errors"])
    words = f"over {sum(content['tests']):,} tests: {found}"
    if status == "optimal":
        return f"Proved optimal {words}"
    return f"Not proved {words} ({status.replace('_', ' ')})"


def _space_keys(version: int) -> tuple[str, ...]:
    older = ("tests", "possible")
    return older if version == OLDER else (*older, "categories", "possible_categories")


def _space(content: dict[str, Any], names: tuple[str, ...], version: int) -> SearchSpace:
    one_each = Allowed(
        f"a list of {len(names)} numbers, one per column", lambda value: is_list(value, len(names))
    )
    keys = _space_keys(version)
    for key in keys:
        check(f"search.{key}", content[key], one_each)
    for some, every in zip(keys[::2], keys[1::2], strict=True):
        for j in range(len(names)):
            check(f"search.{every}[{j}]", content[every][j], POSSIBLE)
            check(f"search.{some}[{j}]", content[some][j], integer(0, content[every][j]))
    return SearchSpace(names, *(tuple(content[key]) for key in keys))


def _trace(value: Any) -> NDArray[np.void]:
    content = checked_object("search.trace", value, tuple(TRACE))
    length = len(check("search.trace.seconds", content["seconds"], LIST))
    trace = np.empty(length, dtype=TRACE_DTYPE)
    for name, allowed in TRACE.items():
        where, values = f"search.trace.{name}", content[name]
        if not is_list(values, length):
            refuse(f"{where} must be a list of {length} numbers, as long as seconds")
        for k, one in enumerate(values):
            check(f"{where}[{k}]", one, allowed)
        trace[name] = [inf if one is None else one for one in values]
    return trace


def _alternatives(value: Any, columns: Columns, version: int) -> NDArray[np.void]:
    check("search.alternatives", value, Allowed("a list", lambda value: type(value) is list))
    table = np.empty(len(value), dtype=ALTERNATIVE_DTYPE)
    for k, one in enumerate(value):
        where = f"search.alternatives[{k}]"
        check(where, one, OBJECT)
        costs = ("objective", "lower_bound")
        content = checked_object(where, one, (*_keys_of_test(where, one, version), *costs))
        _check_test(where, content, columns, version)
        fields = _fields(content, columns, version) | {"column": content["column"]}
        fields |= {key: check(f"{where}.{key}", content[key], NUMBER) for key in costs}
        for name in table.dtype.names or ():
            table[name][k] = fields[name]
    return table


def _keys_of_test(where: str, value: dict[str, Any], version: int) -> tuple[str, ...]:
    kinds = OLDER_KINDS if version == OLDER else tuple(DETAILS)
    found = [key for key in kinds if key in value]
    if len(found) != 1:
        words = f"{', '.join(kinds[:-1])} and {kinds[-1]}"
        refuse(f"{where} must have one of the keys {words}, got {len(found)}")
    details = () if version == OLDER else DETAILS[found[0]]
    return ("column", *found, *(key for key in details if key in value))


def _check_test(where: str, content: dict[str, Any], columns: Columns, version: int) -> None:
    check(f"{where}.column", content["column"], integer(0, len(columns.names) - 1))
    categories = columns.categories[content["column"]]
    if "known" in content:
        check(f"{where}.known", content["known"], TRUE)
    elif "equals" in content:
        if categories is None:
            refuse(f"{where}.equals cannot test a column of numbers, which needs at_most")
        check(f"{where}.equals", content["equals"], integer(0, len(categories) - 1))
        _check_missing_side(where, content)
    elif "in" in content:
        if categories is None:
            refuse(f"{where}.in cannot test a column of numbers, which needs at_most")
        _check_positions(f"{where}.in", content["in"], len(categories))
        _check_missing_side(where, content)
    else:
        if categories is not None:
            refuse(f"{where}.at_most cannot test a column of categories, which needs equals or in")
        check(f"{where}.at_most", content["at_most"], FLOAT32 if version == OLDER else NUMBER)
        if columns.times[content["column"]] is not None:
            check(f"{where}.at_most_integer", content.get("at_most_integer"), INSTANT)
        _check_details(where, content)
    if version > OLDER and not columns.has_missing[content["column"]]:
        for key in ("known", "missing_goes_left"):
            if key in content:
                refuse(f"{where}.{key} needs a column that had missing values")


def _check_positions(where: str, positions: Any, count: int) -> None:
    check(where, positions, LIST)
    for k, position in enumerate(positions):
        check(f"{where}[{k}]", position, integer(0, count - 1))
    if len(positions) < 2 or positions != sorted(set(positions)):
        refuse(f"{where} must have at least two positions, which increase, got {positions}")


def _check_missing_side(where: str, content: dict[str, Any]) -> None:
    if "missing_goes_left" in content:
        check(f"{where}.missing_goes_left", content["missing_goes_left"], TRUE)


def _check_details(where: str, content: dict[str, Any]) -> None:
    """Refuse details of a threshold that contradict it."""
    _check_missing_side(where, content)
    if "at_most_integer" in content:
        whole = check(f"{where}.at_most_integer", content["at_most_integer"], INTEGER)
        if abs(whole) < HALVES and whole != floor(content["at_most"]):
            refuse(f"{where}.at_most_integer must be at_most, rounded down")
    if "between" in content:
        pair = Allowed("a list of two numbers", lambda value: is_list(value, 2))
        check(f"{where}.between", content["between"], pair)
        below, above = (
            check(f"{where}.between[{k}]", one, VALUE) for k, one in enumerate(content["between"])
        )
        if not below <= exact_number(content["at_most"], content.get("at_most_integer")) < above:
            refuse(f"{where}.between must be a number that goes left and one that goes right")


def _fields(content: dict[str, Any], columns: Columns, version: int) -> dict[str, Any]:
    """Return what `Tree` holds of a test, or of a leaf, by the names of its arrays."""
    below, above = content.get("between", (None, None))
    is_leaf = "column" not in content
    return {
        "threshold": NO_FEATURE if is_leaf else _threshold_of(content, columns, version),
        "categories": _categories_of(content),
        "missing_go_to_left": content.get("missing_goes_left", False),
        "exact_threshold": content.get("at_most_integer"),
        "value_below": below,
        "value_above": above,
    }


def _categories_of(content: dict[str, Any]) -> tuple[int, ...] | None:
    """Return the tested categories as `Tree` holds them."""
    if "equals" in content:
        return (content["equals"],)
    return tuple(content["in"]) if "in" in content else None


def _threshold_of(content: dict[str, Any], columns: Columns, version: int) -> float:
    """Return the threshold of a test as `Tree` holds it."""
    threshold = float(content.get("at_most", inf if "known" in content else nan))
    if version > OLDER or not isfinite(threshold):
        return threshold
    if columns.integral[content["column"]] and abs(threshold) < FLOAT32_INTEGERS:
        return threshold
    return largest_double(threshold)
