"""Suggestions for names that are not known."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """Return the end of an error about an unknown name, which suggests similar names.

    Parameters
    ----------
    name : str
        The unknown name.
    names : sequence of str
        The known names.

    Returns
    -------
    str
        The suggestion, or an empty text if no name is similar.

    Examples
    --------
    >>> from beamtree._util.suggestions import did_you_mean
    >>> did_you_mean("colr", ["size", "colour"])
    "; did you mean 'colour'?"
    """
    near = get_close_matches(name, names, n=3)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
