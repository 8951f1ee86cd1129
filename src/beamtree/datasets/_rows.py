"""Turns lines of text into rows of zeros and ones. Errors name the file and the line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree.datasets.binary import BinaryData

# The first bytes of every gzip file.
MAGIC = b"\x1f\x8b"
# The number of characters of a value that an error message shows at most.
LONGEST = 40


def text_of(path: Path) -> str:
    """Return the text of a plain or gzip file."""
    content = path.read_bytes()
    if content.startswith(MAGIC):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            msg = f"{str(path)!r} must be a whole gzip file: {error}"
            raise ValueError(msg) from error
    elif path.suffix == ".gz":
        msg = f"{str(path)!r} must be a gzip file, because its name ends in .gz, got something else"
        raise ValueError(msg)
    return decoded(content, repr(str(path)))


def decoded(content: bytes, where: str) -> str:
    """Return bytes as text."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{where} must be text in UTF-8: {error}"
        raise ValueError(msg) from error


def lines_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the values of every line that is not blank."""
    for number, line in enumerate(text.split("\n"), start=1):
        if values := line.split():
            yield number, values


def class_first(text: str, where: str) -> BinaryData:
    """Return the rows of a text in which each line is a class followed by zeros and ones.

    Parameters
    ----------
    text : str
        Lines of values that are separated by blanks.
    where : str
        The name of the text in error messages.

    Returns
    -------
    BinaryData
        The rows, with features ``x0``, ``x1``, ...
    """
    labels: list[str] = []
    bits: list[str] = []
    width = first = 0
    for number, (label, *values) in lines_of(text):
        row = "".join(values)
        if not labels:
            width, first = len(values), number
            if width == 0:
                msg = f"line {number} of {where} must have features beside the class, got none"
                raise ValueError(msg)
        elif len(values) != width:
            msg = (
                f"line {number} of {where} must have {width + 1} values, as line {first} has, "
                f"got {len(values) + 1}"
            )
            raise ValueError(msg)
        if len(row) != width or row.count("0") + row.count("1") != width:
            _refuse_value(number, values, where)
        labels.append(label)
        bits.append(row)
    if not labels:
        msg = f"{where} must have rows, got none"
        raise ValueError(msg)
    X = np.frombuffer("".join(bits).encode(), dtype=np.uint8).reshape(len(labels), width) - 48
    return binary_data(X, labels)


def _refuse_value(number: int, values: list[str], where: str) -> NoReturn:
    at, value = next((k, value) for k, value in enumerate(values) if value not in ("0", "1"))
    msg = (
        f"line {number} of {where} must have 0 or 1 after the class, got {short(value)} "
        f"as value {at + 2}"
    )
    raise ValueError(msg)


def short(value: str) -> str:
    """Return a value as an error message shows it. A long value is cut off."""
    return repr(value if len(value) <= LONGEST else value[:LONGEST] + "...")


def binary_data(X: NDArray[np.uint8], labels: Sequence[str]) -> BinaryData:
    """Return rows with their classes. Class names are sorted, as numbers if all are integers."""
    try:
        class_names = sorted(set(labels), key=int)
    except ValueError:
        class_names = sorted(set(labels))
    code = {name: number for number, name in enumerate(class_names)}
    y = np.array([code[label] for label in labels], dtype=np.intp)
    return BinaryData(X, y, [f"x{j}" for j in range(X.shape[1])], class_names)
