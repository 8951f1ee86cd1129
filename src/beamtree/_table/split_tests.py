"""Tests of columns, one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.columns import Columns
from beamtree._table.wording import words_of_test
from beamtree.tree import exact_number


@dataclass(frozen=True, eq=False)
class SplitTests:
    """Tests of columns.

    A test holds if the value is at most the threshold, or if it is one of the categories; otherwise
    it fails. A missing value passes a test if `missing_go_to_left` is 1. The threshold infinity,
    which missing values fail, separates known values from missing ones.

    Parameters
    ----------
    column : ndarray of intp, shape (n_tests,)
        The tested column.
    threshold : ndarray of float64, shape (n_tests,)
        The threshold, or NaN for a test of categories.
    categories : ndarray of object, shape (n_tests,)
        A sorted tuple of the positions of the tested categories among those of the column, or None
        for a threshold.
    missing_go_to_left : ndarray of uint8, shape (n_tests,)
        1 if a missing value passes the test.
    exact_threshold : ndarray of object, shape (n_tests,)
        The threshold for integers if the column has integers, otherwise None.
    value_below, value_above : ndarray of object, shape (n_tests,)
        The two values of the column that are the neighbours of a finite threshold, otherwise None.
    """

    column: NDArray[np.intp]
    threshold: NDArray[np.float64]
    categories: NDArray[np.object_]
    missing_go_to_left: NDArray[np.uint8]
    exact_threshold: NDArray[np.object_]
    value_below: NDArray[np.object_]
    value_above: NDArray[np.object_]

    def __len__(self) -> int:
        """Return the number of tests."""
        return len(self.column)

    @property
    def asks_if_missing(self) -> NDArray[np.bool_]:
        """Whether each test separates known values from missing ones."""
        return np.isposinf(self.threshold)

    def words(self, columns: Columns) -> list[str]:
        """Return the tests in words.

        Parameters
        ----------
        columns : Columns
            The columns of the table.

        Returns
        -------
        list of str
            For example ``"age <= 34.5"``, ``"age <= 34.5 or missing"``, ``"colour == red"``,
            ``"colour in (blue, red)"``, ``"age is missing"``. No two are equal.
        """
        words = [self._words(number, columns) for number in range(len(self))]
        times = Counter(words)
        # Neighbouring thresholds may be equal when rounded.
        return [
            short if times[short] == 1 else self._words(number, columns, exact=True)
            for number, short in enumerate(words)
        ]

    def _words(self, number: int, columns: Columns, **options: Any) -> str:
        return words_of_test(
            columns,
            int(self.column[number]),
            exact_number(float(self.threshold[number]), self.exact_threshold[number]),
            self.categories[number],
            missing_go_to_left=bool(self.missing_go_to_left[number]),
            between=(self.value_below[number], self.value_above[number]),
            **options,
        ).holds
