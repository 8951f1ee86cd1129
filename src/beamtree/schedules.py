"""Schedules decide how fast a rule is relaxed from one pass of the search to the next.

A schedule is an increasing sequence of multiples. The threshold of a pass is the rule's ``start``
plus its ``unit`` times the multiple. The search skips a multiple if its threshold would admit
nothing that the previous pass has not already tried.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, count, pairwise
from math import inf
from typing import Any, ClassVar

from beamtree._util.validation import Allowed, is_number

__all__ = ["Exponential", "Luby", "Monotonic", "Sequence"]


@dataclass(frozen=True)
class _Schedule(ABC):
    """The base class of all schedules."""

    name: ClassVar[str]

    @abstractmethod
    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the rule's unit. The sequence never ends."""


@dataclass(frozen=True)
class Monotonic(_Schedule):
    """Add one unit per pass: 0, 1, 2, 3, ...

    No pass goes far beyond the threshold that is needed, but a search needs many passes.

    Examples
    --------
    >>> from itertools import islice
    >>> from beamtree.schedules import Monotonic
    >>> list(islice(Monotonic().multiples(), 6))
    [0, 1, 2, 3, 4, 5]
    """

    name = "monotonic"

    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the rule's unit. The sequence never ends."""
        return count()


@dataclass(frozen=True)
class Exponential(_Schedule):
    """Double the multiple from pass to pass: 0, 1, 2, 4, 8, ...

    A search needs few passes, but the last one may go far beyond the threshold that is needed.

    Examples
    --------
    >>> from itertools import islice
    >>> from beamtree.schedules import Exponential
    >>> list(islice(Exponential().multiples(), 6))
    [0, 1, 2, 4, 8, 16]
    """

    name = "exponential"

    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the rule's unit. The sequence never ends."""
        yield 0
        multiple = 1
        while True:
            yield multiple
            multiple *= 2


@dataclass(frozen=True)
class Luby(_Schedule):
    """Add up Luby's sequence 1, 1, 2, 1, 1, 2, 4, ...: 0, 1, 2, 4, 5, 6, 8, 12, ...

    Most steps are small, with a large one now and then. The multiples grow a little faster than
    those of `Monotonic`.

    Examples
    --------
    >>> from itertools import islice
    >>> from beamtree.schedules import Luby
    >>> list(islice(Luby().multiples(), 8))
    [0, 1, 2, 4, 5, 6, 8, 12]
    """

    name = "luby"

    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the rule's unit. The sequence never ends."""
        return accumulate(self._steps(), initial=0)

    @staticmethod
    def _steps() -> Iterator[int]:
        """Yield Luby's sequence, computed by Knuth's "reluctant doubling"."""
        u, v = 1, 1
        while True:
            yield v
            u, v = (u + 1, 1) if u & -u == v else (u, 2 * v)


@dataclass(frozen=True)
class Sequence(_Schedule):
    """Use multiples of your own.

    After the last of them the multiples grow by the last increment, but by at least 1.

    Parameters
    ----------
    steps : sequence of numbers
        Multiples of the rule's unit, one per pass. They must be at least 0, and each must be
        larger than the one before. ``schedule=`` also accepts a tuple or a list of numbers
        directly.

    Examples
    --------
    >>> from itertools import islice
    >>> from beamtree.schedules import Sequence
    >>> list(islice(Sequence((0, 1, 5, 25)).multiples(), 6))
    [0, 1, 5, 25, 45, 65]
    """

    name = "sequence"

    steps: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check the steps, and store them as a tuple."""
        if isinstance(self.steps, Iterable):
            object.__setattr__(self, "steps", tuple(self.steps))
        _STEPS.check("Sequence.steps", self.steps)

    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the rule's unit. The sequence never ends."""
        yield from self.steps
        increment = max(self.steps[-1] - self.steps[-2], 1) if len(self.steps) > 1 else 1
        yield from count(self.steps[-1] + increment, increment)


def _grows(steps: Any) -> bool:
    return (
        isinstance(steps, tuple)
        and len(steps) > 0
        and all(is_number(step) and 0 <= step < inf for step in steps)
        and all(step < following for step, following in pairwise(steps))
    )


_STEPS = Allowed("a sequence of one or more finite, increasing numbers of at least 0", _grows)
