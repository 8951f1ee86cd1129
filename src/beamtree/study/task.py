"""The input and the result of a system of the study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A system calls this with the objective and the lower bound whenever one of them has improved. The
# worker adds the time.
Tell = Callable[[float, float], object]


@dataclass(frozen=True, eq=False)
class Task:
    """The input of a system.

    Parameters
    ----------
    X : ndarray of uint8, shape (n_rows, n_features)
        Features, all 0 or 1.
    codes : ndarray of int32, shape (n_rows,)
        Classes as integers from 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes.
    depth : int
        Largest depth of the tree.
    budget : float
        Seconds that the system may take, from its call.
    seed : int, default=0
        Random seed, for systems that use one.
    memory : int or None, default=None
        Bytes by which the process may grow; None for a share of the free memory.

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
    """The result of a system.

    Parameters
    ----------
    status : str
        The status as in `Result`; ``"finished"`` for a system that ends by itself and proves
        nothing.
    predict : callable
        Takes X and returns the classes that the last tree predicts. It is used to rescore the tree.
    lower_bound : float, default=0.0
        No tree has a smaller objective.
    preparation : float, default=0.0
        Seconds of the call in which the data were checked and packed.

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
        Name in records and tables.
    about : str
        Description in one line.
    solve : callable
        Takes a `Task` and a `Tell`, and returns an `End`.
    complete : bool
        Whether the system proves that its tree is optimal if it has enough time.
    distribution : str, default="beamtree"
        The package of the system, whose version is recorded.

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
