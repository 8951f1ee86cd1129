"""Schedules: how fast a rule is relaxed from pass to pass.

A schedule is a sequence of multiples of the rule's unit: the threshold of a pass is the rule's
start plus its unit times the multiple. Multiples that would admit nothing new are passed over.
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
    """What schedules share."""

    name: ClassVar[str]

    @abstractmethod
    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the unit, without end."""


@dataclass(frozen=True)
class Monotonic(_Schedule):
    """One unit a pass: 0, 1, 2, 3, ...

    Never goes far beyond what is needed, but takes many passes to get far.

    Examples
    --------
    >>> from itertools import islice
    >>> from beamtree.schedules import Monotonic
    >>> list(islice(Monotonic().multiples(), 6))
    [0, 1, 2, 3, 4, 5]
    """

    name = "monotonic"

    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the unit, without end."""
        return count()


@dataclass(frozen=True)
class Exponential(_Schedule):
    """Doubles from pass to pass: 0, 1, 2, 4, 8, ...

    Few passes; the last may go far beyond what is needed.

    Examples
    --------
    >>> from itertools import islice
    >>> from beamtree.schedules import Exponential
    >>> list(islice(Exponential().multiples(), 6))
    [0, 1, 2, 4, 8, 16]
    """

    name = "exponential"

    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the unit, without end."""
        yield 0
        multiple = 1
        while True:
            yield multiple
            multiple *= 2


@dataclass(frozen=True)
class Luby(_Schedule):
    """Running sums of Luby's sequence 1, 1, 2, 1, 1, 2, 4, ...: 0, 1, 2, 4, 5, 6, 8, 12, ...

    Mostly small steps, a large one now and then: grows a little faster than `Monotonic`.

    Examples
    --------
    >>> from itertools import islice
    >>> from beamtree.schedules import Luby
    >>> list(islice(Luby().multiples(), 8))
    [0, 1, 2, 4, 5, 6, 8, 12]
    """

    name = "luby"

    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the unit, without end."""
        return accumulate(self._steps(), initial=0)

    @staticmethod
    def _steps() -> Iterator[int]:
        """Knuth's reluctant doubling."""
        u, v = 1, 1
        while True:
            yield v
            u, v = (u + 1, 1) if u & -u == v else (u, 2 * v)


@dataclass(frozen=True)
class Sequence(_Schedule):
    """A sequence of your own; after its end the last increment repeats, or 1 if that is less.

    Parameters
    ----------
    steps : sequence of numbers
        Multiples of the unit, at least 0, each above the one before; the first is for the first
        pass. In place of ``schedule=Sequence(steps)`` a tuple or a list of them does as well.

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
        """Check the steps, and keep them as a tuple."""
        if isinstance(self.steps, Iterable):
            object.__setattr__(self, "steps", tuple(self.steps))
        _STEPS.check("Sequence.steps", self.steps)

    def multiples(self) -> Iterator[float]:
        """Yield the multiples of the unit, without end."""
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


_STEPS = Allowed("one or more finite numbers of at least 0 that increase", _grows)
