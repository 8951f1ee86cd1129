"""Reading tables from csv files, with errors that name the file, the column and the line."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._table.table import Table, listed
from beamtree._table.values import Column, column_of_objects
from beamtree._util.suggestions import did_you_mean


def read_csv(path: Path, target: str, parameter: str = "target") -> tuple[Table, NDArray[Any]]:
    """Read a table that has a column of labels.

    A column has numbers if all its values are finite numbers, and text otherwise. The numbers are
    integers if all of them are written as integers. An empty field is a missing value.

    Parameters
    ----------
    path : Path
        The file, in UTF-8. Its first line has the names of the columns. Blank lines are skipped.
    target : str
        Name of the column of labels.
    parameter : str, default="target"
        The name of the parameter `target` in errors.

    Returns
    -------
    table : Table
        All columns except the labels.
    y : ndarray of shape (n_rows,)
        The labels, as text.

    Raises
    ------
    ValueError
        If the file is not such a table.
    """
    lines = _lines(path)
    _, names = next(lines, (0, []))
    at = _position(path, names, target, parameter)
    features = names[:at] + names[at + 1 :]
    rows, labels = [], []
    for number, row in lines:
        _check_length(path, number, row, names)
        labels.append(row.pop(at))
        if not labels[-1].strip():
            msg = f"column {target!r} must have a label in every line, got none in line {number}"
            raise ValueError(msg)
        rows.append(row)
    if not rows:
        _refuse_no_rows(path)
    columns = [
        _column(name, values)
        for name, values in zip(features, zip(*rows, strict=True), strict=True)
    ]
    shape = (len(rows), len(features))
    numbers = None
    arrays = [column for column in columns if type(column) is np.ndarray]  # no value is masked
    if len(arrays) == len(columns) and len({array.dtype for array in arrays}) == 1:
        numbers = np.column_stack(arrays)
    return Table(shape, features, lambda j, _: columns[j], numbers), np.array(labels)


def read_csv_columns(
    path: Path, columns: Columns, target: str | None = None, parameter: str = "target"
) -> tuple[Table, list[str]]:
    """Read the columns that a tree needs from a table, by their names.

    A column is read as numbers or as text, as it was when the tree was learned. Other columns are
    skipped.

    Parameters
    ----------
    path : Path
        The file, as in `read_csv`.
    columns : Columns
        The columns of the tree.
    target : str or None, default=None
        Name of a column of labels; None if there is no such column.
    parameter : str, default="target"
        The name of the parameter `target` in errors.

    Returns
    -------
    table : Table
        The columns of the tree, in their order.
    labels : list of str
        The labels; an empty list if `target` is None.

    Raises
    ------
    ValueError
        If the file is not such a table, or if it lacks a column.
    """
    lines = _lines(path)
    _, names = next(lines, (0, []))
    _check_names(path, names)
    at = [_index(path, names, name) for name in columns.names]
    if target is not None and target not in names:
        _refuse_target(path, names, target, parameter)
    label = None if target is None else names.index(target)
    texts: list[list[str]] = []
    labels: list[str] = []
    numbers: list[int] = []
    for number, row in lines:
        _check_length(path, number, row, names)
        texts.append([row[k] for k in at])
        numbers.append(number)
        if label is not None:
            labels.append(row[label])
    if not texts:
        _refuse_no_rows(path)
    read = [
        _text_column(name, values) if known is not None else _number_column(name, values, numbers)
        for name, known, values in zip(
            columns.names, columns.categories, zip(*texts, strict=True), strict=True
        )
    ]
    return Table((len(texts), len(at)), columns.names, lambda j, _: read[j]), labels


def _text_column(name: str, texts: Sequence[str]) -> Column:
    return column_of_objects(_or_none(texts), f"column {name!r}")


def _number_column(name: str, texts: Sequence[str], lines: list[int]) -> Column:
    values = _or_none(texts)
    for k, text in enumerate(texts):
        if values[k] is not None:
            try:
                values[k] = _number(text)
            except ValueError:
                msg = (
                    f"column {name!r} must have numbers, as it had when the tree was learned, got "
                    f"{text!r} in line {lines[k]}"
                )
                raise ValueError(msg) from None
    return column_of_objects(values, f"column {name!r}")


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _or_none(texts: Sequence[str]) -> NDArray[np.object_]:
    return np.array([text if text.strip() else None for text in texts], dtype=object)


def _column(name: str, texts: Sequence[str]) -> Column:
    values = _or_none(texts)
    where = f"column {name!r}"
    numbers = np.full(len(values), None, dtype=object)
    try:
        for k, text in enumerate(texts):
            if values[k] is not None:
                numbers[k] = _number(text)
                if isinstance(numbers[k], float) and not isfinite(numbers[k]):
                    return column_of_objects(values, where)
    except ValueError:
        return column_of_objects(values, where)
    return column_of_objects(numbers, where)


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of every line that is not blank."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, strict=True)  # strict: an unclosed quote is an error
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


def _check_length(path: Path, number: int, row: list[str], names: list[str]) -> None:
    if len(row) != len(names):
        msg = f"line {number} of {str(path)!r} must have {len(names)} values, got {len(row)}"
        raise ValueError(msg)


def _refuse_no_rows(path: Path) -> NoReturn:
    msg = f"{str(path)!r} must have at least one row below the names of the columns, got none"
    raise ValueError(msg)


def _refuse_target(path: Path, names: list[str], target: str, parameter: str) -> NoReturn:
    known = listed(names) or "it has no columns"
    msg = f"{parameter} must be a column of {str(path)!r} ({known}), got {target!r}"
    raise ValueError(msg + did_you_mean(target, names))


def _index(path: Path, names: list[str], name: str) -> int:
    """Return the position of a column of the tree."""
    if name not in names:
        msg = f"{str(path)!r} must have the column {name!r} of the tree, got {listed(names)}"
        raise ValueError(msg + did_you_mean(name, names))
    return names.index(name)


def _check_names(path: Path, names: list[str]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        msg = f"columns of {str(path)!r} must have different names, got twice: {listed(twice)}"
        raise ValueError(msg)


def _position(path: Path, names: list[str], target: str, parameter: str) -> int:
    """Check the names of the columns, and return the position of the target."""
    if target not in names:
        _refuse_target(path, names, target, parameter)
    _check_names(path, names)
    if len(names) == 1:
        msg = f"{str(path)!r} must have a column besides {target!r}"
        raise ValueError(msg)
    return names.index(target)
