"""Short names that are still different from each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

# The largest number of characters of a short name, and how many of them come from its beginning.
LONGEST = 44
START = 12


def short_names(names: Sequence[str]) -> list[str]:
    """Return names of about forty characters at most; different names stay different.

    Parameters
    ----------
    names : sequence of str
        The names.

    Returns
    -------
    list of str
        Names that are too long lose their middle. If this would make two of them equal, they lose
        what they have in common instead. If they are still equal, their position is appended.

    Examples
    --------
    >>> from beamtree.export._short_names import short_names
    >>> short_names(["age", "what somebody had said about the weather of the day before"])
    ['age', 'what somebody had sai…her of the day before']
    >>> long = "what somebody had said about {} in the afternoon of the day before"
    >>> short_names([long.format("rain"), long.format("wind")])[1]
    'what somebod…about wind in the afternoon of t…'
    """
    names = [" ".join(name.split()) or "''" for name in names]
    shown = [_without_middle(name) for name in names]
    equal = _equal(names, shown)
    same = _common([names[k] for k in equal])
    for k in equal:
        shown[k] = _from(names[k], same)
    for k in _equal(names, shown):
        shown[k] = f"{shown[k]} [{k}]"
    return shown


def _equal(names: list[str], shown: list[str]) -> list[int]:
    """Return the positions of names that have become equal to a different name."""
    count = Counter(short for _, short in set(zip(names, shown, strict=True)))
    return [k for k, short in enumerate(shown) if count[short] > 1]


def _common(names: list[str]) -> int:
    """Return the length of the beginning that all names have in common."""
    first, last = min(names, default=""), max(names, default="")
    pairs = enumerate(zip(first, last, strict=False))
    return next((k for k, (one, other) in pairs if one != other), len(first))


def _without_middle(name: str) -> str:
    half = (LONGEST - 1) // 2
    if len(name) <= LONGEST:
        return name
    return f"{name[:half].rstrip()}…{name[-half:].lstrip()}"


def _from(name: str, same: int) -> str:
    """Return the beginning of a name, followed by the part around a position."""
    begin = max(same - START // 2, START)
    end = begin + LONGEST - START
    return f"{name[:START]}…{name[begin:end]}{'…' if end < len(name) else ''}"
