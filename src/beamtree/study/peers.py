"""Peers: solvers of other authors, which can take part in a study if they are installed.

To add a peer: 1. write a function as for a system (see systems.py), and import the package inside
it; 2. list it in `PEERS`, with the name of its package on PyPI. The tree of a peer is rescored with
``predict``. Only its claim that the tree is optimal is believed.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.metadata import PackageNotFoundError, version
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree.study.task import End, System, Task, Tell


def _arrays(task: Task) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the features and the classes in the type that the peers accept."""
    return np.ascontiguousarray(task.X, np.int32), np.ascontiguousarray(task.codes, np.int32)


def _end(model: Any, task: Task, *, proved: bool) -> End:
    """Return the result of a peer; if it claims a proof, its rescored tree is the lower bound."""

    def predict(X: NDArray[np.uint8]) -> NDArray[Any]:
        return np.asarray(model.predict(np.ascontiguousarray(X, np.int32))).ravel()

    if not proved:
        return End("time_limit", predict)
    bound = float(np.count_nonzero(predict(task.X) != task.codes))
    return End("optimal", predict, bound)


class _Listened(io.TextIOBase):
    """A text stream that passes everything that is printed to a function at once."""

    def __init__(self, hear: Callable[[str], object]) -> None:
        self._hear = hear

    def write(self, text: str) -> int:
        self._hear(text)
        return len(text)


def _pystreed(task: Task, tell: Tell) -> End:
    """Run STreeD, which prints its improvements."""
    from pystreed import STreeDClassifier

    model = STreeDClassifier(
        optimization_task="accuracy",
        max_depth=task.depth,
        max_num_nodes=None,
        hyper_tune=False,
        min_leaf_node_size=1,
        time_limit=task.budget,
        feature_ordering="in-order",
        print_intermediates=True,
    )

    def hear(text: str) -> None:
        if found := re.search(r"Solution =\s*(\d+)", text):
            tell(float(found[1]), 0.0)

    with redirect_stdout(_Listened(hear)):
        model.fit(*_arrays(task))
    return _end(model, task, proved=bool(model.fit_result.is_optimal()))


def _pytrees(task: Task, tell: Tell) -> End:
    """Run pytrees, which reports the errors after each pass that found a better tree."""
    from pytrees import DL85Classifier
    from pytrees.rules import DiscrepancyRule

    model = DL85Classifier(
        max_depth=task.depth,
        min_sup=1,
        max_time=task.budget,
        heuristic="information_gain",
        discrepancy=DiscrepancyRule(),
    )
    model.fit_anytime(*_arrays(task), lambda error, *_: tell(float(error), 0.0))
    return _end(model, task, proved=model.status_ == "optimal")


def _pydl85(task: Task, tell: Tell) -> End:  # noqa: ARG001
    """Run pydl8.5, whose time limit has whole seconds, and which reports no improvements."""
    from pydl85 import DL85Classifier

    model = DL85Classifier(max_depth=task.depth, min_sup=1, time_limit=ceil(task.budget))
    model.fit(*_arrays(task))
    return _end(model, task, proved=not model.timeout_)


PEERS: dict[str, System] = {
    name: System(name, about, solve, complete=True, distribution=name)
    for name, about, solve in (
        ("pystreed", "STreeD, its own order of features", _pystreed),
        ("pytrees-rs", "the authors' library, with a budget of deviations", _pytrees),
        ("pydl8.5", "the authors' earlier library, one complete pass", _pydl85),
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
