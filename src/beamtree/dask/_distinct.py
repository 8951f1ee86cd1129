"""Equal values and equal rows, merged per partition and then in a tree reduction.

What is merged is counted, so that a result stands for all rows. It is sorted, so that it does not
depend on how the rows are divided into partitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# The kinds of NumPy types that can be sorted: numbers, dates, durations, text.
SORTABLE = "biufMmU"


class Cells(NamedTuple):
    """The distinct cells of a column: its values with what else its rows have.

    Parameters
    ----------
    value : ndarray or pandas Series, shape (n_cells,)
        The values, as they are in the table.
    keys : tuple of ndarray, each of shape (n_cells,)
        Further numbers of the same rows, such as their classes and their weights.
    n_rows : ndarray of int64, shape (n_cells,)
        Number of rows that have all of this.
    """

    value: Any
    keys: tuple[NDArray[Any], ...]
    n_rows: NDArray[np.int64]


def distinct_cells(value: Any, keys: tuple[NDArray[Any], ...]) -> Cells:
    """Return the distinct cells of the rows of a partition.

    Parameters
    ----------
    value : ndarray or pandas Series, shape (n_rows,)
        The values of the column.
    keys : tuple of ndarray, each of shape (n_rows,)
        Further numbers of the rows, none of which is missing.

    Returns
    -------
    Cells
        The cells, sorted by their values and then by the keys.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.dask._distinct import distinct_cells
    >>> cells = distinct_cells(np.array([2.5, 1.0, np.nan, 2.5]), (np.array([0, 1, 1, 0]),))
    >>> cells.value.tolist(), cells.keys[0].tolist(), cells.n_rows.tolist()
    ([1.0, 2.5, nan], [1, 0, 1], [1, 2, 1])
    """
    return _merged(value, keys, np.ones(len(value), dtype=np.int64))


def merge_cells(parts: Sequence[Cells]) -> Cells:
    """Return the distinct cells of several partitions.

    Parameters
    ----------
    parts : sequence of Cells
        Those of each partition.

    Returns
    -------
    Cells
        Those of all.
    """
    if len(parts) == 1:
        return parts[0]
    return _merged(
        _joined([part.value for part in parts]),
        tuple(np.concatenate(key) for key in zip(*(part.keys for part in parts), strict=True)),
        np.concatenate([part.n_rows for part in parts]),
    )


def _joined(values: list[Any]) -> Any:
    if isinstance(values[0], np.ndarray):
        return np.concatenate(values)
    import pandas as pd

    return pd.concat(values, ignore_index=True)


def _merged(value: Any, keys: tuple[NDArray[Any], ...], count: NDArray[np.int64]) -> Cells:
    place = _sortable(value)
    order = np.argsort(place, kind="stable")
    if keys and _have_ties(place[order]):
        order = np.lexsort((*reversed(keys), place))
    first = np.zeros(len(order), dtype=np.bool_)
    first[:1] = True
    for column in (place, *keys):
        ordered = column[order]
        first[1:] |= ordered[1:] != ordered[:-1]
        if ordered.dtype.kind in "fMm":  # all missing values are equal
            missing = np.isnan(ordered) if ordered.dtype.kind == "f" else np.isnat(ordered)
            if missing.any() and column is place:
                begin = int(missing.argmax())  # they are sorted to the end
                first[begin + 1 :] = _changes(keys, order, begin)
    starts = np.flatnonzero(first)
    kept = order[starts]
    chosen = value[kept] if isinstance(value, np.ndarray) else value.take(kept)
    return Cells(chosen, tuple(key[kept] for key in keys), _sums(count[order], starts))


def _sums(count: NDArray[np.int64], starts: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the sums of the counts from each start to the next one."""
    return count if len(starts) == len(count) else np.add.reduceat(count, starts)


def _have_ties(ordered: NDArray[Any]) -> bool:
    """Return whether some of the sorted values are equal, or missing."""
    return bool((ordered[1:] == ordered[:-1]).any() or (ordered[-1:] != ordered[-1:]).any())


def _changes(
    keys: tuple[NDArray[Any], ...], order: NDArray[np.intp], begin: int
) -> NDArray[np.bool_]:
    """Return where the keys change behind a position of the order."""
    changed = np.zeros(len(order) - begin - 1, dtype=np.bool_)
    for key in keys:
        ordered = key[order[begin:]]
        changed |= ordered[1:] != ordered[:-1]
    return changed


def _sortable(value: Any) -> NDArray[Any]:
    """Return the values as something that can be sorted, with missing values at the end."""
    dtype = value.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in SORTABLE:
        return np.asarray(value)
    import pandas as pd

    codes, distinct = pd.factorize(value if isinstance(value, np.ndarray) else value.array)
    try:
        rank = np.empty(len(distinct) + 1, dtype=np.intp)
        rank[sorted(range(len(distinct)), key=list(distinct).__getitem__)] = range(len(distinct))
    except TypeError:  # values of several kinds, about which the reader of the table complains
        rank = np.arange(len(distinct) + 1)
    rank[-1] = len(distinct)
    ranks: NDArray[np.intp] = rank[codes]
    return ranks


class Records(NamedTuple):
    """Distinct rows.

    Parameters
    ----------
    row : ndarray of bytes, shape (n_records,)
        The rows as `RowLayout` packs them, sorted.
    n_rows : ndarray of int64, shape (n_records,)
        Number of rows that are equal.
    """

    row: NDArray[np.bytes_]
    n_rows: NDArray[np.int64]


def distinct_records(row: NDArray[np.bytes_]) -> Records:
    """Return the distinct rows of a partition.

    Parameters
    ----------
    row : ndarray of bytes, shape (n_rows,)
        The rows, packed.

    Returns
    -------
    Records
        The rows, sorted.
    """
    return _merged_records(row, np.ones(len(row), dtype=np.int64))


def merge_records(parts: Sequence[Records]) -> Records:
    """Return the distinct rows of several partitions.

    Parameters
    ----------
    parts : sequence of Records
        Those of each partition.

    Returns
    -------
    Records
        Those of all.
    """
    if len(parts) == 1:
        return parts[0]
    return _merged_records(
        np.concatenate([part.row for part in parts]),
        np.concatenate([part.n_rows for part in parts]),
    )


def _merged_records(row: NDArray[np.bytes_], count: NDArray[np.int64]) -> Records:
    order = np.argsort(row, kind="stable")
    row = row[order]
    first = np.ones(len(row), dtype=np.bool_)
    first[1:] = row[1:] != row[:-1]
    starts = np.flatnonzero(first)
    return Records(row[starts], _sums(count[order], starts))


class RowLayout:
    """Where the numbers of a row are in its record.

    Small integers share words of 64 bits, so that a rank of 17 takes 5 bits. Words are written with
    the highest byte first, so that records are sorted as their numbers are.

    Parameters
    ----------
    most : sequence of int
        The largest value of each integer of a row.
    n_floats : int
        Number of floats of a row, which follow the integers.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.dask._distinct import RowLayout
    >>> layout = RowLayout([16, 1], 1)
    >>> row = layout.pack([np.array([3, 16]), np.array([1, 0])], [np.array([0.5, 2.0])])
    >>> layout.integer(row, 0).tolist(), layout.float(row, 0).tolist()
    ([3, 16], [0.5, 2.0])
    """

    def __init__(self, most: Sequence[int], n_floats: int) -> None:
        self._place: list[tuple[int, int, int]] = []  # word, shift, mask
        word, free = -1, 0
        for largest in most:
            bits = max(int(largest).bit_length(), 1)
            if bits > free:
                word, free = word + 1, 64
            free -= bits
            self._place.append((word, free, (1 << bits) - 1))
        self._first_float = word + 1
        self._words = max(word + 1 + n_floats, 1)

    def pack(
        self, integers: Sequence[NDArray[Any]], floats: Sequence[NDArray[np.float64]]
    ) -> NDArray[np.bytes_]:
        """Return the records of rows.

        Parameters
        ----------
        integers : sequence of ndarray, each of shape (n_rows,)
            The integers of the rows.
        floats : sequence of ndarray, each of shape (n_rows,)
            Their floats.

        Returns
        -------
        ndarray of bytes, shape (n_rows,)
            The records.
        """
        n_rows = len((*integers, *floats)[0])
        words = np.zeros((n_rows, self._words), dtype=np.uint64)
        for (word, shift, _), values in zip(self._place, integers, strict=True):
            words[:, word] |= values.astype(np.uint64) << np.uint64(shift)
        for k, numbers in enumerate(floats):  # adding 0.0 turns -0.0 into 0.0
            words[:, self._first_float + k] = (numbers + 0.0).view(np.uint64)
        return words.astype(">u8").view(f"S{8 * self._words}")[:, 0]

    def integer(self, row: NDArray[np.bytes_], k: int) -> NDArray[np.uint64]:
        """Return one of the integers of records."""
        word, shift, mask = self._place[k]
        return self._word(row, word) >> np.uint64(shift) & np.uint64(mask)

    def float(self, row: NDArray[np.bytes_], k: int) -> NDArray[np.float64]:
        """Return one of the floats of records."""
        return self._word(row, self._first_float + k).view(np.float64)

    def _word(self, row: NDArray[np.bytes_], k: int) -> NDArray[np.uint64]:
        return row.view(">u8").reshape(len(row), self._words)[:, k].astype(np.uint64)
