"""Groups of categories: nested sets along their share of a class, or along their mean.

The best of all groupings of the categories of one node into two sides is among these sets if there
are two classes: sort the categories by their share of one class, and cut (Breiman, Friedman, Olshen
and Stone, "Classification and Regression Trees", 1984, section 4.2.2). If numbers are predicted,
sort the categories by the mean of their numbers (section 8.8).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum

import numpy as np
from numpy.typing import NDArray

from beamtree._table.orders import Groups


def class_shares(
    categories: NDArray[np.intp],
    labels: NDArray[np.int32],
    weight: NDArray[np.float64] | None,
    n_categories: int,
) -> NDArray[np.float64]:
    """Return the share of each class in the weight of each category.

    Parameters
    ----------
    categories : ndarray of intp, shape (n_rows,)
        For each row the position of its category; all categories occur.
    labels : ndarray of int32, shape (n_rows,)
        For each row the number of its class.
    weight : ndarray of float64, shape (n_rows,), or None
        Positive weights; None for weights of 1.
    n_categories : int
        Number of categories.

    Returns
    -------
    ndarray of float64, shape (n_shown_classes, n_categories)
        The shares. Only classes that occur have a row, and if there are two, only the second has.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.category_groups import class_shares
    >>> class_shares(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), None, 2)
    array([[0.5, 1. ]])
    """
    present, codes = np.unique(labels, return_inverse=True)
    cells = categories + n_categories * codes
    sums = _exact_sums(cells, weight, len(present) * n_categories)
    shares = sums.reshape(len(present), n_categories)
    shares = shares / _exact_sums(categories, weight, n_categories)
    return shares[1:] if len(present) <= 2 else shares


def means(
    categories: NDArray[np.intp],
    numbers: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    n_categories: int,
) -> NDArray[np.float64]:
    """Return the weighted mean of the numbers of each category.

    Parameters
    ----------
    categories, weight, n_categories
        As in `class_shares`.
    numbers : ndarray of float64, shape (n_rows,)
        For each row the number to predict.

    Returns
    -------
    ndarray of float64, shape (1, n_categories)
        The means.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.category_groups import means
    >>> means(np.array([0, 0, 1]), np.array([1.0, 2.0, 5.0]), None, 2)
    array([[1.5, 5. ]])
    """
    weighed = numbers if weight is None else weight * numbers
    sums = _exact_sums(categories, weighed, n_categories)
    return (sums / _exact_sums(categories, weight, n_categories))[np.newaxis]


def _exact_sums(
    cells: NDArray[np.intp], weight: NDArray[np.float64] | None, n_cells: int
) -> NDArray[np.float64]:
    """Return the sum of the weights in each cell, which does not depend on the order of the rows.

    Otherwise the rounding of a sum could decide between two categories with the same share.
    """
    if weight is None:
        return np.bincount(cells, minlength=n_cells).astype(np.float64)
    if (weight == np.rint(weight)).all() and np.abs(weight).sum() < 2**53:
        return np.bincount(cells, weight, n_cells).astype(np.float64)
    order = np.argsort(cells, kind="stable")
    ends = np.cumsum(np.bincount(cells, minlength=n_cells))
    parts = np.split(weight[order], ends[:-1])
    return np.array([fsum(part.tolist()) for part in parts])


def nested_groups(
    shares: NDArray[np.float64], positions: NDArray[np.intp], *, is_whole: bool
) -> Iterator[Groups]:
    """Yield one order of categories per class, without sets that an earlier order has.

    Parameters
    ----------
    shares : ndarray of float64, shape (n_shown_classes, n_categories)
        Shares of the classes, as `class_shares` returns them, or `means`.
    positions : ndarray of intp, shape (n_categories,)
        Positions of these categories among those of the column, increasing.
    is_whole : bool
        Whether these are all categories of the rows. If not, there are rows on the side of the
        other categories in every test, so that a set and its complement are different tests.

    Yields
    ------
    tuple of tuples of int
        The groups of an order, as in `Orders`, the largest share first and equal shares in the
        order of the positions. The nested sets are those of the first groups together. They have at
        least two categories, and leave out at least two if these are all: a set of one category is
        a test of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._table.category_groups import nested_groups
    >>> shares = np.array([[0.1, 0.8, 0.3, 0.1, 0.9]])
    >>> list(nested_groups(shares, np.arange(5), is_whole=True))
    [((4, 1), (2,))]
    """
    count = len(positions)
    largest = count - 2 if is_whole else count
    every = frozenset(range(count))
    seen: set[frozenset[int]] = set()
    for share in shares:
        sequence = np.lexsort((np.arange(count), -share)).tolist()
        groups, begin = [], 0
        for end in range(2, largest + 1):
            inside = frozenset(sequence[:end])
            if inside in seen or (is_whole and every - inside in seen):
                continue
            seen.add(inside)
            groups.append(tuple(positions[sequence[begin:end]].tolist()))
            begin = end
        if groups:
            yield tuple(groups)
