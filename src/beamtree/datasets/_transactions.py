"""Reads the files of CP4IM.

The files hold transactions, one row per line: the numbers of the features that are 1, counted from
0, and at the end the class, 0 or 1. Files in the format of `load_dl8` (the class, then all features
as zeros and ones) are read as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from beamtree.datasets._rows import binary_data, class_first, decoded, lines_of, short
from beamtree.datasets.binary import BinaryData

# The largest number of features. A larger number in a file cannot be that of a feature.
WIDEST = 100_000
# The first characters of lines that are comments.
REMARKS = ("@", "#", "%")


class Shape(NamedTuple):
    """The number of rows, of features, and of rows of class 1 in a dataset."""

    rows: int
    features: int
    ones: int


# None if the shape was not known when this was written. Such a file is not compared.
SHAPES: dict[str, Shape | None] = {
    "anneal": Shape(812, 93, 625),
    "audiology": Shape(216, 148, 57),
    "australian-credit": Shape(653, 125, 357),
    "breast-wisconsin": Shape(683, 120, 444),
    "diabetes": None,
    "german-credit": None,
    "heart-cleveland": Shape(296, 95, 160),
    "hepatitis": Shape(137, 68, 111),
    "hypothyroid": Shape(3247, 88, 2970),
    "ionosphere": None,
    "kr-vs-kp": Shape(3196, 73, 1669),
    "letter": None,
    "lymph": Shape(148, 68, 81),
    "mushroom": Shape(8124, 119, 4208),
    "pendigits": Shape(7494, 216, 780),
    "primary-tumor": Shape(336, 31, 82),
    "segment": Shape(2310, 235, 330),
    "soybean": Shape(630, 50, 92),
    "splice-1": None,
    "tic-tac-toe": Shape(958, 27, 626),
    "vehicle": None,
    "vote": Shape(435, 48, 267),
    "yeast": None,
    "zoo-1": Shape(101, 36, 41),
}


def parsed(content: bytes, name: str) -> BinaryData:
    r"""Return the dataset in the bytes of its file, after checking it.

    Parameters
    ----------
    content : bytes
        The content of the file.
    name : str
        The name of the dataset.

    Returns
    -------
    BinaryData
        The rows.

    Examples
    --------
    >>> from beamtree.datasets._transactions import parsed
    >>> data = parsed(b"0 2 1\n1 2 0\n", "yeast")
    >>> data.X.tolist(), data.y.tolist()
    ([[1, 0, 1], [0, 1, 1]], [1, 0])
    """
    text = decoded(content, "the file")
    lines = [(number, line) for number, line in lines_of(text) if not line[0].startswith(REMARKS)]
    shape = SHAPES[name]
    if _has_class_first(lines):
        data = class_first("\n".join(" ".join(line) for _, line in lines), "the file")
    else:
        data = _from_transactions(lines, None if shape is None else shape.features)
    if len(data.class_names) != 2:
        got_names = ", ".join(data.class_names) or "no rows"
        msg = f"the file must have the classes 0 and 1, got {got_names}"
        raise ValueError(msg)
    if shape is not None:
        got = Shape(len(data.X), data.X.shape[1], int(data.y.sum()))
        if got != shape:
            msg = f"the file must have {_words(shape)}, got {_words(got)}"
            raise ValueError(msg)
    return data


def _words(shape: Shape) -> str:
    return f"{shape.rows} rows, {shape.features} features and {shape.ones} rows of class 1"


def _has_class_first(lines: list[tuple[int, list[str]]]) -> bool:
    """Return whether all values are 0 or 1. A transaction lists no feature twice."""
    return any(len(line) > 3 for _, line in lines) and all(
        value in ("0", "1") for _, line in lines for value in line
    )


def _from_transactions(lines: list[tuple[int, list[str]]], features: int | None) -> BinaryData:
    rows, labels = [], []
    for number, line in lines:
        *items, label = (_number(number, value) for value in line)
        if label > 1 or len(set(items)) < len(items):
            msg = (
                f"line {number} must have different numbers of features and a class, 0 or 1, got "
                f"{short(' '.join(line))}"
            )
            raise ValueError(msg)
        rows.append(items)
        labels.append(str(label))
    width = max((max(items, default=-1) for items in rows), default=-1) + 1
    if features is not None:
        width = max(width, features)
    if width > WIDEST:
        msg = f"the file must have at most {WIDEST} features, got {width}"
        raise ValueError(msg)
    X = np.zeros((len(rows), width), dtype=np.uint8)
    for row, items in zip(X, rows, strict=True):
        row[items] = 1
    return binary_data(X, labels)


def _number(line: int, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 9):
        msg = f"line {line} must have numbers of features and a class, got {short(value)}"
        raise ValueError(msg)
    return int(value)
