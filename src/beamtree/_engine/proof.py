"""What a search has proved about its tree, in one line.

`Result`, `Incumbent`, `PenaltyPath` and the fitted classifiers hold this line, and everything that
shows a tree begins with it.
"""

from __future__ import annotations

from math import ceil, floor, inf, log10

from beamtree._engine.limits import Limits
from beamtree._table.learn_categories import MOST_CATEGORIES
from beamtree.search_space import SearchSpace


def proof_line(
    status: str,
    words: str,
    *,
    up_to: float = 0.0,
    limits: Limits | None = None,
    max_leaf_nodes: int = 0,
    bound: str = "",
) -> str:
    """Return in one line whether the best tree of a search is proved to be optimal.

    Parameters
    ----------
    status : str
        Why the search ended, as in `Result`.
    words : str
        What the search has found, for example as `objective_words` returns it.
    up_to : float, default=0.0
        How much a proof leaves open because weights were rounded: the largest difference of an
        objective and its lower bound.
    limits : Limits or None, default=None
        The limits of the search, which are named if they ended it.
    max_leaf_nodes : int, default=0
        The limit of leaves, if it leaves out trees; otherwise 0.
    bound : str, default=""
        The bound on the tests of a column, as `bound_words` returns it.

    Returns
    -------
    str
        The line.

    Examples
    --------
    >>> from beamtree._engine.limits import Limits
    >>> from beamtree._engine.proof import proof_line
    >>> proof_line("optimal", "9 errors", bound="at most 32 thresholds per column")
    'Proved optimal over at most 32 thresholds per column: 9 errors'
    >>> proof_line("optimal", "12 errors", max_leaf_nodes=6)
    'Proved optimal with at most 6 leaves: 12 errors'
    >>> proof_line("optimal", "objective 12.5", up_to=2.9e-10)
    'Proved optimal: objective 12.5 (up to 3e-10)'
    >>> proof_line("time_limit", "379 errors, at least 0", limits=Limits(seconds=60.0))
    'Not proved: 379 errors, at least 0 (time limit of 60 s)'
    """
    of = f" with at most {max_leaf_nodes:,} {_leaves(max_leaf_nodes)}" if max_leaf_nodes else ""
    of += f" over {bound}" if bound else ""
    if status == "optimal":
        rest = f" (up to {_rounded_up(up_to)})" if up_to > 0.0 else ""
        return f"Proved optimal{of}: {words}{rest}"
    return f"Not proved{of}: {words} ({_reason(status, limits or Limits())})"


def objective_words(objective: float, lower_bound: float, *, counts_errors: bool) -> str:
    """Return the objective of a tree in words, and the lower bound if that is smaller.

    Parameters
    ----------
    objective, lower_bound : float
        The objective, and its lower bound.
    counts_errors : bool
        Whether the objective is the number of misclassified rows.

    Returns
    -------
    str
        For example ``"9 errors"`` or ``"objective 12.5, at least 10"``.
    """
    value, least = number_words(objective), number_words(lower_bound)
    words = f"{value} {_plural('error', objective)}" if counts_errors else f"objective {value}"
    return words if least == value else f"{words}, at least {least}"


def squares_words(name: str, objective: float, lower_bound: float, explained: float) -> str:
    """Return the objective of a tree that predicts numbers in words.

    Parameters
    ----------
    name : str
        What the objective is.
    objective, lower_bound : float
        The objective, and its lower bound, which is named if it is smaller.
    explained : float
        The share of the squared error of a single leaf that the tree explains.

    Returns
    -------
    str
        The words.

    Examples
    --------
    >>> from beamtree._engine.proof import squares_words
    >>> squares_words("squared error", 12.5, 10.0, 0.75)
    'squared error 12.5 (R² 0.750), at least 10'
    """
    value, least = number_words(objective), number_words(lower_bound)
    words = f"{name} {value} (R² {explained:.3f})"
    return words if least == value else f"{words}, at least {least}"


def cost_words(name: str, objective: float, lower_bound: float) -> str:
    """Return the objective of a tree in words.

    Parameters
    ----------
    name : str
        What the objective is.
    objective, lower_bound : float
        The objective, and its lower bound, which is named if it is smaller.

    Returns
    -------
    str
        The words.

    Examples
    --------
    >>> from beamtree._engine.proof import cost_words
    >>> cost_words("Poisson deviance", 12.5, 10.0)
    'Poisson deviance 12.5, at least 10'
    """
    value, least = number_words(objective), number_words(lower_bound)
    return f"{name} {value}" if least == value else f"{name} {value}, at least {least}"


def reward_words(reward: float, bound: float, *, penalised: bool) -> str:
    """Return the total reward of a policy in words, and its upper bound if that is larger.

    Parameters
    ----------
    reward, bound : float
        The reward, less penalties, and its upper bound.
    penalised : bool
        Whether there are penalties.

    Returns
    -------
    str
        For example ``"total reward 123.4, at most 130"``.
    """
    what = "total reward less penalties" if penalised else "total reward"
    value, most = number_words(reward), number_words(bound)
    return f"{what} {value}" if most == value else f"{what} {value}, at most {most}"


def bound_words(
    space: SearchSpace, max_thresholds: int | None, groups_by: str = "class share"
) -> str:
    """Return what limits the tests of a column in words, if tests were left out.

    Parameters
    ----------
    space : SearchSpace
        The tests of the search.
    max_thresholds : int or None
        The bound, as in `OptimalTreeClassifier`.
    groups_by : str, default="class share"
        Along what categories are grouped, in words.

    Returns
    -------
    str
        For example ``"at most 32 thresholds per column"`` or ``"groups of categories by class
        share"``; empty if no test was left out.

    Examples
    --------
    >>> from beamtree import SearchSpace
    >>> from beamtree._engine.proof import bound_words
    >>> bound_words(SearchSpace(("age", "city"), (32, 37), (80, 2**19 - 1), (0, 20), (0, 20)), 32)
    'at most 32 thresholds per column and groups of categories by class share'
    """
    limited = space.limited
    most = MOST_CATEGORIES if max_thresholds is None else max_thresholds
    nouns = [
        _plural(one, most)
        for one, many in (("threshold", "thresholds"), ("category", "categories"))
        if many in limited
    ]
    parts = [f"at most {most:,} {' or '.join(nouns)} per column"] if nouns else []
    parts += [f"groups of categories by {groups_by}"] if "groups" in limited else []
    return " and ".join(parts)


def _reason(status: str, limits: Limits) -> str:
    """Return why a search ended without a proof."""
    if status == "time_limit" and limits.seconds < inf:
        return f"time limit of {number_words(limits.seconds)} s"
    if status == "node_limit" and limits.nodes is not None:
        return f"node limit of {limits.nodes:,}"
    if status == "gap_reached":
        return f"gap limit of {100.0 * limits.gap:g}%"
    return {
        "memory_limit": "too little memory for a search",
        "rule_limit": "limit of the rule",
        "running": "search not finished",
    }.get(status, status.replace("_", " "))


def _leaves(number: int) -> str:
    return "leaf" if number == 1 else "leaves"


def _plural(noun: str, number: float) -> str:
    """Return a noun in the form that belongs to a number."""
    if number == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _rounded_up(value: float) -> str:
    """Return a positive number with one digit that is not below it."""
    digit = 10.0 ** floor(log10(value))
    return f"{ceil(value / digit) * digit:.1g}"


def number_words(value: float) -> str:
    """Return a number with six digits, or with all digits before the point if these are more.

    Parameters
    ----------
    value : float
        The number.

    Returns
    -------
    str
        The number in words.

    Examples
    --------
    >>> from beamtree._engine.proof import number_words
    >>> number_words(923021.4), number_words(0.25)
    ('923,021', '0.25')
    """
    return f"{value:,.0f}" if 1e5 <= abs(value) < 1e15 else f"{value:,.6g}"
