"""The tests from which a search chooses, counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["SearchSpace"]

# Up to this many incomplete columns are described one by one.
MOST_NAMES = 3
# Tests of single categories separate all subsets of up to this many categories.
FEW_CATEGORIES = 3


@dataclass(frozen=True, repr=False)
class SearchSpace:
    """The tests from which a search chooses the splits of its tree, counted for each column.

    Parameters
    ----------
    names : tuple of str
        Names of the columns.
    tests_per_column : tuple of int
        Number of tests of each column among which the search chooses.
    possible_per_column : tuple of int
        Number of possible tests of each column. In a column of numbers or of ordered categories,
        these are a threshold between every two neighbouring values, and those that ask whether a
        value is missing. In a column of categories without an order, they are all divisions of the
        categories, and of missing values, into two sides; more than 2**1000 are not counted.
    categories_per_column : tuple of int, optional
        Number of categories of each column that are tested, if they have no order; 0 for other
        columns. By default no column has such categories.
    possible_categories_per_column : tuple of int, optional
        Number of categories of each column without an order; 0 for other columns.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> X = [[age, "smokes" if age % 3 else "does not"] for age in range(20, 80)]
    >>> y = [age > 47 for age, _ in X]
    >>> clf = OptimalTreeClassifier(max_depth=1, max_thresholds=32).fit(X, y)
    >>> print(clf.search_space_)
    34 tests: every threshold and category of 'x1', 33 of the 59 tests of 'x0'
    >>> clf.search_space_.n_tests, clf.search_space_.lossless
    (34, False)

    Besides 32 thresholds at quantiles, `x0` keeps the one of the greedy tree. A column of more than
    three categories without an order has groups of categories by class share, not all groups:

    >>> X = [["Basel"], ["Bern"], ["Genf"], ["Zug"], ["Bern"]]
    >>> clf = OptimalTreeClassifier(max_depth=1).fit(X, [0, 1, 0, 1, 1])
    >>> print(clf.search_space_)
    5 tests: groups by class share of the 4 categories of 'x0'
    >>> clf.search_space_.possible_per_column
    (7,)
    """

    names: tuple[str, ...]
    tests_per_column: tuple[int, ...]
    possible_per_column: tuple[int, ...]
    categories_per_column: tuple[int, ...] = ()
    possible_categories_per_column: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Fill in the numbers of categories if they were not given."""
        for name in ("categories_per_column", "possible_categories_per_column"):
            if not getattr(self, name):
                object.__setattr__(self, name, (0,) * len(self.names))

    @property
    def n_tests(self) -> int:
        """Number of tests in the search."""
        return sum(self.tests_per_column)

    @property
    def lossless(self) -> bool:
        """Whether the search has all possible tests."""
        return self.tests_per_column == self.possible_per_column

    @property
    def limited(self) -> frozenset[str]:
        """What limits the tests of some column.

        Contains ``"thresholds"`` and ``"categories"`` if there are too many of them in a column, so
        that not all are tested, and ``"groups"`` if not all groups of categories are tested.
        """
        return frozenset(limit for j in range(len(self.names)) for limit in self._limits(j))

    def _limits(self, j: int) -> Iterator[str]:
        if self.tests_per_column[j] == self.possible_per_column[j]:
            return
        tested, every = self.categories_per_column[j], self.possible_categories_per_column[j]
        if every == 0:
            yield "thresholds"
        if tested < every:
            yield "categories"
        if tested > FEW_CATEGORIES:
            yield "groups"

    def __str__(self) -> str:
        """Return the number of tests, and of which columns these are all."""
        counts = zip(self.tests_per_column, self.possible_per_column, strict=True)
        partial = [j for j, (some, every) in enumerate(counts) if some < every]
        parts = []
        if len(partial) < len(self.names):
            whole = [j for j in range(len(self.names)) if j not in set(partial)]
            parts.append(f"every threshold and category of {self._columns(whole)}")
        numbers = [j for j in partial if self.possible_categories_per_column[j] == 0]
        categories = [j for j in partial if self.possible_categories_per_column[j]]
        if len(numbers) <= MOST_NAMES:
            parts += [self._tests([j]) for j in numbers]
        else:
            parts.append(self._tests(numbers))
        if len(categories) <= MOST_NAMES:
            parts += [self._categories(j) for j in categories]
        else:
            parts.append(f"groups of categories by class share of {self._columns(categories)}")
        if len(parts) == 1 and numbers:
            return parts[0]
        noun = "test" if self.n_tests == 1 else "tests"
        return f"{self.n_tests:,} {noun}: {', '.join(parts)}"

    def __repr__(self) -> str:
        """Return the same text with the name of the class."""
        return f"SearchSpace({self})"

    def _tests(self, columns: list[int]) -> str:
        some = sum(self.tests_per_column[j] for j in columns)
        every = sum(self.possible_per_column[j] for j in columns)
        return f"{some:,} of the {every:,} tests of {self._columns(columns)}"

    def _categories(self, j: int) -> str:
        tested, every = self.categories_per_column[j], self.possible_categories_per_column[j]
        some = f"the {every:,}" if tested == every else f"{tested:,} of the {every:,}"
        groups = "groups by class share of " if tested > FEW_CATEGORIES else ""
        return f"{groups}{some} categories of {self.names[j]!r}"

    def _columns(self, numbers: list[int]) -> str:
        return repr(self.names[numbers[0]]) if len(numbers) == 1 else f"{len(numbers):,} columns"
