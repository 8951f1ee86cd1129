"""Parsing JSON strictly, and checking the values in it one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from math import isfinite
from reprlib import Repr
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree._util.validation import Allowed


def _is_text(value: Any) -> bool:
    # JSON can hold a lone surrogate, but no encoding of text can.
    return isinstance(value, str) and value.encode(errors="replace").decode() == value


def _is_finite(value: Any) -> bool:
    return type(value) is float and isfinite(value)


def _is_scalar(value: Any) -> bool:
    return type(value) in (bool, int) or _is_finite(value) or _is_text(value)


INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
# For each type, a function that says whether a value is of that type.
TYPES: dict[str, Callable[[Any], bool]] = (
    {"str": _is_text, "object": _is_scalar, "bool": lambda value: type(value) is bool}
    | dict.fromkeys(INTEGERS, lambda value: type(value) is int)
    | dict.fromkeys(FLOATS, _is_finite)
)

TEXT = Allowed("a text", _is_text)
TRUTH = Allowed("true or false", lambda value: type(value) is bool)
OBJECT = Allowed("an object", lambda value: type(value) is dict)
LIST = Allowed("a list that is not empty", lambda value: type(value) is list and len(value) > 0)


def parse(text: Any) -> Any:
    """Return the content of a JSON text without NaN, infinity and repeated keys."""
    if not isinstance(text, str | bytes | bytearray):
        msg = f"text must be a str or bytes, got {type(text).__name__}"
        raise ValueError(msg)
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_no_constant)
    except RecursionError:
        refuse("it is nested too deeply")
    except ValueError as error:
        refuse(f"it is not strict JSON: {error}")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        msg = "an object has the same key twice"
        raise ValueError(msg)
    return found


def _no_constant(name: str) -> NoReturn:
    msg = f"{name} is not a number in JSON"
    raise ValueError(msg)


def refuse(reason: str) -> NoReturn:
    """Raise a ValueError that gives the reason."""
    msg = f"the JSON of a tree cannot be read: {reason}"
    raise ValueError(msg)


def check(where: str, value: Any, allowed: Allowed) -> Any:
    """Return the value if it is allowed, and refuse the text otherwise."""
    if not allowed.test(value):
        refuse(f"{where} must be {allowed.words}, got {_short(value)}")
    return value


def _short(value: Any) -> str:
    """Return the repr of a value, shortened, since the value may be huge."""
    if type(value) is int and value.bit_length() > 64:
        return f"an integer of {value.bit_length()} bits"
    return Repr().repr(value)


def all_of(allowed: Allowed, values: Iterable[Any]) -> bool:
    """Return whether all values are allowed."""
    return all(allowed.test(value) for value in values)


def is_list(value: Any, length: int) -> bool:
    """Return whether a value is a list of the given length."""
    return type(value) is list and len(value) == length


def one_of(*values: Any) -> Allowed:
    """Allow the given values; 1 and true are different values."""
    words = " or ".join(repr(value) for value in values)
    return Allowed(
        words, lambda value: any(type(value) is type(one) and value == one for one in values)
    )


def checked_object(where: str, value: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return an object that has exactly the given keys."""
    check(where, value, OBJECT)
    for key in keys:
        if key not in value:
            refuse(f"{where} has no key {key!r}")
    for key in value:
        if key not in keys:
            refuse(f"{where} has the unknown key {_short(key)}")
    return dict(value)


def checked_values(where: str, value: Any, *, in_any_order: bool = False) -> NDArray[Any]:
    """Return *values* (see ``beamtree.export.json``) as an array of their type."""
    content = checked_object(where, value, ("type", "values"))
    kind = content["type"]
    check(f"{where}.type", kind, Allowed(f"one of {', '.join(TYPES)}", _is_type))
    are_a_list = Allowed("a list", lambda value: type(value) is list)
    values = check(f"{where}.values", content["values"], are_a_list)
    for k, one in enumerate(values):
        check(f"{where}.values[{k}]", one, Allowed(f"a value of type {kind}", TYPES[kind]))
    try:
        with np.errstate(over="raise"):
            array = np.array(values, dtype=kind)
    except (OverflowError, FloatingPointError):
        refuse(f"{where}.values must fit into the type {kind}")
    if array.tolist() != values:
        refuse(f"{where}.values must be values that the type {kind} holds exactly")
    if len(set(values)) < len(values) or not (in_any_order or _are_sorted(values)):
        order = "all different" if in_any_order else "sorted, and all different"
        refuse(f"{where}.values must be {order}")
    return array


def _is_type(value: Any) -> bool:
    return isinstance(value, str) and value in TYPES


def _are_sorted(values: list[Any]) -> bool:
    try:
        return all(values[k] < values[k + 1] for k in range(len(values) - 1))
    except TypeError:
        return len(set(values)) == len(values)
