"""Reading tables from files of any format, with errors that name the file, the column and the line.

The command line reads all its tables here: text files by `csv`, parquet files by `parquet`.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._table.csv import TextFile
from beamtree._table.parquet import MAGIC, ParquetFile
from beamtree._table.table import Table, listed
from beamtree._table.text_values import MISSING_TEXTS
from beamtree._table.values import CategoryColumn, Column
from beamtree._util.suggestions import did_you_mean

# The path that stands for the standard input.
STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Reading:
    """How files are read.

    Parameters
    ----------
    delimiter : str or None, default=None
        The character between two fields of a text file; None to recognise it.
    na : sequence of str, default=MISSING_TEXTS
        Texts that stand for a missing value in text files, apart from the empty text.
    prefix : str, default=""
        What precedes the names of parameters in errors, for example ``"--"``.
    """

    delimiter: str | None = None
    na: Sequence[str] = MISSING_TEXTS
    prefix: str = ""


@dataclass(frozen=True, eq=False)
class FileRows:
    """The rows of a file.

    Parameters
    ----------
    table : Table
        The columns of a tree, or those from which one is learned.
    labels : ndarray of str or float64, shape (n_rows,) or (n_rows, n_actions)
        The labels, as text, the numbers to predict, or the rewards; empty if they were not asked
        for.
    weight : ndarray of float64, shape (n_rows,), or None
        The weights of the rows; None if no column of weights was asked for.
    notices : list of str
        Sentences about columns that may have been meant otherwise.
    """

    table: Table
    labels: NDArray[Any]
    weight: NDArray[np.float64] | None = None
    notices: list[str] = field(default_factory=list)


def open_file(path: str | os.PathLike[str], delimiter: str | None = None) -> TextFile | ParquetFile:
    """Open a file, and read the names of its columns.

    Parameters
    ----------
    path : path
        The file; ``"-"`` is the standard input. The content says whether it is compressed with gzip
        and whether it is a parquet file, not the name.
    delimiter : str or None, default=None
        The character between two fields of a text file; None to recognise it.

    Returns
    -------
    TextFile or ParquetFile
        The file, whose rows have not been read yet.
    """
    if os.fspath(path) == STANDARD_INPUT:
        source, content = "standard input", sys.stdin.buffer.read()
    else:
        source, content = repr(os.fspath(path)), Path(path).read_bytes()
    if content.startswith(MAGIC):
        return ParquetFile(source, content)
    return TextFile(source, content, delimiter)


def read_training_rows(
    path: str | os.PathLike[str],
    target: str | None,
    *,
    rewards: Sequence[str] = (),
    weight: str | None = None,
    drop: Sequence[str] = (),
    reading: Reading | None = None,
    numbers: bool = False,
) -> FileRows:
    r"""Read the rows from which a tree is learned.

    Parameters
    ----------
    path : path
        The file, or ``"-"`` for the standard input.
    target : str or None
        Name of the column of labels; None if there are rewards instead.
    rewards : sequence of str, default=()
        Names of the columns that have the rewards of the actions.
    weight : str or None, default=None
        Name of the column of weights, or None if no column has weights.
    drop : sequence of str, default=()
        Names of columns to leave out.
    reading : Reading or None, default=None
        How the file is read; None for the defaults.
    numbers : bool, default=False
        Whether the column of labels has numbers to predict.

    Returns
    -------
    FileRows
        All other columns, the labels or rewards, and the weights.

    Raises
    ------
    ValueError
        If the file is not such a table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree._table.files import read_training_rows
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "data.csv"
    ...     _ = path.write_text("id;size;y\n1;2.5;no\n2;NA;yes\n")
    ...     rows = read_training_rows(path, "y", drop=["id"])
    >>> rows.table.names, rows.labels.tolist(), rows.table.column(0)
    (('size',), ['no', 'yes'], array([2.5, nan]))
    """
    reading = Reading() if reading is None else reading
    file = open_file(path, reading.delimiter)
    names = file.names
    predicted = [*_given(target), *rewards]
    roles = {"target": _given(target), "rewards": rewards, "weight": _given(weight), "drop": drop}
    _check_names(file, roles, reading)
    _check_roles(roles, reading)
    out = {*predicted, *_given(weight), *drop}
    features = [j for j, name in enumerate(names) if name not in out]
    kept = [name for name in names if name not in drop]
    _check_different(file, kept, f"; {reading.prefix}drop leaves columns out")
    if not features:
        msg = f"{file.source} must have a column besides {', '.join(map(repr, sorted(out)))}"
        raise ValueError(msg)
    file.load([*features, *(names.index(name) for name in (*predicted, *_given(weight)))])
    if not file.n_rows:
        _refuse_no_rows(file)
    labels = _predicted(file, target, rewards, reading, numbers=numbers)
    columns: list[Column] = []
    notices: list[str] = []
    for j in features:
        column, notice = file.learned(j, reading.na)
        columns.append(column)
        if j in file.unnamed and not (isinstance(column, CategoryColumn) and not column.values):
            drop_it = f"{reading.prefix}drop {names[j]!r} leaves it out"
            notices.append(f"a column without a name is called {names[j]!r} ({drop_it})")
        if notice is not None:
            notices.append(f"{notice} (see {reading.prefix}na)")
    table = _table(columns, [names[j] for j in features], file.n_rows)
    return FileRows(table, labels, _weights(file, weight, reading), notices)


def read_rows_for(
    path: str | os.PathLike[str],
    columns: Columns,
    used: Sequence[int],
    *,
    target: str | None = None,
    rewards: Sequence[str] = (),
    weight: str | None = None,
    reading: Reading | None = None,
    numbers: bool = False,
) -> FileRows:
    """Read the rows to which a tree is applied; its columns are found by their names.

    A column is read as numbers, dates or text, as it was when the tree was learned. Columns that
    the tree does not use need not be in the file, and are missing values in the result.

    Parameters
    ----------
    path : path
        The file, or ``"-"`` for the standard input.
    columns : Columns
        The columns that the tree was learned from.
    used : sequence of int
        Positions of the columns that the tree uses.
    target : str or None, default=None
        Name of the column of labels, or None if no column has labels.
    rewards : sequence of str, default=()
        Names of the columns that have the rewards of the actions.
    weight : str or None, default=None
        Name of the column of weights, or None if no column has weights.
    reading : Reading or None, default=None
        How the file is read; None for the defaults.
    numbers : bool, default=False
        Whether the column of labels has numbers to predict.

    Returns
    -------
    FileRows
        The columns of the tree, in their order, the labels or rewards, and the weights.

    Raises
    ------
    ValueError
        If the file is not such a table, or if it lacks a column.
    """
    reading = Reading() if reading is None else reading
    file = open_file(path, reading.delimiter)
    names = file.names
    roles = {"target": _given(target), "rewards": rewards, "weight": _given(weight)}
    _check_names(file, roles, reading)
    needed = {j: columns.names[j] for j in used}
    for name in needed.values():
        if name not in names:
            msg = f"{file.source} must have the column {name!r} of the tree, got {listed(names)}"
            raise ValueError(msg + did_you_mean(name, names))
    wanted = [*needed.values(), *_given(target), *rewards, *_given(weight)]
    _check_different(file, [name for name in names if name in wanted])
    file.load([names.index(name) for name in dict.fromkeys(wanted)])
    if not file.n_rows:
        _refuse_no_rows(file)
    kinds = zip(columns.names, columns.categories, columns.times, strict=True)
    read = [
        file.known(names.index(name), known, reading.na, time)
        if j in needed
        else _nothing(file, known)
        for j, (name, known, time) in enumerate(kinds)
    ]
    shape = (file.n_rows, len(read))
    labels = _predicted(file, target, rewards, reading, numbers=numbers)
    return FileRows(
        Table(shape, columns.names, lambda j, _: read[j]), labels, _weights(file, weight, reading)
    )


def _given(name: str | None) -> list[str]:
    return [] if name is None else [name]


def _table(columns: list[Column], names: list[str], n_rows: int) -> Table:
    numbers = None
    arrays = [column for column in columns if type(column) is np.ndarray]  # no value is masked
    if len(arrays) == len(columns) and len({array.dtype for array in arrays}) == 1:
        numbers = np.column_stack(arrays)
    return Table((n_rows, len(columns)), names, lambda j, _: columns[j], numbers)


def _nothing(file: TextFile | ParquetFile, known: NDArray[Any] | None) -> Column:
    """Return a column of missing values."""
    if known is None:
        return np.full(file.n_rows, np.nan)
    return CategoryColumn(np.full(file.n_rows, -1, dtype=np.intp), [])


def _predicted(
    file: TextFile | ParquetFile,
    target: str | None,
    rewards: Sequence[str],
    reading: Reading,
    *,
    numbers: bool,
) -> NDArray[Any]:
    """Return the labels or the numbers to predict, or the rewards; nothing if there are none."""
    if rewards:
        what = f"{reading.prefix}rewards must be columns of finite numbers"
        return np.column_stack([_numbers(file, name, what) for name in rewards])
    if target is None:
        return np.array([])
    if numbers:
        what = f"{reading.prefix}target must be a column of finite numbers, because numbers are "
        return _numbers(file, target, f"{what}predicted")
    return _labels(file, target, reading)


def _labels(file: TextFile | ParquetFile, target: str, reading: Reading) -> NDArray[Any]:
    at = file.names.index(target)
    labels = file.labels(at, reading.na)
    if None in labels:
        row = labels.index(None)
        shown = file.shown(at, row)
        what = (
            f"{shown}, a missing value (see {reading.prefix}na)," if shown.strip("' ") else "none"
        )
        msg = f"column {target!r} must have a label in every line, got {what} in {file.place(row)}"
        raise ValueError(msg)
    return np.array(labels)


def _numbers(file: TextFile | ParquetFile, name: str, what: str) -> NDArray[np.float64]:
    """Return a column of numbers; the texts for missing values are no numbers either.

    `what` says what must have numbers, and begins the error.
    """
    at = file.names.index(name)
    numbers = file.numbers(at)
    if None in numbers:
        row = numbers.index(None)
        place = f"{file.place(row)} of column {name!r}"
        msg = f"{what}, got {file.shown(at, row)} in {place}"
        raise ValueError(msg)
    return np.array(numbers, dtype=np.float64)


def _weights(
    file: TextFile | ParquetFile, weight: str | None, reading: Reading
) -> NDArray[np.float64] | None:
    if weight is None:
        return None
    at = file.names.index(weight)
    numbers = file.numbers(at)
    for row, number in enumerate(numbers):
        if number is None or number < 0:
            msg = (
                f"{reading.prefix}weight must be a column of finite numbers of at least 0, got "
                f"{file.shown(at, row)} in {file.place(row)}"
            )
            raise ValueError(msg)
    if not any(numbers):
        msg = f"{reading.prefix}weight must be a column with a number above 0, got zeros only"
        raise ValueError(msg)
    return np.array(numbers, dtype=np.float64)


def _check_names(
    file: TextFile | ParquetFile, roles: dict[str, Sequence[str]], reading: Reading
) -> None:
    """Raise a ValueError if a parameter names a column that the file does not have."""
    for parameter, given in roles.items():
        for name in given:
            if name not in file.names:
                _refuse_name(file, f"{reading.prefix}{parameter}", name)


def _check_roles(roles: dict[str, Sequence[str]], reading: Reading) -> None:
    """Raise a ValueError if a column has two roles."""
    for other, parameter in combinations(roles, 2):
        for name in roles[other]:
            if name in roles[parameter]:
                first, second = f"{reading.prefix}{parameter}", f"{reading.prefix}{other}"
                msg = f"{first} must be another column than {second}, got {name!r}"
                raise ValueError(msg)


def _check_different(file: TextFile | ParquetFile, names: list[str], hint: str = "") -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        msg = f"columns of {file.source} must have different names, got twice: {listed(twice)}"
        raise ValueError(msg + hint)


def _refuse_no_rows(file: TextFile | ParquetFile) -> NoReturn:
    msg = f"{file.source} must have at least one row below the names of the columns, got none"
    raise ValueError(msg)


def _refuse_name(file: TextFile | ParquetFile, parameter: str, name: str) -> NoReturn:
    known = listed(file.names) or "it has no columns"
    msg = f"{parameter} must be a column of {file.source} ({known}), got {name!r}"
    if len(file.names) == 1:
        msg += "; the first line must have the names, with a delimiter between them"
    raise ValueError(msg + did_you_mean(name, file.names))
