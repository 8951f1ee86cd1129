"""Values of text files: missing values, numbers, dates, and columns of these or of text.

A column has numbers if all its values are finite numbers or missing. It has dates if all of them
are dates of ISO 8601, such as 2024-03-01 or 2024-03-01 14:30, and either all or none have an offset
from UTC. Otherwise it has text. To read another kind of column from text files, add it to
`learn_column` and to `known_column`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree._table.read_times import Instant, time_of_text, times_of_texts
from beamtree._table.times import TimeColumn, TimeKind
from beamtree._table.values import Column, column_of_objects

# Texts that stand for a missing value: those of pandas.read_csv, and the question mark of the UCI
# repository. An empty field is always missing.
MISSING_TEXTS = (
    "#N/A",
    "#N/A N/A",
    "#NA",
    "-1.#IND",
    "-1.#QNAN",
    "-NaN",
    "-nan",
    "1.#IND",
    "1.#QNAN",
    "<NA>",
    "?",
    "N/A",
    "NA",
    "NULL",
    "NaN",
    "None",
    "n/a",
    "nan",
    "null",
)
# A column of text is worth a notice if most of its values are numbers, and if the others are either
# few different ones or few rows: somebody may have meant a column of numbers.
FEW_TEXTS = 10
FEW_ROWS = 0.1
# A number with a decimal comma, or with commas between the thousands.
_COMMA = re.compile(
    r"[+-]?(\d*,\d+|\d{1,3}(\.\d{3})+,\d+|\d{1,3}(,\d{3})+(\.\d*)?)([eE][+-]?\d+)?", re.ASCII
)
# A number with a sign of money or of percent, which is text.
_SIGNED = re.compile(r"[+-]?[$€£¥]\s*[\d.,]+|[+-]?[\d.,]+\s*[%$€£¥]", re.ASCII)
# Returns where the value of a row is in the file, for example "line 3".
Place = Callable[[int], str]


def number_of(text: str) -> int | float | None:
    """Return the finite number that a text is, or None if it is none.

    Parameters
    ----------
    text : str
        A field of a file; blanks around the number are ignored.

    Returns
    -------
    int, float or None
        The number, an integer if it is written as one.

    Examples
    --------
    >>> from beamtree._table.text_values import number_of
    >>> [number_of(text) for text in ("7", " 2.50", "1e3", "inf", "2020_01", "1,5")]
    [7, 2.5, 1000.0, None, None, None]
    """
    if "_" in text:  # Python allows 1_000, but elsewhere 2020_01 is no number
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def is_missing(text: str, na: Sequence[str]) -> bool:
    """Return whether a text is empty, or one of those that stand for a missing value."""
    stripped = text.strip()
    return not stripped or stripped in na


def learn_column(
    name: str, texts: Sequence[str], na: Sequence[str], place: Place
) -> tuple[Column, str | None]:
    """Return a column of a training table, as numbers, dates or text.

    Parameters
    ----------
    name : str
        Name of the column, for errors and the notice.
    texts : sequence of str
        The fields of the column.
    na : sequence of str
        Texts that stand for a missing value, apart from the empty text.
    place : callable
        Returns where the value of a row is in the file.

    Returns
    -------
    column : ndarray, CategoryColumn or TimeColumn
        The column. The numbers are integers if all of them are written as integers.
    notice : str or None
        A sentence, if the column is text because of a few values.

    Raises
    ------
    ValueError
        If the column has numbers with decimal commas.

    Examples
    --------
    >>> from beamtree._table.text_values import learn_column
    >>> column, notice = learn_column("income", ["10", "NA", "abc", "20"], ["NA"], "row {}".format)
    >>> column.values
    ['10', '20', 'abc']
    >>> notice
    "income is text because of 'abc' in row 2"
    """
    where = f"column {name!r}"
    distinct = dict.fromkeys(texts)
    numbers = {text: None if is_missing(text, na) else number_of(text) for text in distinct}
    others = {
        text for text, number in numbers.items() if number is None and not is_missing(text, na)
    }
    if not others:
        return column_of_objects(_objects(texts, numbers), where), None
    dates = {text: None if is_missing(text, na) else time_of_text(text) for text in distinct}
    no_dates = {text for text, one in dates.items() if one is None and not is_missing(text, na)}
    if not no_dates:
        column = _times(texts, dates, where, "datetime")
        if column is not None:
            return column, None
    if all(_COMMA.fullmatch(text.strip()) for text in others):
        first = next(k for k, text in enumerate(texts) if text in others)
        _refuse_comma(name, texts[first].strip(), place(first))
    values = {text: None if is_missing(text, na) else text.strip() for text in distinct}
    notice = _notice(name, texts, numbers, others, place)
    if notice is None and no_dates:
        notice = _notice(name, texts, dates, no_dates, place)
    return column_of_objects(_objects(texts, values), where), notice


def known_column(
    name: str,
    texts: Sequence[str],
    known: NDArray[Any] | None,
    na: Sequence[str],
    place: Place,
    time: TimeKind | None = None,
) -> Column:
    """Return a column of a table to which a tree is applied, in the type that the tree knows.

    Parameters
    ----------
    name : str
        Name of the column, for errors.
    texts : sequence of str
        The fields of the column.
    known : ndarray or None
        The categories that the column had when the tree was learned; None if it had numbers or
        dates.
    na : sequence of str
        Texts that stand for a missing value, apart from the empty text.
    place : callable
        Returns where the value of a row is in the file.
    time : TimeKind or None, default=None
        What the column had when the tree was learned, if these were dates or times.

    Returns
    -------
    ndarray, CategoryColumn or TimeColumn
        The column.

    Raises
    ------
    ValueError
        If a value is not a number or a date where the tree needs one.
    """
    if time is not None:
        return _known_times(name, texts, time, na, place)
    if known is not None and not (len(known) and not isinstance(known[0], str)):
        # A tree that was learned from another kind of table may know texts with blanks around.
        meant = {str(category).strip(): str(category) for category in known.tolist()}
        values: dict[str, Any] = {
            text: None if is_missing(text, na) else meant.get(text.strip(), text.strip())
            for text in dict.fromkeys(texts)
        }
        return column_of_objects(_objects(texts, values), f"column {name!r}")
    numbers = {
        text: None if is_missing(text, na) else number_of(text) for text in dict.fromkeys(texts)
    }
    for text, number in numbers.items():
        if number is None and not is_missing(text, na):
            at = place(list(texts).index(text))
            if _COMMA.fullmatch(text.strip()):
                _refuse_comma(name, text.strip(), at)
            msg = (
                f"column {name!r} must have numbers, as it had when the tree was learned, got "
                f"{text!r} in {at}"
            )
            raise ValueError(msg)
    return column_of_objects(_objects(texts, numbers), f"column {name!r}")


def _known_times(
    name: str, texts: Sequence[str], kind: TimeKind, na: Sequence[str], place: Place
) -> Column:
    if kind.kind in ("duration", "period"):
        msg = f"column {name!r} has {kind.words}, which text files do not have: use a parquet file"
        raise ValueError(msg)
    distinct = dict.fromkeys(texts)
    times = {text: None if is_missing(text, na) else time_of_text(text, kind) for text in distinct}
    for text, one in times.items():
        if is_missing(text, na) or (one is not None and (one.zone is None) == (kind.zone is None)):
            continue
        example = "14:30:00" if kind.kind == "time" else "2024-03-01 14:30:00"
        example += "+01:00" if kind.zone is not None else ""
        msg = (
            f"column {name!r} must have {kind.words} such as {example}, as it had when the tree "
            f"was learned, got {text!r} in {place(list(texts).index(text))}"
        )
        raise ValueError(msg)
    where = f"column {name!r}"
    column = _times(texts, times, where, kind.kind) if any(times.values()) else None
    return column_of_objects(_objects(texts, times), where) if column is None else column


def _times(
    texts: Sequence[str], times: dict[str, Instant | None], where: str, kind: str
) -> TimeColumn | None:
    place = {text: code for code, text in enumerate(times)}
    codes = np.fromiter(map(place.__getitem__, texts), dtype=np.intp, count=len(texts))
    return times_of_texts(times, codes, where, kind)


def _objects(texts: Sequence[str], values: dict[str, Any]) -> NDArray[np.object_]:
    column = np.empty(len(texts), dtype=object)
    column[:] = [values[text] for text in texts]
    return column


def _notice(
    name: str,
    texts: Sequence[str],
    values: dict[str, Any],
    others: set[str],
    place: Place,
) -> str | None:
    """Return why a column is text, if somebody may have meant a column of numbers or dates."""
    rows = [k for k, text in enumerate(texts) if text in others]
    n_values = sum(values[text] is not None for text in texts)
    first = f"{texts[rows[0]].strip()!r} in {place(rows[0])}"
    if all(_SIGNED.fullmatch(text.strip()) for text in others):
        return f"{name} is text because of the sign in {first}"
    few = len(others) <= FEW_TEXTS or len(rows) <= FEW_ROWS * (len(rows) + n_values)
    if len(rows) >= n_values or not few:
        return None
    more = len(others) - 1
    also = f" and {more} other value{'s' if more > 1 else ''}" if more else ""
    return f"{name} is text because of {first}{also}"


def _refuse_comma(name: str, text: str, at: str) -> NoReturn:
    point = text.replace(".", "").replace(",", ".")
    meant = f"{point} with a decimal point" if text.count(",") == 1 else text.replace(",", "")
    if re.fullmatch(r"[+-]?\d{1,3},\d{3}", text):
        meant = f"{point} or {text.replace(',', '')}"
    msg = f"column {name!r} must have numbers without commas, got {text!r} in {at}: write {meant}"
    # Commas that separate no fields can all be replaced.
    msg += "; tr , . < FILE replaces all commas of a file with other delimiters"
    raise ValueError(msg)
