"""The header of a checkpoint: what it says of a search, and whether that is the search at hand."""

from __future__ import annotations

from math import inf
from typing import Any

from beamtree._engine.settings import IDENTITY, Settings
from beamtree._resume.checkpoint_file import CheckpointError
from beamtree._resume.fingerprint import (
    data_fingerprint,
    labels_to_json,
    settings_from_json,
    settings_to_json,
)
from beamtree._table.learn_tests import AddedTests
from beamtree._table.training_data import TrainingData
from beamtree._util.validation import is_number


def header_of(settings: Settings, data: TrainingData, preparation: float) -> dict[str, Any]:
    """Return what a checkpoint says of a search, beside its state.

    Parameters
    ----------
    settings : Settings
        Its settings.
    data : TrainingData
        Its rows.
    preparation : float
        Seconds of its preparation.

    Returns
    -------
    dict
        What JSON can hold.

    Raises
    ------
    CheckpointError
        If a rule, or labels, cannot be written.
    """
    try:
        return {
            "settings": settings_to_json(settings.identity()),
            "data": data_fingerprint(data),
            "classes": labels_to_json(data.classes),
            "added": added_to_json(data.added),
            "preparation": preparation,
        }
    except ValueError as error:
        raise CheckpointError(str(error)) from error


def settings_of(header: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that a header has, checked like those of a new search.

    Parameters
    ----------
    header : dict
        What was read.

    Returns
    -------
    dict
        The settings of the problem and the strategy.
    """
    written = header.get("settings")
    if not isinstance(written, dict) or written.keys() != {*IDENTITY}:
        msg = "its header lacks settings, or has others than a search has"
        raise CheckpointError(msg)
    settings = settings_from_json(written)
    Settings(**settings).check()
    return settings


def added_to_json(added: dict[int, AddedTests]) -> list[list[Any]]:
    """Return tests that were added as JSON can hold them.

    Parameters
    ----------
    added : dict
        By column.

    Returns
    -------
    list
        Column, thresholds and categories of each.
    """
    return [[j, [t.hex() for t in tests.thresholds], tests.values] for j, tests in added.items()]


def added_of(header: dict[str, Any]) -> dict[int, AddedTests]:
    """Return the tests that a header adds to those that are learned.

    Parameters
    ----------
    header : dict
        What was read.

    Returns
    -------
    dict
        By column.
    """
    added = {}
    try:
        for column, thresholds, values in header["added"]:
            hash(tuple(values))
            added[int(column)] = AddedTests([float.fromhex(t) for t in thresholds], list(values))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        msg = "its header lacks the tests that were added, or has something else"
        raise CheckpointError(msg) from error
    return added


def preparation_of(header: dict[str, Any]) -> float:
    """Return the seconds of preparation that a header has.

    Parameters
    ----------
    header : dict
        What was read.

    Returns
    -------
    float
        Seconds.
    """
    seconds = header.get("preparation")
    if not is_number(seconds) or not 0.0 <= float(seconds) < inf:  # type: ignore[arg-type]
        msg = f"its header has a preparation of {seconds!r} seconds"
        raise CheckpointError(msg)
    return float(seconds)  # type: ignore[arg-type]


def check_same_data(header: dict[str, Any], data: TrainingData) -> None:
    """Raise a CheckpointError unless a header is of these data.

    Parameters
    ----------
    header : dict
        What was read.
    data : TrainingData
        The rows at hand.
    """
    theirs = header.get("data")
    ours = data_fingerprint(data)
    if not isinstance(theirs, dict):
        msg = "its header lacks the fingerprint of the data"
        raise CheckpointError(msg)
    for what in ("rows", "features"):
        if theirs.get(what) != ours[what]:
            msg = f"it is of data with {theirs.get(what)} {what}, and these have {ours[what]}"
            raise CheckpointError(msg)
    if header.get("classes") != labels_to_json(data.classes):
        msg = f"it is of data with other classes than {data.classes.tolist()}"
        raise CheckpointError(msg)
    for what in ("X", "tests", "y", "sample_weight"):
        if theirs.get(what) != ours[what]:
            msg = f"it is of other data: {what} differs"
            raise CheckpointError(msg)
