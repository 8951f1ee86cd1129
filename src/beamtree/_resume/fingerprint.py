"""Fingerprints of data and settings, to find out whether two searches are the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.memory import parse_bytes
from beamtree._engine.strategy import HEURISTICS, RULES, SCHEDULES
from beamtree._table.columns import Columns
from beamtree._table.orders import Orders
from beamtree._table.training_data import TrainingData
from beamtree._util.scalars import python_scalar
from beamtree.heuristics import _Heuristic
from beamtree.objectives import Objective
from beamtree.rules import Both, Rule
from beamtree.rules.threshold import Threshold
from beamtree.schedules import Sequence, _Schedule

# Built-in objects that settings may contain, by the names of their classes.
KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (*RULES.values(), Both, *SCHEDULES.values(), Sequence, *HEURISTICS.values())
} | {"Fraction": Fraction}


def data_fingerprint(data: TrainingData) -> dict[str, Any]:
    """Return the shape of the data and hashes of their contents.

    Parameters
    ----------
    data : TrainingData
        The encoded rows.

    Returns
    -------
    dict
        ``rows`` and ``features``, and hashes of the ranks of the rows (``X``), of the ``tests``, of
        ``y`` as positions among the classes or as numbers, and of ``sample_weight``. Weights that
        are all 1 have the same fingerprint as no weights. If rows have ``costs`` or ``rewards``, or
        a ``count`` of the rows for which they stand, there is also a hash of these.
    """
    weight = data.sample_weight
    if weight is not None and (weight == 1.0).all():
        weight = None
    further = {"costs": data.costs, "rewards": data.rewards, "count": data.count}
    return {
        "rows": len(data.X),
        "features": len(data.columns.names),
        "X": _hash(data.X if isinstance(data.X, np.ndarray) else data.X.rank),
        "tests": tests_fingerprint(data.orders, data.columns),
        "y": _hash(data.codes if data.numbers is None else data.numbers),
        "sample_weight": None if weight is None else _hash(weight),
        **{name: _hash(values) for name, values in further.items() if values is not None},
    }


def tests_fingerprint(orders: Orders, columns: Columns) -> str:
    """Return a hash of tests: their columns, thresholds and categories.

    Parameters
    ----------
    orders : Orders
        The orders, whose cuts are the tests.
    columns : Columns
        The columns of the table; their names do not matter.

    Returns
    -------
    str
        The hash.
    """
    known = [[] if each is None else each.tolist() for each in columns.categories]
    arrays = (orders.column, orders.missing_first, orders.asks_if_missing)
    values: list[NDArray[Any]] = [] if orders.is_binary else [*orders.low, *orders.high]
    parts = [_hash(array) for array in (*arrays, *values)]
    kinds = [str(array.dtype) for array in values]
    what = (parts, kinds, known, [*orders.groups], columns.ordered.tolist(), columns.times)
    return blake2b(repr(what).encode(), digest_size=16).hexdigest()


def _hash(array: NDArray[Any]) -> str:
    # Little-endian, so that the bytes are the same on every machine.
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return blake2b(np.ascontiguousarray(little).data, digest_size=16).hexdigest()


def labels_to_json(classes: NDArray[Any]) -> dict[str, Any]:
    """Return labels in a form that JSON can represent.

    Parameters
    ----------
    classes : ndarray
        Numbers, strings or booleans, or objects that are all of one of these types.

    Returns
    -------
    dict
        ``kind`` and ``values``.

    Raises
    ------
    ValueError
        If there are labels of another type.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._resume.fingerprint import labels_to_json
    >>> labels_to_json(np.array(["no", "yes"]))
    {'kind': 'text', 'values': ['no', 'yes']}
    """
    values = classes.tolist()
    for kind, (python, written) in _LABELS.items():
        if all(type(value) is python for value in values):
            return {"kind": kind, "values": [written(value) for value in values]}
    types = {python for python, _ in _LABELS.values()}
    bad = next((value for value in values if type(value) not in types), values)
    msg = f"labels must all be numbers, all strings or all booleans to be saved, got {bad!r}"
    raise ValueError(msg)


def labels_from_json(written: dict[str, Any]) -> list[Any]:
    """Return the labels that `labels_to_json` has written.

    Parameters
    ----------
    written : dict
        ``kind`` and ``values``.

    Returns
    -------
    list
        The labels.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the value does not have the form that `labels_to_json` writes.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._resume.fingerprint import labels_from_json, labels_to_json
    >>> labels_from_json(labels_to_json(np.array([0.5, 1.0])))
    [0.5, 1.0]
    """
    python, _ = _LABELS[written["kind"]]
    read = float.fromhex if python is float else python
    return [read(value) for value in written["values"]]


# The types of labels, and how they are written; real numbers are written without rounding.
_LABELS: dict[str, tuple[type, Any]] = {
    "boolean": (bool, bool),
    "integer": (int, int),
    "real": (float, float.hex),
    "text": (str, str),
}


def settings_to_json(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings in a form that JSON can represent, with built-in objects by name.

    Parameters
    ----------
    settings : dict
        Settings that have been checked.

    Returns
    -------
    dict
        The values that JSON can represent, by name.

    Raises
    ------
    ValueError
        If the rule or the criterion is written by the user.
    """
    return {name: _to_json(value) for name, value in settings.items()}


_FRACTION = ("numerator", "denominator")


def _to_json(value: Any) -> Any:
    if isinstance(value, Rule | Objective):
        what = "a rule" if isinstance(value, Rule) else "an objective"
        msg = (
            f"a search with {what} of your own, {type(value).__name__}, cannot be saved: a file "
            "cannot hold its code"
        )
        raise ValueError(msg)
    if isinstance(value, Threshold | Both | _Schedule | _Heuristic):
        if type(value) is not KINDS.get(type(value).__name__):
            msg = f"a search with a {type(value).__name__} cannot be saved: it is not built in"
            raise ValueError(msg)
        parameters = {field.name: getattr(value, field.name) for field in fields(value)}
        return {"kind": type(value).__name__} | {k: _to_json(v) for k, v in parameters.items()}
    if isinstance(value, Fraction):
        return {"kind": "Fraction"} | dict(zip(_FRACTION, value.as_integer_ratio(), strict=True))
    if isinstance(value, Mapping):
        pairs = [[_to_json(key), _to_json(item)] for key, item in value.items()]
        if all(type(key) in (str, int, float, bool) for key, _ in pairs):
            return {"kind": "dict", "items": pairs}
        msg = f"labels must be numbers, strings or booleans to be saved, got {[*value]}"
        raise ValueError(msg)
    if hasattr(value, "__array__") and not isinstance(value, np.generic):
        value = np.asarray(value).tolist()
    if isinstance(value, tuple | list | range):
        return [_to_json(item) for item in value]
    return python_scalar(value)


def settings_from_json(written: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that `settings_to_json` has written.

    Parameters
    ----------
    written : dict
        The values from a file, which may be invalid.

    Returns
    -------
    dict
        The settings, whose values must still be checked. Objects such as rules have checked their
        own parameters.

    Raises
    ------
    ValueError
        If the values do not have the form that `settings_to_json` writes.
    """
    return {name: _from_json(value) for name, value in written.items()}


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_from_json(item) for item in value)
    if not isinstance(value, dict):
        return value
    if value.get("kind") == "dict":
        try:
            return dict(_from_json(value.get("items")))
        except TypeError as error:
            msg = f"a dict must be written as pairs, got {value.get('items')!r}"
            raise ValueError(msg) from error
    kind = KINDS.get(str(value.get("kind")))
    if kind is None:
        msg = f"there is no built-in object with the name {value.get('kind')!r}"
        raise ValueError(msg)
    parameters = {name: _from_json(item) for name, item in value.items() if name != "kind"}
    try:
        return kind(**parameters)
    except (TypeError, ZeroDivisionError) as error:
        msg = f"{kind.__name__} does not have the parameters {', '.join(parameters)}"
        raise ValueError(msg) from error


def plain_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings in a unique form, so that equal settings can be recognised.

    Names are replaced by the objects that they stand for, and numbers by those of Python.

    Parameters
    ----------
    settings : dict
        Settings that have been checked.

    Returns
    -------
    dict
        The settings in the form that `same_settings` compares.
    """
    return {name: _PLAIN.get(name, _identity)(value) for name, value in settings.items()}


def _identity(value: Any) -> Any:
    return value


def _plain_rule(rule: Any) -> Any:
    if isinstance(rule, Both):
        return Both(_plain_rule(rule.first), _plain_rule(rule.second))
    if type(rule) in RULES.values():
        return replace(rule, limit=rule.end)
    return _plain_rule(RULES[rule]()) if isinstance(rule, str) and rule in RULES else rule


def _plain_schedule(schedule: Any) -> Any:
    if isinstance(schedule, tuple | list | range):
        return Sequence(tuple(schedule))
    return SCHEDULES[schedule]() if isinstance(schedule, str) else schedule


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "max_depth": lambda value: None if value is None else int(value),
    "min_samples_leaf": lambda value: float(value) if value < 1 else int(value),
    "leaf_penalty": lambda value: value if isinstance(value, Fraction) else float(value),
    "max_leaf_nodes": lambda value: None if value is None else int(value),
    "class_weight": lambda value: dict(value) if isinstance(value, Mapping) else value,
    "cost_matrix": lambda value: None if value is None else np.asarray(value, float).tolist(),
    "min_weight_fraction_leaf": float,
    "max_thresholds": lambda value: None if value is None else int(value),
    "tie_break": str,
    "criterion": _identity,
    "exact_levels": int,
    "rule": _plain_rule,
    "schedule": _plain_schedule,
    "heuristic": lambda value: HEURISTICS[value]() if isinstance(value, str) else value,
    "memory_limit": lambda value: None if value is None else parse_bytes(value),
}


def same_settings(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Return whether two searches have equal settings.

    Rules and objectives that are written by the user are equal if they have the same type and
    attributes.

    Parameters
    ----------
    first, second : dict
        The settings of the two searches, in the form of `plain_settings`.

    Returns
    -------
    bool
        Whether they are equal; False if that cannot be found out.
    """
    try:
        return first.keys() == second.keys() and all(
            _same(value, second[name]) for name, value in first.items()
        )
    except Exception:  # a comparison that the user wrote may raise anything
        return False


def _same(first: Any, second: Any) -> bool:
    if type(first) is not type(second):
        return False
    if isinstance(first, Rule | Objective):
        return bool(vars(first) == vars(second))
    if isinstance(first, Both):
        return _same(first.first, second.first) and _same(first.second, second.second)
    return bool(first == second)
