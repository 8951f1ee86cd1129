"""The warning that a limit ended a search before its tree was proved to be optimal."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from uuid import uuid4

from sklearn.exceptions import ConvergenceWarning

from beamtree._engine.callers import caller, is_of_beamtree, library_call, module_of, parallel_call

# What helps against each limit. Other ends are proofs, or the user asked for them: the gap was
# reached, or Ctrl-C, a callback or a token stopped the search.
_HELP = {
    "time_limit": "a larger time_limit",
    "node_limit": "a larger node_limit",
    "memory_limit": "a larger memory_limit, a smaller max_thresholds",
    "rule_limit": "a rule without a limit of its own, such as rule='auto'",
}
# A call of a library keeps its name among its local variables, as debuggers keep their notes there:
# it disappears with the call.
_NAME = "__beamtree_call__"
# The names of the calls that have led to a warning in this process.
_announced: set[str] = set()


def is_unproved(status: str, time_limit: float | None) -> bool:
    """Return whether a limit ended a search that was to find a proof.

    Parameters
    ----------
    status : str
        Why the search ended, as in `Result`.
    time_limit : float or None
        Its time limit; with 0 the user asked for a greedy tree.
    """
    return status in _HELP and time_limit != 0


def advice(status: str, smaller: str) -> str:
    """Return in a sentence what may lead to a proof.

    Parameters
    ----------
    status : str
        The limit that ended the search.
    smaller : str
        Which change makes the search smaller, for example ``"a smaller max_depth"``.

    Examples
    --------
    >>> from beamtree._sklearn.unproved import advice
    >>> print(advice("node_limit", "a smaller max_depth"))
    A larger node_limit or a smaller max_depth may give a proof; a gap_limit accepts a gap.
    """
    words = f"{_HELP[status]} or {smaller} may give a proof; a gap_limit accepts a gap."
    return f"{words[0].upper()}{words[1:]}"


def name_of_call() -> str | None:
    """Return a name for the running call of a library that sends objects to other processes.

    Returns
    -------
    str or None
        The same name as long as the call runs; None if there is no such call.
    """
    call = parallel_call()
    return None if call is None else _name_of(call)


def warn_of_fit(proof: str, status: str, max_depth: int | None, name: str | None) -> None:
    """Warn that a fit is not proved. The fits of one call of a library share one warning.

    Parameters
    ----------
    proof : str
        What is proved about the tree.
    status : str
        The limit that ended the search.
    max_depth : int or None
        The depth of the search.
    name : str or None
        The name of the call of a library in another process, if one has sent the classifier.
    """
    smaller = "fewer leaves (max_leaf_nodes)" if max_depth is None else "a smaller max_depth"
    helps = advice(status, smaller)
    call = library_call()
    if call is None:
        warn(f"{proof}. {helps}", sys._getframe(1))
        return
    name = _name_of(call) if name is None else name
    if name not in _announced:
        _announced.add(name)
        limit = "the limit of its rule" if status == "rule_limit" else f"its {status}"
        text = (
            f"At least one tree is not proved to be optimal: its fit ended at {limit}. {helps} "
            f"Other fits of the same call are not announced."
        )
        warn(text, sys._getframe(1), call)


def warn(text: str, frame: FrameType, call: FrameType | None = None) -> None:
    """Warn at the line that called beamtree, unless that is a line of beamtree itself.

    Parts of beamtree that fit many trees, and the command line, report on all of them together.

    Parameters
    ----------
    text : str
        The message.
    frame : frame
        A call in the module of the function that the user calls.
    call : frame or None, default=None
        The call of a library that led to it; the warning then names the line of this call.
    """
    outer = caller(frame)
    if outer is None or is_of_beamtree(outer):
        return
    place = outer if call is None else (call.f_back or call)
    registry = place.f_globals.setdefault("__warningregistry__", {})
    where = place.f_code.co_filename, place.f_lineno, module_of(place)
    warnings.warn_explicit(text, ConvergenceWarning, *where, registry)


def _name_of(call: FrameType) -> str:
    """Return the name of a call of a library, and give it one if it has none."""
    return str(call.f_locals.setdefault(_NAME, uuid4().hex))
