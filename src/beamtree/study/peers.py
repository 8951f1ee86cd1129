"""Peers: solvers of other authors, which can take part in a study if they are installed.

To add a peer: 1. write a `Peer`: functions that make its model, fit it, and ask whether its tree is
proved; import the package inside the first; 2. list it in `PEERS`, with the name of its package on
PyPI. The tree of a peer is rescored with ``predict``. Only its claim that the tree is optimal is
believed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree.study.task import End, System, Task, Tell


@dataclass(frozen=True)
class Peer:
    """How a peer is called.

    Parameters
    ----------
    make : callable
        Takes the largest depth and the seconds that the peer may take, and returns its model.
    fit : callable
        Takes the model, the features and the classes as arrays of int32, and a `Tell`, which it
        calls with every improvement that the peer reports.
    proved : callable
        Takes the fitted model, and returns whether the peer claims that its tree is optimal.

    Examples
    --------
    >>> from beamtree.study.peers import Peer
    >>> Peer(make=lambda depth, seconds: None, fit=print, proved=bool).proved(None)
    False
    """

    make: Callable[[int, float], Any]
    fit: Callable[[Any, NDArray[np.int32], NDArray[np.int32], Tell], object]
    proved: Callable[[Any], bool]

    def __call__(self, task: Task, tell: Tell) -> End:
        """Run the peer as a system of the study."""
        model = self.make(task.depth, task.budget)
        X, y = np.ascontiguousarray(task.X, np.int32), np.ascontiguousarray(task.codes, np.int32)
        self.fit(model, X, y, tell)

        def predict(X: NDArray[np.uint8]) -> NDArray[Any]:
            return np.asarray(model.predict(np.ascontiguousarray(X, np.int32))).ravel()

        if not self.proved(model):
            return End("time_limit", predict)
        # What the peer has proved is taken to be the objective of its rescored tree.
        bound = float(np.count_nonzero(predict(task.X) != task.codes))
        return End("optimal", predict, bound)


class _Listened(io.TextIOBase):
    """A text stream that passes everything that is printed to a function at once."""

    def __init__(self, hear: Callable[[str], object]) -> None:
        self._hear = hear

    def write(self, text: str) -> int:
        self._hear(text)
        return len(text)


def _make_pystreed(depth: int, seconds: float) -> Any:
    from pystreed import STreeDClassifier

    return STreeDClassifier(
        optimization_task="accuracy",
        max_depth=depth,
        max_num_nodes=None,
        hyper_tune=False,
        min_leaf_node_size=1,
        time_limit=seconds,
        feature_ordering="in-order",
        print_intermediates=True,
    )


def _fit_pystreed(model: Any, X: NDArray[np.int32], y: NDArray[np.int32], tell: Tell) -> None:
    """Fit STreeD, which prints its improvements."""

    def hear(text: str) -> None:
        if found := re.search(r"Solution =\s*(\d+)", text):
            tell(float(found[1]), 0.0)

    with redirect_stdout(_Listened(hear)):
        model.fit(X, y)


def _make_pytrees(depth: int, seconds: float) -> Any:
    from pytrees import DL85Classifier
    from pytrees.rules import DiscrepancyRule

    return DL85Classifier(
        max_depth=depth,
        min_sup=1,
        max_time=seconds,
        heuristic="information_gain",
        discrepancy=DiscrepancyRule(),
    )


def _fit_pytrees(model: Any, X: NDArray[np.int32], y: NDArray[np.int32], tell: Tell) -> None:
    """Fit pytrees, which reports the errors after each pass that found a better tree."""
    model.fit_anytime(X, y, lambda error, *_: tell(float(error), 0.0))


def _make_pydl85(depth: int, seconds: float) -> Any:
    from pydl85 import DL85Classifier

    return DL85Classifier(max_depth=depth, min_sup=1, time_limit=ceil(seconds))


def _fit_pydl85(model: Any, X: NDArray[np.int32], y: NDArray[np.int32], tell: Tell) -> None:  # noqa: ARG001
    """Fit pydl8.5, whose time limit has whole seconds, and which reports no improvements."""
    model.fit(X, y)


_PYSTREED = Peer(_make_pystreed, _fit_pystreed, lambda model: bool(model.fit_result.is_optimal()))
_PYTREES = Peer(_make_pytrees, _fit_pytrees, lambda model: bool(model.status_ == "optimal"))
_PYDL85 = Peer(_make_pydl85, _fit_pydl85, lambda model: not model.timeout_)

PEERS: dict[str, System] = {
    name: System(name, about, peer, complete=True, distribution=name)
    for name, about, peer in (
        ("pystreed", "STreeD, its own order of features", _PYSTREED),
        ("pytrees-rs", "the authors' library, with a budget of deviations", _PYTREES),
        ("pydl8.5", "the authors' earlier library, one complete pass", _PYDL85),
    )
}


def check_installed(name: str) -> None:
    """Raise an ImportError if the package of a peer is not installed.

    Parameters
    ----------
    name : str
        A key of `PEERS`.

    Examples
    --------
    >>> from beamtree.study.peers import PEERS, check_installed
    >>> list(PEERS)
    ['pystreed', 'pytrees-rs', 'pydl8.5']
    """
    try:
        version(PEERS[name].distribution)
    except PackageNotFoundError as error:
        msg = f"the system {name!r} needs {name}: pip install {name}"
        raise ImportError(msg) from error
