"""The slow and obvious oracle that every search is held against.

Nothing here shares a line, a data structure or an idea with the core: plain
Python, one function a question, exact arithmetic.

``best``           the optimum, by recursion over every feature and both sides
``best_cost``      the same in the caller's integers, with an absolute penalty
``objective_of``   what a tree in scikit-learn's layout really costs, row by row
``best_by_enumeration``  the optimum again, by writing out every tree
``best_by_costs``  the optimum where mistakes have prices
``errors_by_leaves``, ``hull_by_leaves``  the least error for every number of leaves
``greedy``         the greedy tree, by information gain or by Gini
``lgdt_errors``    the errors of the greedy tree by lookahead
"""

from .costs import best_by_costs, cost_of_predictions
from .enumeration import best_by_enumeration, every_tree
from .exhaustive import best, best_cost
from .greedy import greedy, greedy_objective
from .leaves import errors_by_leaves, hull_by_leaves
from .lgdt import lgdt_errors
from .walk import Walk, cost_of, objective_of

__all__ = [
    "Walk",
    "best",
    "best_by_costs",
    "best_by_enumeration",
    "best_cost",
    "cost_of",
    "cost_of_predictions",
    "errors_by_leaves",
    "every_tree",
    "greedy",
    "greedy_objective",
    "hull_by_leaves",
    "lgdt_errors",
    "objective_of",
]
