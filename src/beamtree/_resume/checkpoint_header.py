"""The header of a checkpoint: writing it, reading it, and comparing it with the data."""

from __future__ import annotations

from math import inf
from typing import Any

from beamtree._engine.settings import IDENTITY, Settings
from beamtree._resume.checkpoint_file import CheckpointError
from beamtree._resume.fingerprint import (
    data_fingerprint,
    labels_from_json,
    labels_to_json,
    settings_from_json,
    settings_to_json,
)
from beamtree._table.learn_tests import AddedTests
from beamtree._table.training_data import Predicted, TrainingData
from beamtree._util.validation import is_number


def header_of(settings: Settings, data: TrainingData, preparation: float) -> dict[str, Any]:
    """Return the header of the checkpoint of a search.

    Parameters
    ----------
    settings : Settings
        The settings of the search.
    data : TrainingData
        The rows of the search.
    preparation : float
        Seconds that the preparation of the search took.

    Returns
    -------
    dict
        The header, of values that JSON can represent.

    Raises
    ------
    CheckpointError
        If the rule or the labels cannot be written.
    """
    try:
        return {
            "settings": settings_to_json(settings.identity()),
            "data": data_fingerprint(data),
            "classes": _classes_to_json(data),
            "added": added_to_json(data.added),
            "preparation": preparation,
        }
    except ValueError as error:
        raise CheckpointError(str(error)) from error


def _classes_to_json(data: TrainingData) -> dict[str, Any] | None:
    """Return the labels in a form that JSON can represent; None if numbers are predicted."""
    return labels_to_json(data.classes) if data.numbers is None else None


def predicted_by(header: dict[str, Any]) -> Predicted:
    """Return what the leaves of the trees are, in the search of a header.

    Parameters
    ----------
    header : dict
        The header of a checkpoint.

    Returns
    -------
    {"labels", "numbers", "actions"}
        Numbers if it has no classes, and actions if it has a fingerprint of rewards.
    """
    if header.get("classes") is None:
        return "numbers"
    data = header.get("data")
    return "actions" if isinstance(data, dict) and "rewards" in data else "labels"


def classes_of(header: dict[str, Any]) -> list[Any]:
    """Return the labels, or the names of the actions, in a header.

    Parameters
    ----------
    header : dict
        The header of a checkpoint, which has classes.

    Returns
    -------
    list
        The labels, or the names.
    """
    try:
        return labels_from_json(header["classes"])
    except (KeyError, TypeError, ValueError) as error:
        msg = "its header does not list the classes, or not correctly"
        raise CheckpointError(msg) from error


def settings_of(header: dict[str, Any]) -> dict[str, Any]:
    """Return the settings in a header, after checking them like those of a new search.

    Parameters
    ----------
    header : dict
        The header of a checkpoint.

    Returns
    -------
    dict
        The settings of the problem and the strategy.
    """
    written = header.get("settings")
    if not isinstance(written, dict) or written.keys() != {*IDENTITY}:
        msg = "the settings in its header are not those of a search"
        raise CheckpointError(msg)
    settings = settings_from_json(written)
    Settings(**settings).check()
    return settings


def added_to_json(added: dict[int, AddedTests]) -> list[list[Any]]:
    """Return added tests in a form that JSON can represent.

    Parameters
    ----------
    added : dict
        The added tests by column.

    Returns
    -------
    list
        For each column its number, the thresholds for floats and for integers, and the sets
        of categories.
    """
    return [
        [
            j,
            [[threshold.hex(), exact] for threshold, exact in tests.thresholds],
            [list(values) for values in tests.sets],
        ]
        for j, tests in added.items()
    ]


def added_of(header: dict[str, Any]) -> dict[int, AddedTests]:
    """Return the tests in a header that were added to those learned from the table.

    Parameters
    ----------
    header : dict
        The header of a checkpoint.

    Returns
    -------
    dict
        The added tests by column.
    """
    added = {}
    try:
        for column, thresholds, sets in header["added"]:
            pairs = [(float.fromhex(t), None if i is None else int(i)) for t, i in thresholds]
            tuples = [tuple(values) for values in sets]
            hash(tuple(tuples))
            added[int(column)] = AddedTests(pairs, tuples)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        msg = "its header does not list the added tests, or not correctly"
        raise CheckpointError(msg) from error
    return added


def preparation_of(header: dict[str, Any]) -> float:
    """Return the seconds of preparation in a header.

    Parameters
    ----------
    header : dict
        The header of a checkpoint.

    Returns
    -------
    float
        The seconds.
    """
    seconds = header.get("preparation")
    if not is_number(seconds) or not 0.0 <= float(seconds) < inf:  # type: ignore[arg-type]
        msg = f"the preparation time in its header must be a number of seconds, got {seconds!r}"
        raise CheckpointError(msg)
    return float(seconds)  # type: ignore[arg-type]


def check_same_data(header: dict[str, Any], data: TrainingData) -> None:
    """Raise a CheckpointError if a header belongs to other data.

    Parameters
    ----------
    header : dict
        The header of a checkpoint.
    data : TrainingData
        The rows to compare with.
    """
    theirs = header.get("data")
    ours = data_fingerprint(data)
    if not isinstance(theirs, dict):
        msg = "its header has no fingerprint of the data"
        raise CheckpointError(msg)
    for what in ("rows", "features"):
        if theirs.get(what) != ours[what]:
            msg = f"its data have {theirs.get(what)} {what}, and these have {ours[what]}"
            raise CheckpointError(msg)
    if header.get("classes") != _classes_to_json(data):
        msg = f"its data have other classes than {data.classes.tolist()}"
        raise CheckpointError(msg)
    for what in ("X", "tests", "rewards", "y", "sample_weight"):
        if theirs.get(what) != ours.get(what):
            differ = "the rewards differ" if what == "rewards" else f"{what} differs"
            msg = f"it belongs to other data: {differ}"
            raise CheckpointError(msg)
