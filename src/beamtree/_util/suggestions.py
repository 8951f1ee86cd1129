"""What may have been meant by a name that is not known."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches


def nearest(name: str, names: Sequence[str]) -> str:
    """Return what may have been meant by a name, as the end of an error; nothing if it is unclear.

    Parameters
    ----------
    name : str
        A name that is not known.
    names : sequence of str
        Those that are.

    Returns
    -------
    str
        The nearest.

    Examples
    --------
    >>> from beamtree._util.suggestions import nearest
    >>> nearest("colr", ["size", "colour"])
    "; did you mean 'colour'?"
    """
    near = get_close_matches(name, names, n=3)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
