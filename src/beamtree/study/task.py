"""What a system of the study is given, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Told of every better tree or bound: its objective and the lower bound. The clock is the worker's.
Tell = Callable[[float, float], object]


@dataclass(frozen=True, eq=False)
class Task:
    """What a system is given.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_rows, n_features)
        Zeros and ones.
    codes : ndarray of int32, shape (n_rows,)
        Classes, from 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes.
    depth : int
        Largest depth of the tree.
    budget : float
        Seconds, from the call.
    seed : int, default=0
        For systems that draw lots.
    memory : int or None, default=None
        Bytes by which the process may grow; None for a share of what is free.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.study import Task
    >>> Task(np.eye(2, dtype=np.uint8), np.array([0, 1], dtype=np.int32), 2, 1, 10.0).seed
    0
    """

    X: NDArray[np.uint8]
    codes: NDArray[np.int32]
    n_classes: int
    depth: int
    budget: float
    seed: int = 0
    memory: int | None = None


@dataclass(frozen=True, eq=False)
class End:
    """What a system returns.

    Parameters
    ----------
    status : str
        As in `Result`; ``"finished"`` for a system that ends by itself and proves nothing.
    predict : callable
        Takes X and returns the classes that the last tree predicts. Trees are rescored by it.
    lower_bound : float, default=0.0
        No tree has a smaller objective.
    preparation : float, default=0.0
        The seconds of the call in which data were checked and packed.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.study import End
    >>> End("finished", lambda X: np.zeros(len(X))).lower_bound
    0.0
    """

    status: str
    predict: Callable[[NDArray[np.uint8]], NDArray[Any]]
    lower_bound: float = 0.0
    preparation: float = 0.0


Solve = Callable[[Task, Tell], End]


@dataclass(frozen=True)
class System:
    """A system of the study.

    Parameters
    ----------
    name : str
        Its name in records and tables.
    about : str
        What it is, in one line.
    solve : callable
        Takes a `Task` and a `Tell`, and returns an `End`.
    complete : bool
        Whether it proves its tree when it has the time.
    distribution : str, default="beamtree"
        The package that it is from, whose version is recorded.

    Examples
    --------
    >>> from beamtree.study import SYSTEMS
    >>> SYSTEMS["top-3"].about, SYSTEMS["top-3"].complete
    ('the three best splits of every node, one pass', False)
    """

    name: str
    about: str
    solve: Solve
    complete: bool
    distribution: str = "beamtree"
