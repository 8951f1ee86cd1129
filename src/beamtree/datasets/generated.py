"""Small 0/1 datasets that are generated exactly."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree.datasets.binary import BinaryData


def tic_tac_toe() -> BinaryData:
    """Return all 958 final boards of tic-tac-toe, and whether the first player wins.

    Each square has three features: it holds x, it holds o, or it is blank.

    Returns
    -------
    BinaryData
        958 rows, 27 features, 2 classes (626 boards are won by x, who begins).

    Examples
    --------
    >>> from beamtree.datasets import tic_tac_toe
    >>> X, y, feature_names, class_names = tic_tac_toe()
    >>> X.shape, int(y.sum()), feature_names[:3]
    ((958, 27), 626, ['top left = x', 'top left = o', 'top left = blank'])
    """
    boards = sorted(_final_boards())
    squares = [f"{row} {column}" for row in _ROWS for column in _COLUMNS]
    squares[4] = "centre"
    labels = [int(_wins(board, "x")) for board in boards]
    return _one_hot(squares, [_MARKS] * 9, boards, labels, ["x does not win", "x wins"])


_ROWS = ("top", "middle", "bottom")
_COLUMNS = ("left", "centre", "right")
_MARKS = ("x", "o", "blank")
_LINES = (
    *((i, i + 1, i + 2) for i in (0, 3, 6)),
    *((i, i + 3, i + 6) for i in (0, 1, 2)),
    (0, 4, 8),
    (2, 4, 6),
)
_Board = tuple[str, ...]


def _wins(board: _Board, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _final_boards() -> set[_Board]:
    """Play all games, one move after the other."""
    final: set[_Board] = set()
    boards: set[_Board] = {("blank",) * 9}
    for turn in range(9):
        player = _MARKS[turn % 2]
        played = {
            (*board[:square], player, *board[square + 1 :])
            for board in boards
            for square in range(9)
            if board[square] == "blank"
        }
        over = {board for board in played if turn == 8 or _wins(board, player)}
        final |= over
        boards = played - over
    return final


def monks(problem: int) -> BinaryData:
    """Return one of the three MONK's problems, complete and without noise.

    Parameters
    ----------
    problem : {1, 2, 3}
        The concept. 1: the first two attributes are equal, or the fifth is 1. 2: exactly two
        attributes are 1. 3: the fifth is 3 and the fourth is 1, or the fifth is not 4 and the
        second is not 3.

    Returns
    -------
    BinaryData
        432 rows, 17 features (one per value of an attribute), 2 classes.

    Examples
    --------
    >>> from beamtree.datasets import monks
    >>> [int(monks(k).y.sum()) for k in (1, 2, 3)]
    [216, 142, 228]
    """
    concepts = {
        1: lambda a: a[0] == a[1] or a[4] == 1,
        2: lambda a: a.count(1) == 2,
        3: lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3),
    }
    if problem not in concepts:
        msg = f"problem must be 1, 2 or 3, got {problem!r}"
        raise ValueError(msg)
    values = [range(1, size + 1) for size in (3, 3, 2, 3, 4, 2)]
    rows = list(product(*values))
    labels = [int(concepts[problem](row)) for row in rows]
    names = [f"a{position}" for position in range(1, 7)]
    return _one_hot(names, values, rows, labels, ["no", "yes"])


def balance_scale() -> BinaryData:
    """Return all states of a balance scale, and to which side it tips.

    Each side has a weight and a distance from the middle, both from 1 to 5. The side with the
    larger product of the two goes down.

    Returns
    -------
    BinaryData
        625 rows, 20 features (one per value of an attribute), 3 classes: 49 states are balanced,
        and 288 states tip to each side.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.datasets import balance_scale
    >>> X, y, feature_names, class_names = balance_scale()
    >>> X.shape, class_names, np.bincount(y).tolist()
    ((625, 20), ['balanced', 'left', 'right'], [49, 288, 288])
    >>> feature_names[5]
    'left distance = 1'
    """
    names = ["left weight", "left distance", "right weight", "right distance"]
    values = [range(1, 6)] * 4
    rows = list(product(*values))
    labels = [_tips(a * b, c * d) for a, b, c, d in rows]
    return _one_hot(names, values, rows, labels, ["balanced", "left", "right"])


def _tips(left: int, right: int) -> int:
    return 0 if left == right else 1 if left > right else 2


def multiplexer(n_address: int = 2) -> BinaryData:
    """Return the multiplexer: the class is the bit at the address that other bits give.

    Parameters
    ----------
    n_address : int, default=2
        The number of address bits. There are ``2 ** n_address`` data bits.

    Returns
    -------
    BinaryData
        All combinations of these bits, 2 classes. A tree of depth ``n_address + 1`` makes no
        errors.

    Examples
    --------
    >>> from beamtree.datasets import multiplexer
    >>> multiplexer(2).X.shape
    (64, 6)
    """
    names = [f"address{i}" for i in range(n_address)]
    names += [f"data{i}" for i in range(2**n_address)]
    X = _all_rows(len(names))
    address = X[:, :n_address] @ (1 << np.arange(n_address)[::-1])
    y = X[np.arange(len(X)), n_address + address]
    return BinaryData(X, y.astype(np.intp), names, ["0", "1"])


def parity(n_relevant: int = 3, n_irrelevant: int = 2) -> BinaryData:
    """Return the parity of some bits among others. Only the last split of a tree gains anything.

    Parameters
    ----------
    n_relevant : int, default=3
        The number of bits whose parity is the class.
    n_irrelevant : int, default=2
        The number of further bits, which do not matter.

    Returns
    -------
    BinaryData
        All combinations of these bits, 2 classes. A tree needs the depth `n_relevant` to be
        better than guessing.

    Examples
    --------
    >>> from beamtree.datasets import parity
    >>> X, y, feature_names, _ = parity(2, 1)
    >>> X.shape, y
    ((8, 3), array([0, 0, 1, 1, 1, 1, 0, 0]))
    """
    names = [f"bit{i}" for i in range(n_relevant)]
    names += [f"noise{i}" for i in range(n_irrelevant)]
    X = _all_rows(len(names))
    y = X[:, :n_relevant].sum(axis=1) % 2
    return BinaryData(X, y.astype(np.intp), names, ["even", "odd"])


def _all_rows(n_bits: int) -> NDArray[np.uint8]:
    """Return all combinations of `n_bits` bits, counting upwards."""
    return np.array(list(product((0, 1), repeat=n_bits)), dtype=np.uint8)


def _one_hot(
    names: list[str], values: list[Any], rows: list[Any], labels: list[int], class_names: list[str]
) -> BinaryData:
    tests = [(i, value) for i, column in enumerate(values) for value in column]
    X = np.array([[row[i] == value for i, value in tests] for row in rows], dtype=np.uint8)
    feature_names = [f"{names[i]} = {value}" for i, value in tests]
    return BinaryData(X, np.array(labels, dtype=np.intp), feature_names, class_names)
