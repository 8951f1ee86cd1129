"""What JSON says of a search: how good its tree is, over which tests, and how it got there."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._util.validation import Allowed, finite, integer, is_number, or_none
from beamtree.alternatives import FIELDS, Alternatives
from beamtree.export._json_tests import (
    check_test,
    content_of_test,
    keys_of_test,
    threshold_of,
)
from beamtree.export._json_values import (
    LIST,
    OBJECT,
    TEXT,
    check,
    checked_object,
    is_list,
    one_of,
    refuse,
)
from beamtree.export._model import plain
from beamtree.result import TRACE_DTYPE, _gap
from beamtree.search_space import SearchSpace

if TYPE_CHECKING:
    from beamtree.classifier import OptimalTreeClassifier

STATUSES = (
    "optimal",
    "gap_reached",
    "time_limit",
    "node_limit",
    "memory_limit",
    "interrupted",
    "rule_limit",
)
# Names of attributes, without their underscores, that are written as they are.
PLAIN = ("status", "objective", "lower_bound", "n_errors", "rounding")
# The most improvements, and first tests, that are written.
MOST = 1000
NUMBER = Allowed("a finite number", lambda value: is_number(value) and isfinite(value))
COUNT = integer(0, 2**63 - 1)
TRACE = {
    "seconds": finite(0.0),
    "nodes": COUNT,
    "objective": NUMBER,
    "lower_bound": NUMBER,
    "restart": COUNT,
    "threshold": or_none(NUMBER),
}


def search_content(classifier: OptimalTreeClassifier) -> dict[str, Any]:
    """Return what is written of the search of a fitted classifier.

    Parameters
    ----------
    classifier : OptimalTreeClassifier
        The classifier.

    Returns
    -------
    dict
        Values of JSON.
    """
    space, trace = classifier.search_space_, _thinned(classifier.trace_)
    return {
        **{name: plain(getattr(classifier, f"{name}_")) for name in PLAIN},
        "tests": list(space.tests_per_column),
        "possible": list(space.possible_per_column),
        "trace": {name: _or_null(trace[name]) for name in TRACE},
        "statistics": {name: plain(value) for name, value in classifier.statistics_.items()},
        "alternatives": [_alternative(row) for row in classifier.alternatives_.table[:MOST]],
    }


def _alternative(row: np.void) -> dict[str, Any]:
    column, threshold, category, objective, lower_bound = row.item()
    test = content_of_test(column, threshold, category)
    return {**test, "objective": objective, "lower_bound": lower_bound}


def _thinned(trace: NDArray[np.void]) -> NDArray[np.void]:
    """Return the first row, the last, and of those between as many as are written."""
    if len(trace) <= MOST:
        return trace
    kept = np.linspace(0, len(trace) - 1, MOST).round().astype(np.intp)
    thinned: NDArray[np.void] = trace[kept]
    return thinned


def _or_null(values: NDArray[Any]) -> list[Any]:
    return [value if isfinite(value) else None for value in values.tolist()]


def search_attributes(value: Any, columns: Columns) -> dict[str, Any]:
    """Return the attributes of a classifier that are of its search, checked.

    Parameters
    ----------
    value : object
        What was written, or anything else.
    columns : Columns
        The columns.

    Returns
    -------
    dict
        Attributes by name.
    """
    content = checked_object(
        "search", value, (*PLAIN, "tests", "possible", "trace", "statistics", "alternatives")
    )
    check("search.status", content["status"], one_of(*STATUSES))
    check("search.objective", content["objective"], finite(0.0))
    check("search.lower_bound", content["lower_bound"], finite(0.0, content["objective"]))
    check("search.n_errors", content["n_errors"], COUNT)
    check("search.rounding", content["rounding"], finite(0.0))
    check("search.statistics", content["statistics"], OBJECT)
    for name, number in content["statistics"].items():
        check("a key of search.statistics", name, TEXT)
        check(f"search.statistics[{name!r}]", number, NUMBER)
    return {f"{name}_": content[name] for name in PLAIN} | {
        "gap_": _gap(content["objective"], content["lower_bound"]),
        "search_space_": _space(content["tests"], content["possible"], columns.names),
        "trace_": _trace(content["trace"]),
        "statistics_": dict(content["statistics"]),
        "alternatives_": Alternatives(_alternatives(content["alternatives"], columns), columns),
    }


def _space(tests: Any, possible: Any, names: tuple[str, ...]) -> SearchSpace:
    one_each = Allowed(
        f"a list of {len(names)} numbers, one a column", lambda value: is_list(value, len(names))
    )
    check("search.possible", possible, one_each)
    check("search.tests", tests, one_each)
    for j, (some, every) in enumerate(zip(tests, possible, strict=True)):
        check(f"search.possible[{j}]", every, COUNT)
        check(f"search.tests[{j}]", some, integer(0, every))
    return SearchSpace(names, tuple(tests), tuple(possible))


def _trace(value: Any) -> NDArray[np.void]:
    content = checked_object("search.trace", value, tuple(TRACE))
    length = len(check("search.trace.seconds", content["seconds"], LIST))
    trace = np.empty(length, dtype=TRACE_DTYPE)
    for name, allowed in TRACE.items():
        where, values = f"search.trace.{name}", content[name]
        if not is_list(values, length):
            refuse(f"{where} must be a list of {length} numbers, as seconds is")
        for k, one in enumerate(values):
            check(f"{where}[{k}]", one, allowed)
        trace[name] = [inf if one is None else one for one in values]
    return trace


def _alternatives(value: Any, columns: Columns) -> NDArray[np.void]:
    check("search.alternatives", value, Allowed("a list", lambda value: type(value) is list))
    table = np.empty(len(value), dtype=FIELDS)
    for k, one in enumerate(value):
        where = f"search.alternatives[{k}]"
        check(where, one, OBJECT)
        keys = (*keys_of_test(where, one), "objective", "lower_bound")
        content = checked_object(where, one, keys)
        check_test(where, content, columns)
        costs = [check(f"{where}.{key}", content[key], NUMBER) for key in keys[2:]]
        threshold, category = threshold_of(content), content.get("equals", -1)
        table[k] = (content["column"], threshold, category, *costs)
    return table
