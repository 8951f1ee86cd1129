"""Which tests a search ranges over."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SearchSpace"]

# Columns that are named one by one.
MOST_NAMES = 3


@dataclass(frozen=True, repr=False)
class SearchSpace:
    """The tests that a search chooses from: what "optimal" means.

    Parameters
    ----------
    names : tuple of str
        Names of the columns.
    tests_per_column : tuple of int
        Number of tests of each column that are searched.
    possible_per_column : tuple of int
        Number of tests that each column has: one between every two neighbouring values, one a
        category, one for missing values.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> X = [[age, "smokes" if age % 3 else "does not"] for age in range(20, 80)]
    >>> y = [age > 47 for age, _ in X]
    >>> clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    >>> print(clf.search_space_)
    optimal over 33 tests: every distinct value of 'x1', 32 of the 59 tests of 'x0'
    >>> clf.search_space_.n_tests, clf.search_space_.lossless
    (33, False)
    """

    names: tuple[str, ...]
    tests_per_column: tuple[int, ...]
    possible_per_column: tuple[int, ...]

    @property
    def n_tests(self) -> int:
        """Number of tests."""
        return sum(self.tests_per_column)

    @property
    def lossless(self) -> bool:
        """Whether they are all the tests that there are."""
        return self.tests_per_column == self.possible_per_column

    def __str__(self) -> str:
        """Say what a tree is optimal over."""
        counts = zip(self.names, self.tests_per_column, self.possible_per_column, strict=True)
        partial = [(name, some, every) for name, some, every in counts if some < every]
        parts = []
        if len(partial) < len(self.names):
            listed = {name for name, _, _ in partial}
            whole = [name for name in self.names if name not in listed]
            parts.append(f"every distinct value of {_columns(whole)}")
        if 0 < len(partial) <= MOST_NAMES:
            parts += [
                f"{some:,} of the {every:,} tests of {name!r}" for name, some, every in partial
            ]
        elif partial:
            names, some, every = zip(*partial, strict=True)
            parts.append(f"{sum(some):,} of the {sum(every):,} tests of {_columns(names)}")
        noun = "test" if self.n_tests == 1 else "tests"
        return f"optimal over {self.n_tests:,} {noun}: {', '.join(parts)}"

    def __repr__(self) -> str:
        """Say the same, and that it is a search space."""
        return f"SearchSpace({self})"


def _columns(names: tuple[str, ...] | list[str]) -> str:
    return repr(names[0]) if len(names) == 1 else f"{len(names):,} columns"
