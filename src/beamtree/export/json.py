"""A tree as JSON, for programs that do not know this package.

Version 2 of the format is an object with the following keys and no others. All of them are
required except ``problem``.

- ``format``: ``"beamtree.tree"``; ``version``: 2.
- ``columns``: a list with one object per column of X: ``name``; ``categories``, which is null for a
  column of numbers and sorted *values* otherwise; ``integral``, whether it had integers or
  booleans; ``binary``, whether its numbers were all 0 or 1 and none was missing; ``wide``, whether
  some of its integers were beyond 2**53, so that a float64 cannot take their place; ``ordered``,
  whether its categories have an order, which is then that of the list; ``has_missing``, whether it
  had missing values; and ``time``, which is null unless the column had dates or times. Then they
  are integers, which this object explains: ``kind`` is ``"datetime"`` (since 1970), ``"time"``
  (since midnight), ``"duration"`` or ``"period"``; ``unit`` is ``"D"``, ``"s"``, ``"ms"``, ``"us"``
  or ``"ns"``, or the frequency of a period in pandas, whose numbers they are; and ``zone`` is null,
  or the time zone of the words if the integers are those of UTC. Other values are rounded down to
  the unit before they are compared.
- ``named``: whether the columns of X had names; if they had none, the names are ``x0``, ``x1``, ...
- ``classes``: *values*, the labels, or the actions of a policy tree; null if the tree predicts
  numbers.
- ``nodes``: a list with one object per node, depth first, left before right, the root first. Every
  node has ``rows`` and ``weight``, the number and the weight of its training rows, ``shares``, the
  share of each class in this weight, ``probabilities``, which are the smoothed shares,
  ``prediction``, the position of the predicted class, and ``error``, the weight of the rows that
  the node would misclassify if it were a leaf, or their cost. If the tree predicts numbers,
  ``mean`` and ``variance`` of the numbers take the place of the last four. If the tree minimises an
  objective that the user wrote, ``mean`` is what the node predicts, and ``cost`` is what it would
  cost as a leaf, or null if that is infinite. A node of a policy tree
  also has ``rewards``, the mean reward of each action; ``shares`` are then those of the rows for
  which an action is the best, and ``error`` is the regret. An
  inner node also has ``left`` and ``right``, the positions of its children, ``column``, the
  position of the tested column, and one of four tests: ``at_most``, a float64; ``equals``, the
  position of a category; ``in``, an increasing list of positions of at least two categories; or
  ``known``, which is true. A row goes left if its value is at most the number, if it is the
  category, or one of the categories, or if it is not missing. A missing value goes right, except
  where ``missing_goes_left``, a further key of the first three tests, is true. An unknown category
  goes right unless the test is ``known``. Two more keys may follow ``at_most``:
  ``at_most_integer``, if the column had integers, is the exact number to compare integers with,
  which a float64 cannot hold if it is large; and ``between`` is a list of the largest training
  value that goes left and the smallest that goes right.
- ``search``: an object. ``status``, ``proof``, ``objective``, ``lower_bound``, ``n_errors``,
  ``n_leaves_bound``, ``rounding`` and ``statistics`` are the attributes of the estimator; there is
  no ``n_errors`` if the tree predicts numbers. A policy tree has ``reward``, ``reward_bound`` and
  ``regret`` instead. A statistic that is None is left out.
  ``tests`` and ``possible`` are lists with one number per column: how many of its tests were
  searched, and how many there are. ``categories`` and ``possible_categories`` are such lists of
  numbers of categories without an order.
  ``trace`` is an object with one list per field of the attribute, in which null means that there is
  no threshold. A trace of more than 1,000 improvements is thinned to 1,000, including the first and
  the last. ``alternatives`` is a list of the best first tests, at most 1,000, each with its
  ``objective`` and ``lower_bound``; a test is written as in a node, with the same
  further keys.
- ``problem``, only in files that the command line wrote: an object with ``target``, the name of the
  column of labels, and ``leaf_penalty``. If they were given, it also has ``weight``, the name of
  the column of weights, ``class_weight``, which is ``"balanced"`` or an object with the weights of
  labels, and ``na``, a list of the texts that stood for missing values. A policy tree has no
  ``target``: the columns of rewards have the names of the actions.

Version 1 had none of these three keys, no ``probabilities``, no ``error``, no ``in``, no ``wide``,
no ``ordered``, no ``time``, no ``has_missing``, no ``proof``, no ``n_leaves_bound`` and no numbers
of categories, and compared numbers as float32: ``at_most`` was a float32, and values were rounded
to float32 first. When such a file is read, its thresholds become float64 numbers that separate all
values in the same way, and its shares are the probabilities.

*Values* are an object with the keys ``type`` (``"str"``, ``"object"``, ``"bool"``, ``"int64"``,
``"float64"`` and other types of NumPy) and ``values``, a list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from math import inf, isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from beamtree._util.scalars import python_scalar
from beamtree.export._fitted import EstimatorLike, FittedEstimator, fitted_estimator
from beamtree.export._json_reader import FIELDS, FORMAT, TRACE, VERSION, copied, read
from beamtree.export._json_values import TYPES
from beamtree.export._model import Model

_Estimator = TypeVar("_Estimator")

# At most this many improvements, and this many first tests, are written.
MOST = 1000


def to_json(classifier: EstimatorLike, *, indent: int | None = None) -> str:
    """Return a fitted estimator as JSON.

    The JSON has the tree, its columns and labels, its objective and bound, and the trace of the
    search, but not the parameters. The format is described in ``beamtree.export.json``.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        The fitted estimator, or one whose ``best_estimator_`` is one. Its labels and categories
        must be texts, booleans or finite numbers.
    indent : int, optional
        Spaces by which each level is indented; by default everything is on one line.

    Returns
    -------
    str
        The JSON, in ASCII.

    Examples
    --------
    >>> import json
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import to_json
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> tree = json.loads(to_json(clf))
    >>> tree["nodes"][0]["column"], tree["nodes"][0]["at_most"], tree["nodes"][1]["shares"]
    (0, 0.5, [1.0, 0.0])
    """
    fitted = fitted_estimator(classifier)
    model = Model.of(fitted)
    columns = zip(
        model.columns.names,
        model.columns.categories,
        model.columns.integral.tolist(),
        model.columns.binary.tolist(),
        model.columns.wide.tolist(),
        model.columns.ordered.tolist(),
        model.columns.times,
        model.columns.has_missing.tolist(),
        strict=True,
    )
    content = {
        "format": FORMAT,
        "version": VERSION,
        "columns": [
            {
                "name": name,
                "categories": None if categories is None else _values(categories),
                "integral": integral,
                "binary": binary,
                "wide": wide,
                "ordered": ordered,
                "time": None if time is None else asdict(time),
                "has_missing": has_missing,
            }
            for name, categories, integral, binary, wide, ordered, time, has_missing in columns
        ],
        "named": hasattr(fitted, "feature_names_in_"),
        "classes": None if model.predicts_numbers else _values(model.classes),
        "nodes": [_node(model, node) for node in range(model.tree.node_count)],
        "search": _search(fitted),
    }
    if hasattr(fitted, "problem_"):
        content["problem"] = fitted.problem_
    return json.dumps(content, indent=indent, allow_nan=False)


def from_json(text: str | bytes, classifier: _Estimator) -> _Estimator:
    """Put a tree that `to_json` wrote into an estimator.

    The whole text is checked, and nothing in it is executed, so it may come from anywhere.

    Parameters
    ----------
    text : str or bytes
        The JSON.
    classifier : OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        An unfitted estimator. Its parameters stay as they are.

    Returns
    -------
    OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        The same estimator, with the fitted attributes of the one that was written.

    Raises
    ------
    ValueError
        If `to_json` could not have written the text, or wrote it for another kind of estimator;
        the message says why.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import from_json, to_json
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> twin = from_json(to_json(clf), OptimalTreeClassifier())
    >>> twin.predict([[1], [0]])
    array(['wet', 'dry'], dtype='<U3')
    """
    policy = hasattr(classifier, "actions")
    for name, value in read(text, numbers=is_regressor(classifier), policy=policy).items():
        setattr(classifier, name, value)
    return classifier


def _values(array: NDArray[Any]) -> dict[str, Any]:
    kind = {"U": "str", "T": "object"}.get(array.dtype.kind, array.dtype.name)
    values = array.tolist()
    if kind not in TYPES or not all(TYPES[kind](value) for value in values):
        msg = f"labels and categories must be texts, booleans or finite numbers, got {array!r}"
        raise ValueError(msg)
    return {"type": kind, "values": values}


def _node(model: Model, node: int) -> dict[str, Any]:
    tree = model.tree
    content: dict[str, Any] = {}
    if tree.feature[node] >= 0:
        fields = {name: getattr(tree, name)[node] for name in FIELDS}
        content |= _test({"column": tree.feature[node]} | fields)
        content["left"] = int(tree.children_left[node])
        content["right"] = int(tree.children_right[node])
    content["rows"] = int(tree.n_node_samples[node])
    content["weight"] = float(tree.weighted_n_node_samples[node])
    if model.predicts_numbers:
        content["mean"] = float(tree.value[node, 0, 0])
        content["variance"] = float(tree.impurity[node])
        if tree.cost is not None:
            content["cost"] = None if tree.cost[node] == inf else float(tree.cost[node])
    else:
        content["shares"] = tree.value[node, 0].tolist()
        content["probabilities"] = tree.probability[node].tolist()
        content["prediction"] = int(tree.prediction[node])
        content["error"] = float(tree.error[node])
    if tree.reward is not None:
        content["rewards"] = tree.reward[node].tolist()
    return content


def _test(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a test, given the fields of a node or of an alternative by name."""
    content: dict[str, Any] = {"column": int(fields["column"])}
    categories = fields["categories"]
    if categories is None and fields["threshold"] == inf:
        return content | {"known": True}
    if categories is None:
        content["at_most"] = float(fields["threshold"])
    elif len(categories) == 1:
        content["equals"] = int(categories[0])
    else:
        content["in"] = [int(position) for position in categories]
    if fields.get("exact_threshold") is not None:
        content["at_most_integer"] = int(fields["exact_threshold"])
    if fields.get("missing_go_to_left"):
        content["missing_goes_left"] = True
    between = [fields.get("value_below"), fields.get("value_above")]
    if None not in between:
        content["between"] = between
    return content


def _search(fitted: FittedEstimator) -> dict[str, Any]:
    space, trace = fitted.search_space_, _thinned(fitted.trace_)
    statistics = {
        name: python_scalar(value)
        for name, value in fitted.statistics_.items()
        if value is not None  # as the time to the proof may be; older versions read only numbers
    }
    return {
        **{
            name: python_scalar(getattr(fitted, f"{name}_"))
            for name in copied(
                numbers=fitted.tree_.predicts_numbers, policy=fitted.tree_.reward is not None
            )
        },
        "tests": list(space.tests_per_column),
        "possible": list(space.possible_per_column),
        "categories": list(space.categories_per_column),
        "possible_categories": list(space.possible_categories_per_column),
        "trace": {name: _or_null(trace[name]) for name in TRACE},
        "statistics": statistics,
        "alternatives": [_alternative(row) for row in fitted.alternatives_.table[:MOST]],
    }


def _thinned(trace: NDArray[np.void]) -> NDArray[np.void]:
    """Return at most `MOST` rows, evenly spaced, including the first and the last."""
    if len(trace) <= MOST:
        return trace
    kept = np.linspace(0, len(trace) - 1, MOST).round().astype(np.intp)
    thinned: NDArray[np.void] = trace[kept]
    return thinned


def _or_null(values: NDArray[Any]) -> list[Any]:
    return [value if isfinite(value) else None for value in values.tolist()]


def _alternative(row: np.void) -> dict[str, Any]:
    fields = dict(zip(row.dtype.names or (), row.item(), strict=True))
    costs = {name: fields[name] for name in ("objective", "lower_bound")}
    return _test(fields) | costs
