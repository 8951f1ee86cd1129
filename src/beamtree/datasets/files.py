"""Reads and writes datasets in files: the format of DL8, and csv."""

from __future__ import annotations

import csv
import gzip
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from beamtree._util.atomic_files import write_whole
from beamtree.datasets._rows import class_first, text_of
from beamtree.datasets.binary import BinaryData

if TYPE_CHECKING:
    from beamtree._table.table import Table


class TableData(NamedTuple):
    """A table with one label per row.

    Parameters
    ----------
    X : Table
        The table, which `OptimalTreeClassifier` and `Search` accept.
    y : ndarray of str, shape (n_rows,)
        The labels.
    feature_names : list of str
        The names of the columns.

    Examples
    --------
    >>> from beamtree.datasets import TableData
    >>> TableData._fields
    ('X', 'y', 'feature_names')
    """

    X: Table
    y: NDArray[Any]
    feature_names: list[str]


def load_csv(path: str | os.PathLike[str], target: str) -> TableData:
    r"""Return a table from a csv or parquet file.

    A column of a csv file holds numbers if all its values are finite numbers, and text otherwise.
    Empty values, and the texts that pandas takes for missing values, such as NA, are missing
    values; so is a question mark. The delimiter is a comma, a semicolon, a tab or a vertical bar,
    and is recognised.

    Parameters
    ----------
    path : path
        The file. If it is csv, it is in UTF-8 and may be compressed with gzip; its first line has
        the names of the columns, and blank lines are ignored.
    target : str
        The name of the column that holds the labels.

    Returns
    -------
    TableData
        The other columns, and the labels as text.

    Raises
    ------
    ValueError
        If the file is not such a table. The message names the line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import load_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "data.csv"
    ...     _ = path.write_text("size,colour,y\n1,red,no\n2,blue,yes\n,red,no\n")
    ...     X, y, names = load_csv(path, "y")
    >>> names, y.tolist()
    (['size', 'colour'], ['no', 'yes', 'no'])
    >>> OptimalTreeClassifier(max_depth=1).fit(X, y).n_errors_
    0
    """
    # Imported here because scikit-learn takes longer to import than this package.
    from beamtree._table.files import read_training_rows

    rows = read_training_rows(path, target)
    return TableData(rows.table, rows.labels, list(rows.table.names or ()))


def load_dl8(path: str | os.PathLike[str]) -> BinaryData:
    r"""Return a dataset in the format of DL8 and its successors.

    Each line is one row: its class, then its features as 0 or 1, separated by blanks.

    Parameters
    ----------
    path : path
        The file, plain or gzip. Blank lines are ignored.

    Returns
    -------
    BinaryData
        The rows, with features ``x0``, ``x1``, .... The classes are sorted, as numbers if all of
        them are integers.

    Raises
    ------
    ValueError
        If the file is in another format. The message names the line, what was found and what is
        allowed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree.datasets import load_dl8
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "data.txt"
    ...     _ = path.write_text("10 0 1 1\n9 1 0 0\n")
    ...     X, y, feature_names, class_names = load_dl8(path)
    >>> X
    array([[0, 1, 1],
           [1, 0, 0]], dtype=uint8)
    >>> y, class_names
    (array([1, 0]), ['9', '10'])
    """
    path = Path(path)
    return class_first(text_of(path), repr(str(path)))


def save_dl8(data: BinaryData, path: str | os.PathLike[str]) -> None:
    """Write a dataset in the format of `load_dl8`, with gzip if the name ends in ``.gz``.

    Parameters
    ----------
    data : BinaryData
        The dataset. Blanks in the names of classes are replaced by hyphens, and the names of the
        features are not written.
    path : path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree.datasets import load_dl8, multiplexer, save_dl8
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "data.txt.gz"
    ...     save_dl8(multiplexer(1), path)
    ...     bool((load_dl8(path).X == multiplexer(1).X).all())
    True
    """
    path = Path(path)
    classes = ["-".join(name.split()) for name in data.class_names]
    lines = [
        " ".join([classes[label], *map(str, row)])
        for label, row in zip(data.y.tolist(), data.X.tolist(), strict=True)
    ]
    content = ("\n".join(lines) + "\n").encode()
    write_whole(path, gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def save_csv(data: BinaryData, path: str | os.PathLike[str], target: str = "class") -> None:
    """Write a dataset as a csv file that `load_csv` reads.

    Parameters
    ----------
    data : BinaryData
        The dataset.
    path : path
        The file.
    target : str, default="class"
        The name of the column that holds the labels. It is the first column, as in `save_dl8`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree.datasets import load_csv, multiplexer, save_csv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "data.csv"
    ...     save_csv(multiplexer(1), path)
    ...     load_csv(path, "class").feature_names
    ['address0', 'data0', 'data1']
    """
    if target in data.feature_names:
        msg = f"target must not be the name of a feature, got {target!r}"
        raise ValueError(msg)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([target, *data.feature_names])
    for row, label in zip(data.X.tolist(), data.y.tolist(), strict=True):
        writer.writerow([data.class_names[label], *row])
    write_whole(Path(path), text.getvalue().encode())
