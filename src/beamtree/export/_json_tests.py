"""Tests of columns in JSON."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from beamtree._table.columns import Columns
from beamtree._util.validation import Allowed, integer, is_number
from beamtree.export._json_values import check, refuse

LARGEST = float(np.finfo(np.float32).max)
SINGLE = Allowed(
    "a number that a float32 holds exactly",
    lambda value: is_number(value) and abs(value) <= LARGEST and float(np.float32(value)) == value,
)
TRUE = Allowed("true", lambda value: value is True)
KEYS = ("at_most", "equals", "known")


def content_of_test(column: int, threshold: float, category: int) -> dict[str, Any]:
    """Return a test as it is written.

    Parameters
    ----------
    column, threshold, category
        As in `Tests`.

    Returns
    -------
    dict
        The key ``column`` and one of three others.
    """
    if category >= 0:
        return {"column": int(column), "equals": int(category)}
    if threshold == inf:
        return {"column": int(column), "known": True}
    return {"column": int(column), "at_most": float(np.float32(threshold))}


def keys_of_test(where: str, value: dict[str, Any]) -> tuple[str, str]:
    """Return the keys of a test that is written somewhere."""
    found = [key for key in KEYS if key in value]
    if len(found) != 1:
        refuse(f"{where} must have one of the keys at_most, equals and known, got {len(found)}")
    return "column", found[0]


def check_test(where: str, content: dict[str, Any], columns: Columns) -> None:
    """Refuse a test that is none of a column's."""
    check(f"{where}.column", content["column"], integer(0, len(columns.names) - 1))
    categories = columns.categories[content["column"]]
    if "known" in content:
        check(f"{where}.known", content["known"], TRUE)
    elif "equals" in content:
        if categories is None:
            refuse(f"{where}.equals tests a column of numbers: at_most does")
        check(f"{where}.equals", content["equals"], integer(0, len(categories) - 1))
    else:
        if categories is not None:
            refuse(f"{where}.at_most tests a column of categories: equals does")
        check(f"{where}.at_most", content["at_most"], SINGLE)


def threshold_of(content: dict[str, Any]) -> float:
    """Return the threshold of a test, as in `Tests`."""
    return float(content.get("at_most", inf if "known" in content else nan))
