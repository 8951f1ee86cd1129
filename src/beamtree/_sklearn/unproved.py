"""The warning that a limit ended a search before its tree was proved to be optimal."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from types import FrameType
from uuid import uuid4

from sklearn.exceptions import ConvergenceWarning

from beamtree._engine.callers import caller, is_of_beamtree, library_call, module_of, sending_call
from beamtree._engine.rough_time import rough_time

# What helps against each limit. Other ends are proofs, or the user asked for them: the gap was
# reached, or Ctrl-C, a callback or a token stopped the search.
_HELP = {
    "time_limit": "a larger time_limit",
    "node_limit": "a larger node_limit",
    "memory_limit": "a larger memory_limit, a smaller max_thresholds",
    "rule_limit": "a larger limit of the rule, rule='auto'",
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


def advice(status: str, smaller: str, time_to_proof: float | None = None) -> str:
    """Return in a sentence what may lead to a proof.

    Parameters
    ----------
    status : str
        The limit that ended the search.
    smaller : str
        Which change makes the search smaller, for example ``"a smaller max_depth"``.
    time_to_proof : float or None, default=None
        The estimated seconds until the proof, by which a time limit should be larger.

    Examples
    --------
    >>> from beamtree._sklearn.unproved import advice
    >>> print(advice("node_limit", "a smaller max_depth"))
    A larger node_limit or a smaller max_depth may give a proof; gap_limit=0.05 accepts a gap of 5%.
    >>> print(advice("time_limit", "fewer leaves", 170.0).split(" or ")[0])
    A larger time_limit (by about 3 min)
    """
    helps = _HELP[status]
    if status == "time_limit" and time_to_proof is not None:
        helps += f" (by about {rough_time(time_to_proof)})"
    words = f"{helps} or {smaller} may give a proof; gap_limit=0.05 accepts a gap of 5%."
    return f"{words[0].upper()}{words[1:]}"


def name_of_call() -> str | None:
    """Return a name for the call of a library for which this thread sends objects elsewhere.

    Returns
    -------
    str or None
        The same name as long as the call runs; None if there is no such call.
    """
    call = sending_call()
    return None if call is None else _name_of(call)


def warn_of_fit(
    proof: str,
    status: str,
    max_depth: int | None,
    name: str | None,
    time_to_proof: float | None,
) -> None:
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
    time_to_proof : float or None
        As in `advice`.
    """
    smaller = "fewer leaves (max_leaf_nodes)" if max_depth is None else "a smaller max_depth"
    helps = advice(status, smaller)
    limit = "the limit of its rule" if status == "rule_limit" else f"its {status}"
    together = (
        f"At least one tree is not proved to be optimal: its fit ended at {limit}. {helps} Other "
        f"fits of the same call are not announced."
    )
    alone = f"{proof}. {advice(status, smaller, time_to_proof)}"
    _warn(alone, together, sys._getframe(1), name)


def warn_of_many(what: str, ends: Sequence[str], time_limit: float | None, smaller: str) -> None:
    """Warn once that some of many fits are not proved; nothing is said if all are.

    Parameters
    ----------
    what : str
        What has ended, for example ``"fits"``.
    ends : sequence of str
        Why each search ended, as in `Result`.
    time_limit : float or None
        Their time limit; with 0 the user asked for greedy trees.
    smaller : str
        Which change makes the searches smaller, as in `advice`.
    """
    cut = [status for status in ends if is_unproved(status, time_limit)]
    if cut:
        text = (
            f"{len(cut):,} of {len(ends):,} {what} ended at a limit before their trees were proved "
            f"to be optimal. {advice(max(cut, key=cut.count), smaller)}"
        )
        _warn(text, text, sys._getframe(1))


def warn_of_path(proof: str, status: str, time_limit: float | None) -> None:
    """Warn that a path of trees is not proved; nothing is said if it is.

    Parameters
    ----------
    proof : str
        What is proved about the trees.
    status : str
        Why the path ended.
    time_limit : float or None
        Its time limit; with 0 the user asked for greedy trees.
    """
    if is_unproved(status, time_limit):
        text = f"{proof}. {advice(status, 'a smaller max_depth')}"
        _warn(text, text, sys._getframe(1))


def _warn(alone: str, together: str, frame: FrameType, name: str | None = None) -> None:
    """Warn at the line that called beamtree.

    Nothing is said if that is a line of beamtree itself: parts of beamtree that fit many trees
    report on all of them together, and so does the command line. If a library called beamtree, the
    warning names the line that called the library, and the library's call has only one warning.

    Parameters
    ----------
    alone, together : str
        The message if the user's own code called beamtree, and if a library did.
    frame : frame
        A call in the module of the function that the user calls.
    name : str or None, default=None
        As in `warn_of_fit`.
    """
    place = caller(frame)
    if place is None or is_of_beamtree(place):
        return
    call = library_call()
    if call is not None:
        name = _name_of(call) if name is None else name
        if name in _announced:
            return
        place = call.f_back or call
    where = place.f_code.co_filename, place.f_lineno, module_of(place)
    registry = place.f_globals.setdefault("__warningregistry__", {})
    text = alone if call is None else together
    warnings.warn_explicit(text, ConvergenceWarning, *where, registry)
    if name is not None:  # and the warning was not turned into an error, which ends every fit
        _announced.add(name)


def _name_of(call: FrameType) -> str:
    """Return the name of a call of a library, and give it one if it has none."""
    return str(call.f_locals.setdefault(_NAME, uuid4().hex))
