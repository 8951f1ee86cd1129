"""Tables in csv files, with errors that name the file, the column and the line."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._reader import Table, listed
from beamtree._values import Coded, Column, as_float32, from_objects


def read_table(path: Path, target: str) -> tuple[Table, NDArray[Any]]:
    """Read a table with a column of labels.

    A column has numbers if all its values are finite ones, and text otherwise. What is empty is
    missing.

    Parameters
    ----------
    path : Path
        The file, in UTF-8, with a line of names; blank lines are passed over.
    target : str
        Name of the column of labels.

    Returns
    -------
    table : Table
        The other columns.
    y : ndarray of shape (n_rows,)
        The labels, as text.

    Raises
    ------
    ValueError
        If it is no such table.
    """
    lines = _lines(path)
    _, names = next(lines, (0, []))
    at = _position(path, names, target)
    features = names[:at] + names[at + 1 :]
    rows, labels = [], []
    for number, row in lines:
        if len(row) != len(names):
            msg = f"line {number} of {str(path)!r} must have {len(names)} values, got {len(row)}"
            raise ValueError(msg)
        labels.append(row.pop(at))
        if not labels[-1].strip():
            msg = f"column {target!r} must have a label in every line, got none in line {number}"
            raise ValueError(msg)
        rows.append(row)
    if not rows:
        msg = f"{str(path)!r} must have rows below its line of names, got none"
        raise ValueError(msg)
    columns = [
        _column(name, values)
        for name, values in zip(features, zip(*rows, strict=True), strict=True)
    ]
    shape = (len(rows), len(features))
    numbers = None
    if not any(isinstance(column, Coded) for column in columns):
        numbers = np.column_stack(columns)  # type: ignore[arg-type]
    return Table(shape, features, lambda j, _: columns[j], numbers), np.array(labels)


def _column(name: str, texts: Sequence[str]) -> Column:
    values = np.array([text if text.strip() else None for text in texts], dtype=object)
    known = values != None  # noqa: E711 (of each)
    where = f"column {name!r}"
    try:
        numbers = np.full(len(values), np.nan)
        numbers[known] = [float(value) for value in values[known]]
    except ValueError:
        return from_objects(values, where)
    if not np.isfinite(numbers[known]).all():
        return from_objects(values, where)
    return as_float32(numbers, where)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not blank, with their numbers."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, strict=True)  # a quote that is not closed is an error
        try:
            for row in reader:
                if len(row) > 1 or "".join(row).strip():
                    yield reader.line_num, row
        except csv.Error as error:
            msg = f"line {reader.line_num} of {str(path)!r} cannot be read: {error}"
            raise ValueError(msg) from error
        except UnicodeDecodeError as error:
            msg = f"{str(path)!r} must be text in UTF-8: {error}"
            raise ValueError(msg) from error


def _position(path: Path, names: list[str], target: str) -> int:
    """Return where the target is among names that are checked."""
    if target not in names:
        known = listed(names) or "it has none"
        msg = f"--target must be a column of {str(path)!r} ({known}), got {target!r}"
        raise ValueError(msg)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        msg = f"columns of {str(path)!r} must have names of their own, got twice: {listed(twice)}"
        raise ValueError(msg)
    if len(names) == 1:
        msg = f"{str(path)!r} must have a column beside {target!r}"
        raise ValueError(msg)
    return names.index(target)
