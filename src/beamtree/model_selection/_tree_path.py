"""What the paths of trees share: their table, their picture, and the searches for their trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.settings import SEARCH, Settings
from beamtree._resume.initial_tree import make_engine
from beamtree._table.columns import Columns
from beamtree._table.training_data import TrainingData
from beamtree._util.optional import import_optional
from beamtree.model_selection._hull import Solved
from beamtree.tree import Tree

# The largest number of characters in a line of the title of a plot.
TITLE_ACROSS = 64
# The settings that no path takes: it sets them itself, or it is no search that could be followed.
# Of equally good trees, a path needs any one: smaller ones have a place of their own in it.
NOT_ALLOWED = (
    "max_depth",
    "leaf_penalty",
    "tie_break",
    "callback",
    "verbose",
    "checkpoint",
    "checkpoint_every",
)


@dataclass(frozen=True, eq=False, repr=False)
class TreePath:
    """Trees of one table that go from few leaves to many; the classes below say which.

    Parameters
    ----------
    table, trees, status, max_depth, seconds, columns, classes, proof
        As in `PenaltyPath`.
    """

    # The column of the table with which a plot is labelled.
    _across: ClassVar[str]

    table: NDArray[np.void]
    trees: tuple[Tree, ...]
    status: str
    max_depth: int | None
    seconds: float
    columns: Columns
    classes: NDArray[Any]
    proof: str

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.trees)

    def to_frame(self) -> Any:
        """Return the table as a pandas.DataFrame.

        Returns
        -------
        DataFrame
            One row per tree.
        """
        try:
            import pandas as pd
        except ImportError as error:
            msg = "to_frame() needs pandas: pip install pandas"
            raise ImportError(msg) from error
        return pd.DataFrame({name: self.table[name] for name in self.table.dtype.names or ()})

    def plot(self, ax: Any = None) -> Any:
        """Draw the errors and their lower bounds against the numbers of leaves.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Axes to draw on. None creates a new figure.

        Returns
        -------
        Axes
            The axes with the drawing.
        """
        pyplot = import_optional("matplotlib.pyplot", "plot", "plot")
        if ax is None:
            _, ax = pyplot.subplots(figsize=(6, 4), layout="constrained")
        leaves, errors, bound = (
            self.table[name] for name in (self._across, "error", "lower_bound")
        )
        ax.plot(leaves, errors, "o-", color="C0", label="error")
        if (bound < errors).any():
            ax.fill_between(leaves, bound, errors, color="C0", alpha=0.2, label="not yet proved")
            ax.legend()
        ax.set_ylim(bottom=0.0)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("leaves")
        ax.set_ylabel("error")
        ax.set_title("\n".join(wrap(self.proof, TITLE_ACROSS)))
        return ax


def allowed_parameters(*own: str) -> list[str]:
    """Return the further parameters of a path, which are settings of its searches.

    Parameters
    ----------
    *own : str
        Settings that the path has as parameters of its own.

    Returns
    -------
    list of str
        The names.
    """
    return [name for name in SEARCH if name not in (*NOT_ALLOWED, *own)]


def check_parameters(function: str, params: dict[str, Any], allowed: Sequence[str]) -> None:
    """Raise a TypeError if a function does not take one of the given parameters."""
    for name in params:
        if name not in allowed:
            msg = f"{function}() takes no parameter {name!r}; allowed are {allowed}"
            raise TypeError(msg)


def solved(data: TrainingData, settings: Settings, seconds: float) -> Solved:
    """Return the result of one search.

    Parameters
    ----------
    data : TrainingData
        The rows.
    settings : Settings
        The settings, which have been checked.
    seconds : float
        Largest duration of the search; it gives a greedy tree even with no time.

    Returns
    -------
    Solved
        The tree, and the bounds in the integers of the search.
    """
    engine = make_engine(data, settings, allowance=MemoryAllowance(settings.memory_limit))
    with engine.interrupts:
        engine.run(max(seconds, 0.0))
        result = engine.result()
    engine.interrupts.raise_if_pressed(settings.on_interrupt)
    leaves = int((engine.outcome.feature < 0).sum())
    return Solved(engine.found(), result.cost, result.lower, engine.problem, leaves, result.status)


def path_status(ends: Sequence[str], *, proved: bool) -> str:
    """Return the status of a path.

    Parameters
    ----------
    ends : sequence of str
        The statuses of its searches, in the order in which they were run.
    proved : bool
        Whether all trees are proved to be optimal.

    Returns
    -------
    str
        ``"optimal"``, or why the last search without a proof ended.
    """
    if proved:
        return "optimal"
    return next((status for status in reversed(ends) if status != "optimal"), "gap_reached")
