"""The settings of a search, each declared once: its default, its allowed values and its meaning.

`OptimalTreeClassifier`, `OptimalTreeRegressor` and `Search` take these settings as parameters.
Everything else that has to know them derives its knowledge from `Settings` and `SETTINGS`: the
validation, the engine, the settings that a checkpoint stores, the options of ``beamtree fit`` and
the table in docs/settings.md.

To add a setting: 1. declare it here; 2. add it to the ``__init__`` and the docstring of the classes
that take it; 3. use it; 4. run ``python docs/make_settings.py``. If it is a setting of the problem
or the strategy: 5. give its unique form in ``_PLAIN`` of _resume/fingerprint.py; 6. raise
``VERSION`` in _resume/checkpoint_file.py. Tests compare all places except the version.

The command line imports this module before it can handle Ctrl-C, so it must not import NumPy.
"""
# ruff: noqa: RUF009 (`_declare` returns a field)

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from math import inf
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

from beamtree import _core
from beamtree._engine.memory import MEMORY_OR_NONE
from beamtree._engine.strategy import (
    HEURISTIC,
    RULE,
    SCHEDULE,
    HeuristicLike,
    RuleLike,
    ScheduleLike,
)
from beamtree._util.validation import (
    BOOLEAN,
    LEAF_SIZE,
    POSITIVE,
    SECONDS_OR_NONE,
    VERBOSITY,
    Allowed,
    finite,
    integer,
    is_kind,
    is_number,
    or_none,
)
from beamtree.cancel import CancelToken

if TYPE_CHECKING:
    from beamtree.result import Incumbent

# Called with the incumbent at every improvement; a true return value ends the search.
Callback = Callable[["Incumbent"], object]

# What a setting is about. Searches whose problem or strategy differ are different searches: a
# checkpoint stores these settings. Control settings say how far a search goes and who follows it.
Part = Literal["problem", "strategy", "control"]
# Who takes a setting as a parameter.
Taker = Literal["classifier", "regressor", "search"]
ESTIMATORS: tuple[Taker, ...] = ("classifier", "regressor")
OF_CLASSES: tuple[Taker, ...] = ("classifier", "search")


def _range_of(option: str) -> Allowed:
    """Return the integers that an option of the core may have."""
    declared = _core.OPTIONS[option]
    return integer(declared.least, declared.most)


# The depths that are limits; a search of a price per leaf, or of a number of leaves, may have none.
DEPTH = _range_of("max_depth")
# The numbers of leaves that are limits.
LEAVES = integer(1)
# The largest limit of leaves with which trees may have any depth.
MOST_LEAVES_OF_ANY_DEPTH = 121


def _is_class_weight(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(is_number(weight) and 0.0 <= weight < inf for weight in value.values())
    return value is None or (isinstance(value, str) and value == "balanced")


def _is_cost_matrix(value: Any) -> bool:
    from beamtree._engine.costs import as_costs

    return value is None or as_costs(value) is not None


CLASS_WEIGHT = Allowed(
    "None, 'balanced', or a dict from labels to finite numbers of at least 0",
    _is_class_weight,
)
COST_MATRIX = Allowed("None or a square table of finite numbers of at least 0", _is_cost_matrix)
# Which objects hold a tree is known in _resume/initial_tree.py, whose `check_init` does the rest.
INIT = Allowed(
    "None, a fitted DecisionTreeClassifier, ExtraTreeClassifier or OptimalTreeClassifier, or a "
    "Tree, Incumbent or Result",
    lambda _: True,
)
CALLBACK = Allowed("None or a callable", lambda value: value is None or callable(value))
CANCEL = Allowed(
    "None or a beamtree.CancelToken",
    lambda value: value is None or isinstance(value, CancelToken),
)
ON_INTERRUPT = Allowed(
    "'auto', 'keep' or 'raise'",
    lambda value: isinstance(value, str) and value in ("auto", "keep", "raise"),
)
JOBS = Allowed(
    "None or an integer other than 0",
    lambda value: value is None or (is_kind(Integral, value) and value != 0),
)
TIE_BREAK = Allowed(
    "'any', 'small' or 'smallest'",
    lambda value: isinstance(value, str) and value in ("any", "small", "smallest"),
)


def _is_criterion(value: Any) -> bool:
    if isinstance(value, str):
        return value == "squared_error"
    from beamtree.objectives import Objective

    return isinstance(value, Objective)


CRITERION = Allowed(
    "'squared_error' or an object of a class that is derived from beamtree.objectives.Objective",
    _is_criterion,
)
LEAF_SMOOTHING = Allowed(
    "None, 'laplace' or a finite number of at least 0",
    lambda value: (
        value == "laplace" if isinstance(value, str) else value is None or finite(0.0).test(value)
    ),
)
PATH = Allowed("the path of a file", lambda value: isinstance(value, str | os.PathLike))


def _declare(
    default: Any,
    allowed: Allowed,
    part: Part,
    meaning: str,
    *,
    option: str | None = None,
    takers: tuple[Taker, ...] = ("classifier", "regressor", "search"),
) -> Any:
    """Return a field of `Settings`; the arguments are explained in `Setting`."""
    about = {"allowed": allowed, "part": part, "meaning": meaning, "takers": takers}
    return field(default=default, metadata=about | {"option": option})


@dataclass(frozen=True, eq=False, kw_only=True)
class Settings:
    """The values of all settings of one search.

    Examples
    --------
    >>> from beamtree._engine.settings import Settings
    >>> settings = Settings(max_depth=3)
    >>> settings.max_depth, settings.min_samples_leaf
    (3, 1)
    >>> Settings(max_depth=21).check()
    Traceback (most recent call last):
        ...
    ValueError: max_depth must be None or an integer from 0 to 20, got 21
    """

    max_depth: int | None = _declare(
        4,
        or_none(DEPTH),
        "problem",
        "Largest depth of the tree; a tree of depth 0 is a single leaf. None allows any depth, and "
        "needs a `leaf_penalty` or a limit of leaves.",
        option="--depth",
    )
    min_samples_leaf: float = _declare(
        1,
        LEAF_SIZE,
        "problem",
        "Smallest number of rows in a leaf, or a share of the rows between 0 and 1.",
        option="--min-samples-leaf",
    )
    leaf_penalty: float | Fraction = _declare(
        0.0,
        finite(0.0),
        "problem",
        "Cost of every leaf after the first, as a share of the total weight of the rows.",
        option="--leaf-penalty",
    )
    max_leaf_nodes: int | None = _declare(
        None,
        or_none(LEAVES),
        "problem",
        "Largest number of leaves of the tree; by default only its depth limits them.",
        option="--leaves",
    )
    class_weight: Mapping[Any, float] | str | None = _declare(
        None,
        CLASS_WEIGHT,
        "problem",
        "Weights of the labels, by which the weights of their rows are multiplied.",
        option="--class-weight",
        takers=OF_CLASSES,
    )
    cost_matrix: Any = _declare(
        None,
        COST_MATRIX,
        "problem",
        "Costs of the mistakes: row j, column k has the cost of predicting label k for a row of "
        "label j.",
        takers=OF_CLASSES,
    )
    min_weight_fraction_leaf: float = _declare(
        0.0,
        finite(0.0, 0.5),
        "problem",
        "Smallest weight of a leaf, as a share of the total weight.",
    )
    max_thresholds: int | None = _declare(
        None,
        or_none(integer(1)),
        "problem",
        "Largest number of thresholds, or of categories, that are searched in one column; by "
        "default all thresholds, and at most 128 categories.",
        option="--max-thresholds",
    )
    tie_break: str = _declare(
        "small",
        TIE_BREAK,
        "problem",
        "Which of the best trees is sought: any, a small one, or the one with the fewest leaves.",
        option="--tie-break",
    )
    criterion: Any = _declare(
        "squared_error",
        CRITERION,
        "problem",
        "What the leaves of a tree that predicts numbers cost: squared errors, or an objective of "
        "your own.",
        takers=("regressor", "search"),
    )
    rule: RuleLike = _declare(
        "auto",
        RULE,
        "strategy",
        "Rule by which each pass of the search leaves out splits; it decides which trees come "
        "first.",
    )
    schedule: ScheduleLike = _declare(
        "luby",
        SCHEDULE,
        "strategy",
        "How fast the rule is relaxed from one pass to the next.",
    )
    heuristic: HeuristicLike = _declare(
        "auto",
        HEURISTIC,
        "strategy",
        "Order in which features are tried.",
    )
    exact_levels: int = _declare(
        3,
        _range_of("exact_levels"),
        "strategy",
        "Number of levels at the bottom of the tree that a specialised kernel solves at once.",
    )
    time_limit: float | None = _declare(
        60.0,
        SECONDS_OR_NONE,
        "control",
        "Seconds after which the search stops with its best tree.",
        option="--time",
        takers=ESTIMATORS,
    )
    gap_limit: float = _declare(
        0.0,
        finite(0.0),
        "control",
        "Gap at which the search stops, as a share of the objective of its tree.",
    )
    node_limit: int | None = _declare(
        None,
        or_none(integer(1)),
        "control",
        "Number of nodes after which the search stops with its best tree.",
    )
    memory_limit: int | str | None = _declare(
        None,
        MEMORY_OR_NONE,
        "control",
        "Largest amount of memory by which the process may grow, such as 2GB; by default 80% of "
        "the free memory.",
        option="--memory",
    )
    init: Any = _declare(
        None,
        INIT,
        "control",
        "Tree to start from, so that the result is not worse than this tree.",
    )
    warm_start: bool = _declare(
        False,  # noqa: FBT003 (a default)
        BOOLEAN,
        "control",
        "Whether another `fit` continues the search of the previous one.",
        takers=ESTIMATORS,
    )
    leaf_smoothing: float | str | None = _declare(
        "laplace",
        LEAF_SMOOTHING,
        "control",
        "How the probabilities of leaves are smoothed: 'laplace' adds a row of each class, a "
        "number m adds m rows of the parent's classes, and None adds nothing.",
        takers=("classifier",),
    )
    callback: Callback | None = _declare(
        None,
        CALLBACK,
        "control",
        "Function that is called with an `Incumbent` at every improvement of the tree or the "
        "bound.",
    )
    cancel: CancelToken | None = _declare(
        None,
        CANCEL,
        "control",
        "Token that ends the search from another thread.",
    )
    on_interrupt: str = _declare(
        "auto",
        ON_INTERRUPT,
        "control",
        "What happens after Ctrl-C, once the best tree has been stored.",
    )
    n_jobs: int | None = _declare(
        None,
        JOBS,
        "control",
        "Number of threads that search together, by default one; -1 uses all cores.",
        option="--threads",
    )
    verbose: int = _declare(
        0,
        VERBOSITY,
        "control",
        "How much is printed: 1 shows a live line, 2 prints a line at every improvement.",
    )
    checkpoint: str | os.PathLike[str] | None = _declare(
        None,
        or_none(PATH),
        "control",
        "File in which the search is saved while it runs and when it ends.",
        takers=("search",),
    )
    checkpoint_every: float | None = _declare(
        60.0,
        or_none(POSITIVE),
        "control",
        "Seconds between two saves; None saves only at the end.",
        takers=("search",),
    )

    def check(self) -> None:
        """Raise a ValueError unless all values are allowed, alone and together."""
        for name, setting in SETTINGS.items():
            setting.allowed.check(name, getattr(self, name))
        if self.max_depth is None:
            self._check_any_depth()
        if self.min_weight_fraction_leaf > 0:
            self._check_leaf_weight()

    def _check_any_depth(self) -> None:
        if self.max_leaf_nodes is None and not self.leaf_penalty > 0:
            msg = (
                f"max_depth must be an integer unless leaf_penalty is above 0 or there are "
                f"max_leaf_nodes, got None and a leaf_penalty of {self.leaf_penalty!r}: without a "
                f"price or a limit of leaves, the best tree of any depth separates as many rows as "
                f"it can"
            )
            raise ValueError(msg)
        if self.max_leaf_nodes is not None and self.max_leaf_nodes > MOST_LEAVES_OF_ANY_DEPTH:
            msg = (
                f"max_leaf_nodes must be at most {MOST_LEAVES_OF_ANY_DEPTH} if max_depth is None, "
                f"got {self.max_leaf_nodes!r}: give a max_depth, too"
            )
            raise ValueError(msg)

    def _check_leaf_weight(self) -> None:
        share = self.min_weight_fraction_leaf
        if self.min_samples_leaf != 1:
            msg = (
                f"min_weight_fraction_leaf must be 0 if min_samples_leaf is "
                f"{self.min_samples_leaf!r}: leaves have one minimum, of rows or of weight; got "
                f"{share!r}"
            )
            raise ValueError(msg)
        if self.cost_matrix is not None:
            msg = f"min_weight_fraction_leaf must be 0 if there is a cost_matrix, got {share!r}"
            raise ValueError(msg)

    @property
    def depth_limit(self) -> int | None:
        """The largest depth that a tree can have within all limits, or None if it has no limit."""
        limits = [] if self.max_depth is None else [int(self.max_depth)]
        if self.max_leaf_nodes is not None:
            limits.append(int(self.max_leaf_nodes) - 1)  # a split adds one leaf
        return min(limits, default=None)

    def identity(self) -> dict[str, Any]:
        """Return the settings of the problem and the strategy.

        Returns
        -------
        dict
            The values by name: two searches that differ in one of them are different searches.
        """
        return {name: getattr(self, name) for name in IDENTITY}


@dataclass(frozen=True)
class Setting:
    """What is known about one setting.

    Parameters
    ----------
    name : str
        Name of the parameter.
    default : object
        Its default.
    allowed : Allowed
        Its allowed values.
    part : {"problem", "strategy", "control"}
        What the setting is about.
    meaning : str
        One sentence, with which the description in docstrings begins.
    takers : tuple of {"classifier", "regressor", "search"}
        Which of `OptimalTreeClassifier`, `OptimalTreeRegressor` and `Search` takes it as a
        parameter.
    option : str or None
        The option of ``beamtree fit`` with which it is set.
    """

    name: str
    default: Any
    allowed: Allowed
    part: Part
    meaning: str
    takers: tuple[Taker, ...]
    option: str | None


SETTINGS = {
    each.name: Setting(each.name, each.default, **each.metadata) for each in fields(Settings)
}
IDENTITY = tuple(name for name, setting in SETTINGS.items() if setting.part != "control")
CONTROL = tuple(name for name, setting in SETTINGS.items() if setting.part == "control")
CLASSIFIER = tuple(name for name, setting in SETTINGS.items() if "classifier" in setting.takers)
REGRESSOR = tuple(name for name, setting in SETTINGS.items() if "regressor" in setting.takers)
# Those settings of the classifier that are not about classes.
POLICY = tuple(
    name
    for name in CLASSIFIER
    if name not in ("class_weight", "cost_matrix", "min_weight_fraction_leaf", "leaf_smoothing")
)
SEARCH = tuple(name for name, setting in SETTINGS.items() if "search" in setting.takers)
