"""The slow and obvious oracle that every search is compared with.

Nothing here shares a line, a data structure or an idea with the core: it is plain Python with exact
arithmetic.

``best``                 the optimum, by recursion over every feature and both sides
``best_cost``            the optimum in the caller's integers, with an absolute penalty
``objective_of``         the cost of a tree in scikit-learn's layout, counted row by row
``cost_of``              the cost of a tree in the arrays of the core
``best_by_enumeration``  the optimum, by listing every tree
``best_by_costs``        the optimum under a cost matrix
``best_of_table``        the optimum over a table of raw values
``smallest_by_enumeration``  the optimum within a limit of leaves, and the fewest leaves with it
``errors_by_leaves``     the least error for every number of leaves
``front_of_rows``        the least error for every number of leaves that lowers it, in bits
``front_of_table``       the same over a table of raw values
``best_within``          the optimum within a limit of leaves, and the fewest leaves, from these
``hull_by_leaves``       the convex hull of these errors
``largest_reward``       the largest reward of a policy over a table of raw values
``reward_of_policy``     the reward of given actions
``greedy_policy``        the reward of the greedy policy
``greedy``               the greedy tree, by information gain or by Gini impurity
``lgdt_errors``          the errors of LGDT's tree
``least_cost``           the least cost over a table of raw values, for any costs of leaves
``least_squares``        the least squared error over a table of raw values
"""

from .costs import best_by_costs, cost_of_predictions
from .enumeration import best_by_enumeration, every_tree, smallest_by_enumeration
from .exhaustive import best, best_cost
from .greedy import greedy, greedy_objective
from .leaves import best_within, errors_by_leaves, front_of_rows, hull_by_leaves
from .lgdt import lgdt_errors
from .policies import greedy_policy, largest_reward, reward_of_policy
from .raw_tables import best_of_table, front_of_table
from .squares import least_cost, least_squares, mean_groups, squares_of
from .walk import Walk, cost_of, objective_of

__all__ = [
    "Walk",
    "best",
    "best_by_costs",
    "best_by_enumeration",
    "best_cost",
    "best_of_table",
    "best_within",
    "cost_of",
    "cost_of_predictions",
    "errors_by_leaves",
    "every_tree",
    "front_of_rows",
    "front_of_table",
    "greedy",
    "greedy_objective",
    "greedy_policy",
    "hull_by_leaves",
    "largest_reward",
    "least_cost",
    "least_squares",
    "lgdt_errors",
    "mean_groups",
    "objective_of",
    "reward_of_policy",
    "smallest_by_enumeration",
    "squares_of",
]
