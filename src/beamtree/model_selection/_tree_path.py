"""What the paths of trees share: their table, their picture, and the searches for their trees."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, ClassVar

import numpy as np
from numpy.lib.recfunctions import append_fields
from numpy.typing import NDArray

from beamtree._engine.limits import Limits
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.native import leaf_limit
from beamtree._engine.proof import (
    bound_words,
    cost_words,
    objective_words,
    proof_line,
    reward_words,
    squares_words,
)
from beamtree._engine.recount import Recounted
from beamtree._engine.settings import CLASSIFIER, LEAVES, POLICY, REGRESSOR, SEARCH, Settings
from beamtree._resume.initial_tree import make_engine
from beamtree._sklearn.leaf_smoothing import smoothed
from beamtree._table.columns import Columns
from beamtree._table.row_costs import names_of_actions
from beamtree._table.training_data import ESTIMATORS, Predicted, TrainingData
from beamtree._util.html import html_table
from beamtree._util.optional import import_optional
from beamtree._util.validation import or_none
from beamtree.alternatives import ALTERNATIVE_DTYPE, Alternatives
from beamtree.classifier import OptimalTreeClassifier
from beamtree.model_selection._hull import Solved
from beamtree.objectives import Objective
from beamtree.policy import OptimalPolicyTree
from beamtree.regressor import OptimalTreeRegressor
from beamtree.result import TRACE_DTYPE, relative_gap
from beamtree.search_space import SearchSpace
from beamtree.tree import Tree

# The largest number of characters in a line of the title of a plot.
TITLE_ACROSS = 64
# The largest number of trees that a repr shows.
MOST_ROWS = 24
# Along what categories are grouped, in words.
GROUPED_BY: dict[Predicted, str] = {
    "labels": "class share",
    "numbers": "mean",
    "actions": "share of the best action",
}
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


@dataclass(frozen=True, eq=False)
class Origin:
    """The search that a path comes from.

    Parameters
    ----------
    settings : Settings
        The settings that all trees of the path share.
    limits : Limits
        The limits of the path.
    search_space : SearchSpace
        The tests that were searched.
    names : tuple of str or None
        The names of the columns of the table, if it had any.
    rounding : float
        Largest difference of the error of a tree that is proved to be optimal and its bound.
    """

    settings: Settings
    limits: Limits
    search_space: SearchSpace
    names: tuple[str, ...] | None
    rounding: float


@dataclass(frozen=True, eq=False, repr=False)
class TreePath(ABC):
    """Trees of one table that go from few leaves to many; the classes below say which.

    Parameters
    ----------
    table, trees, status, max_depth, seconds, columns, classes, proof
        As in `PenaltyPath`.
    origin : Origin
        The search that the path comes from.
    """

    # The column of the table with the limit of leaves, to which a plot relates the errors.
    _across: ClassVar[str]
    # The names of the columns that are shown, with their widths in text.
    _shown: ClassVar[tuple[tuple[str, int], ...]]

    table: NDArray[np.void]
    trees: tuple[Tree, ...]
    status: str
    max_depth: int | None
    seconds: float
    columns: Columns
    classes: NDArray[Any]
    proof: str
    origin: Origin

    def __len__(self) -> int:
        """Return the number of trees."""
        return len(self.trees)

    def __repr__(self) -> str:
        """Return what is proved, and the table as text."""
        rows = [self._head(), *map(self._cells, self.table[:MOST_ROWS])]
        lines = [
            "  ".join(f"{cell:>{width}}" for cell, (_, width) in zip(row, self._shown, strict=True))
            for row in rows
        ]
        return "\n".join([self.proof, *lines, *self._left_out()])

    def _repr_html_(self) -> str:
        """Return what is proved, and the table."""
        more = "".join(f"<p>{words}</p>" for words in self._left_out())
        return html_table(self.proof, self._head(), map(self._cells, self.table[:MOST_ROWS])) + more

    @property
    def _predicted(self) -> Predicted:
        """What the leaves of the trees are."""
        if self.trees[0].predicts_numbers:
            return "numbers"
        return "labels" if self.trees[0].reward is None else "actions"

    def _head(self) -> list[str]:
        """Return the names of the columns that are shown; a policy has rewards."""
        other = {"error": "reward", "lower bound": "upper bound"}
        other = other if self._predicted == "actions" else {}
        return [other.get(name, name) for name, _ in self._shown]

    def _bounds(self, row: np.void) -> list[str]:
        """Return the error of a tree, or its reward, and the bound on it, as they are shown."""
        of_rewards = self._predicted == "actions"
        names = ("reward", "reward_bound") if of_rewards else ("error", "lower_bound")
        return [f"{row[name]:.6g}" for name in names]

    def _left_out(self) -> list[str]:
        left = len(self) - MOST_ROWS
        return [f"... and {left} more"] if left > 0 else []

    @abstractmethod
    def _cells(self, row: np.void) -> list[str]:
        """Return what is shown of a row of the table."""

    def classifier(self, max_leaf_nodes: int | None = None) -> OptimalTreeClassifier:
        """Return a classifier that is fitted with a tree of the path.

        It predicts, and it can be printed, plotted and exported like any other. Its parameter
        `max_leaf_nodes` is the number of leaves of the tree, so that `fit` on the same table looks
        for the same tree. The path is what is known of its search: `trace_` has one row, and there
        are no `alternatives_`.

        Parameters
        ----------
        max_leaf_nodes : int or None, default=None
            Largest number of leaves of the tree. None means the last tree of the path.

        Returns
        -------
        OptimalTreeClassifier
            The best classifier of the path with at most this number of leaves.

        Examples
        --------
        >>> from beamtree import export_text, leaf_path
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> path = leaf_path(X, [0, 1, 1, 1], max_leaf_nodes=4, max_depth=2)
        >>> clf = path.classifier(1)
        >>> clf.proof_
        'Proved optimal with at most 1 leaf: 1 error'
        >>> print(export_text(path.classifier(3)))
        x0?
          yes: 1 (2 rows, 100%)
          no: x1?
            yes: 1 (1 row, 100%)
            no: 0 (1 row, 100%)
        """
        fitted: OptimalTreeClassifier = self._estimator(max_leaf_nodes, "labels")
        return fitted

    def regressor(self, max_leaf_nodes: int | None = None) -> OptimalTreeRegressor:
        """Return a regressor that is fitted with a tree of the path, if that is of a regression.

        Parameters
        ----------
        max_leaf_nodes : int or None, default=None
            As in `classifier`.

        Returns
        -------
        OptimalTreeRegressor
            The best regressor of the path with at most this number of leaves.

        Examples
        --------
        >>> from beamtree import leaf_path
        >>> path = leaf_path([[0], [1], [2]], [0.5, 0.5, 2.0], regression=True, max_leaf_nodes=2)
        >>> path.regressor(2).predict([[0], [2]])
        array([0.5, 2. ])
        """
        fitted: OptimalTreeRegressor = self._estimator(max_leaf_nodes, "numbers")
        return fitted

    def policy_tree(self, max_leaf_nodes: int | None = None) -> OptimalPolicyTree:
        """Return a policy tree that is fitted with a tree of the path, if that is of policies.

        Parameters
        ----------
        max_leaf_nodes : int or None, default=None
            As in `classifier`.

        Returns
        -------
        OptimalPolicyTree
            The best policy tree of the path with at most this number of leaves.

        Examples
        --------
        >>> from beamtree import leaf_path
        >>> X, rewards = [[25], [31], [47], [62]], [[0, 3], [0, 2], [0, -1], [0, -4]]
        >>> path = leaf_path(X, rewards, policy=True, actions=["none", "treat"], max_leaf_nodes=2)
        >>> path.policy_tree(2).predict([[28], [55]])
        array(['treat', 'none'], dtype='<U5')
        """
        fitted: OptimalPolicyTree = self._estimator(max_leaf_nodes, "actions")
        return fitted

    def _estimator(self, max_leaf_nodes: int | None, wanted: Predicted) -> Any:
        """Return an estimator that is fitted with a tree of the path."""
        if (found := self._predicted) != wanted:
            msg = f"the trees of this path predict {found}: use {ESTIMATORS[found]}()"
            raise ValueError(msg)
        or_none(LEAVES).check("max_leaf_nodes", max_leaf_nodes)
        most = np.inf if max_leaf_nodes is None else max_leaf_nodes
        number = int(np.flatnonzero(self.table[self._across] <= most)[-1])
        row = self.table[number]
        settings = replace(
            self.origin.settings, max_leaf_nodes=int(row[self._across]), tie_break="small"
        )
        names = {"labels": CLASSIFIER, "numbers": REGRESSOR, "actions": POLICY}[wanted]
        taken = {name: value for name, value in settings.identity().items() if name in names}
        tree = self.trees[number]
        estimator: Any
        if wanted == "labels":
            estimator = OptimalTreeClassifier(**taken)
            tree = smoothed(tree, estimator.leaf_smoothing)
        elif wanted == "numbers":
            estimator = OptimalTreeRegressor(**taken)
        else:
            estimator = OptimalPolicyTree(**taken, actions=names_of_actions(self.classes))
        for name, value in self._attributes(row, tree, settings).items():
            setattr(estimator, name, value)
        return estimator

    def _attributes(self, row: np.void, tree: Tree, settings: Settings) -> dict[str, Any]:
        """Return the attributes of an estimator that is fitted with a tree of the path."""
        status, n_errors = str(row["status"]), int(row["n_errors"])
        error, lower_bound = float(row["error"]), float(row["lower_bound"])
        n_rows = int(tree.n_node_samples[0])
        known = error if status == "optimal" else lower_bound
        predicted = self._predicted
        if isinstance(settings.criterion, Objective):
            words = cost_words(settings.criterion.name, error, known)
        elif predicted == "numbers":
            words = squares_words("squared error", error, known, self._explained(error))
        elif predicted == "actions":
            reward = float(row["reward"])
            words = reward_words(reward, reward + (error - known), penalised=False)
        else:
            counts = settings.cost_matrix is None and error == n_errors
            counts = counts and float(tree.weighted_n_node_samples[0]) == n_rows
            words = objective_words(error, known, counts_errors=counts)
        space = self.origin.search_space
        proof = proof_line(
            status,
            words,
            up_to=0.0 if predicted == "numbers" else error - lower_bound,
            limits=self.origin.limits,
            max_leaf_nodes=leaf_limit(settings, n_rows),
            bound=bound_words(space, settings.max_thresholds, GROUPED_BY[predicted]),
        )
        trace = np.array([(self.seconds, 0, error, lower_bound, 0, np.inf)], dtype=TRACE_DTYPE)
        attributes = {
            "columns_": self.columns,
            "search_space_": space,
            "status_": status,
            "proof_": proof,
            "objective_": error,
            "lower_bound_": lower_bound,
            "gap_": relative_gap(error, lower_bound),
            "n_leaves_bound_": 1,
            "rounding_": self.origin.rounding,
            "trace_": trace,
            "tree_": tree,
            "statistics_": {},
            "alternatives_": Alternatives(np.empty(0, dtype=ALTERNATIVE_DTYPE), self.columns),
            "n_features_in_": len(self.columns.names),
        }
        if predicted == "actions":
            attributes |= {
                "actions_": self.classes,
                "n_actions_": len(self.classes),
                "reward_": float(row["reward"]),
                "reward_bound_": float(row["reward_bound"]),
                "regret_": error,
            }
        elif predicted == "labels":
            attributes |= {
                "classes_": self.classes,
                "n_classes_": len(self.classes),
                "n_errors_": n_errors,
            }
        if self.origin.names is not None:
            attributes["feature_names_in_"] = np.array(self.origin.names, dtype=object)
        return attributes

    def _explained(self, error: float) -> float:
        """Return R² of a tree that predicts numbers, given its squared error."""
        single = float(self.table["error"][0])  # the first tree of a path is a single leaf
        return 1.0 - error / single if single > 0.0 else 1.0

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
        """Draw the errors, or regrets, and their lower bounds against the numbers of leaves.

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
        name = "regret" if self._predicted == "actions" else "error"
        ax.plot(leaves, errors, "o-", color="C0", label=name)
        if (bound < errors).any():
            ax.fill_between(leaves, bound, errors, color="C0", alpha=0.2, label="not yet proved")
            ax.legend()
        ax.set_ylim(bottom=0.0)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("leaves")
        ax.set_ylabel(name)
        ax.set_title("\n".join(wrap(self.proof, TITLE_ACROSS)))
        return ax


def mistakes(found: Recounted) -> int:
    """Return the number of mistakes of a tree in a table; -1 if it does not predict labels."""
    counted = found.n_errors if found.reward is None else None
    return -1 if counted is None else counted


def with_rewards(table: NDArray[np.void], found: Sequence[Recounted]) -> NDArray[np.void]:
    """Add the total rewards of policies, and their upper bounds, to the table of a path.

    Parameters
    ----------
    table : ndarray
        The table.
    found : sequence of Recounted
        The trees of its rows.

    Returns
    -------
    ndarray
        The table with these two columns; the same table if the trees are no policies.
    """
    if found[0].reward is None:
        return table
    reward = np.array([one.reward for one in found])
    bound = reward + (table["error"] - table["lower_bound"])
    wider: NDArray[np.void] = append_fields(
        table, ("reward", "reward_bound"), (reward, bound), usemask=False
    )
    return wider


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
