"""Names that are short, and still different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

# The most letters of a short name, and how many of its start are kept where it is cut.
LONGEST = 44
START = 12


def short_names(names: Sequence[str]) -> list[str]:
    """Return names of at most some forty letters, of which no two are equal that were not.

    Parameters
    ----------
    names : sequence of str
        The names.

    Returns
    -------
    list of str
        Those that are too long lose their middle or, where that would make names equal, what they
        have in common; where even that does not help, they get their position.

    Examples
    --------
    >>> from beamtree.export._short import short_names
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
    """Return the positions of names that are shown as another one is."""
    count = Counter(short for _, short in set(zip(names, shown, strict=True)))
    return [k for k, short in enumerate(shown) if count[short] > 1]


def _common(names: list[str]) -> int:
    """Return how many letters all names begin with."""
    first, last = min(names, default=""), max(names, default="")
    pairs = enumerate(zip(first, last, strict=False))
    return next((k for k, (one, other) in pairs if one != other), len(first))


def _without_middle(name: str) -> str:
    half = (LONGEST - 1) // 2
    if len(name) <= LONGEST:
        return name
    return f"{name[:half].rstrip()}…{name[-half:].lstrip()}"


def _from(name: str, same: int) -> str:
    """Return the start of a name, and it from shortly before a position."""
    begin = max(same - START // 2, START)
    end = begin + LONGEST - START
    return f"{name[:START]}…{name[begin:end]}{'…' if end < len(name) else ''}"
