"""Ranked values: the form in which the search takes the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from beamtree import _core
from beamtree._table.values import BLOCK, Numbers


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows of a search as ranks.

    An *order* is a column whose values are ranked. Cut t of an order, from 1 on, is the test that
    sends a row left if its rank is less than t. Tests are numbered through all orders.

    Parameters
    ----------
    rank : ndarray of uint32, shape (n_orders, n_rows)
        The rank of every row in every order, C-contiguous.
    cuts : ndarray of int32, shape (n_orders,)
        The number of cuts of each order, which is its largest rank.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.ranks import RankedRows
    >>> rows = RankedRows(np.array([[0, 2, 1]], dtype=np.uint32), np.array([2], dtype=np.int32))
    >>> rows.fails()
    array([[0, 0],
           [1, 1],
           [1, 0]], dtype=uint8)
    """

    rank: NDArray[np.uint32]
    cuts: NDArray[np.int32]

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self.rank.shape[1])

    def __getitem__(self, rows: NDArray[Any]) -> Self:
        """Return some rows, given a mask or their numbers."""
        return type(self)(np.ascontiguousarray(self.rank[:, rows]), self.cuts)

    def fails(self) -> NDArray[np.uint8]:
        """Return which tests fail for which rows; these rows go right.

        Returns
        -------
        ndarray of uint8, shape (n_rows, n_tests)
            1 if the test fails for the row, C-contiguous.
        """
        right = np.empty((len(self), n_tests(self)), dtype=np.uint8)
        ends = np.cumsum(self.cuts, dtype=np.int64)
        for start in range(0, len(self), BLOCK):
            rows = slice(start, start + BLOCK)
            for rank, cuts, end in zip(self.rank, self.cuts.tolist(), ends.tolist(), strict=True):
                at_least = rank[rows, np.newaxis] > np.arange(cuts, dtype=np.uint32)
                right[rows, end - cuts : end] = at_least
        return right


def core_rows(X: RankedRows | NDArray[np.uint8]) -> _core.Ranks | NDArray[np.uint8]:
    """Return rows as the core takes them.

    Parameters
    ----------
    X : RankedRows or ndarray of uint8
        Ranks, or zeros and ones.

    Returns
    -------
    _core.Ranks or ndarray of uint8
        The same rows, which are not copied.
    """
    return X if isinstance(X, np.ndarray) else _core.Ranks(X.rank, X.cuts)


def n_tests(X: RankedRows | NDArray[np.uint8]) -> int:
    """Return the number of tests of rows: of their orders, or one per column of zeros and ones."""
    return int(X.shape[1]) if isinstance(X, np.ndarray) else int(X.cuts.sum(dtype=np.int64))


def rank_values(numbers: Numbers) -> tuple[Numbers, NDArray[np.uint32]]:
    """Return the sorted distinct values of a column, and the position of each row's value.

    Parameters
    ----------
    numbers : ndarray of float64, int64 or uint64, or MaskedArray of integers
        The column. The numbers 0.0 and -0.0 are equal.

    Returns
    -------
    values : ndarray, shape (n_values,)
        The distinct known values, increasing.
    rank : ndarray of uint32, shape (n_rows,)
        For each row the position of its value, or n_values if it is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.ranks import rank_values
    >>> values, rank = rank_values(np.array([2.5, np.nan, 1.0, 2.5]))
    >>> values.tolist(), rank.tolist()
    ([1.0, 2.5], [1, 2, 0, 1])
    """
    if not isinstance(numbers, np.ma.MaskedArray):
        return _core.rank_values(np.ascontiguousarray(numbers))
    known = ~np.ma.getmaskarray(numbers)
    values, rank = _core.rank_values(np.ma.getdata(numbers)[known])
    every = np.full(len(numbers), len(values), dtype=np.uint32)
    every[known] = rank
    return values, every
