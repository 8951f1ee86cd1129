"""The tests from which a search chooses, counted."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SearchSpace"]

# Up to this many incomplete columns are described one by one.
MOST_NAMES = 3


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
        Number of possible tests of each column: those with a threshold between two neighbouring
        values, one per category, and those that ask whether a value is missing.

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

    Besides 32 thresholds at quantiles, `x0` keeps the one of the greedy tree.
    """

    names: tuple[str, ...]
    tests_per_column: tuple[int, ...]
    possible_per_column: tuple[int, ...]

    @property
    def n_tests(self) -> int:
        """Number of tests in the search."""
        return sum(self.tests_per_column)

    @property
    def lossless(self) -> bool:
        """Whether the search has all possible tests."""
        return self.tests_per_column == self.possible_per_column

    def __str__(self) -> str:
        """Return the number of tests, and of which columns these are all."""
        counts = zip(self.names, self.tests_per_column, self.possible_per_column, strict=True)
        partial = [(name, some, every) for name, some, every in counts if some < every]
        parts = []
        if len(partial) < len(self.names):
            listed = {name for name, _, _ in partial}
            whole = [name for name in self.names if name not in listed]
            parts.append(f"every threshold and category of {_columns(whole)}")
        if 0 < len(partial) <= MOST_NAMES:
            parts += [
                f"{some:,} of the {every:,} tests of {name!r}" for name, some, every in partial
            ]
        elif partial:
            names, some, every = zip(*partial, strict=True)
            parts.append(f"{sum(some):,} of the {sum(every):,} tests of {_columns(names)}")
        if len(parts) == 1 and partial:
            return parts[0]
        noun = "test" if self.n_tests == 1 else "tests"
        return f"{self.n_tests:,} {noun}: {', '.join(parts)}"

    def __repr__(self) -> str:
        """Return the same text with the name of the class."""
        return f"SearchSpace({self})"


def _columns(names: tuple[str, ...] | list[str]) -> str:
    return repr(names[0]) if len(names) == 1 else f"{len(names):,} columns"
