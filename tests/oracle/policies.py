"""The largest reward of a policy over a table of raw values, by enumeration in rational arithmetic.

The columns are those of raw_tables.py. A set of rows is an integer whose bits are the rows. Costs
per row are rewards with the opposite sign.
"""

from fractions import Fraction
from functools import cache
from math import ceil, inf

from .exact import plain
from .raw_tables import every_split


def largest_reward(
    columns,
    rewards,
    weights,
    *,
    max_depth,
    max_leaf_nodes=None,
    min_samples_leaf=1,
    leaf_penalty=0,
):
    """Return the largest total reward, less penalties, of any tree over a table.

    Parameters
    ----------
    columns : sequence of tuple
        The columns, as in raw_tables.py.
    rewards : sequence of sequences of numbers
        For each row, the reward of each action.
    weights : sequence of numbers
        The weights; rows of weight zero do not count.
    max_depth, max_leaf_nodes, min_samples_leaf, leaf_penalty
        As in `OptimalPolicyTree`; `max_depth` may be None.

    Returns
    -------
    Fraction
        The largest reward.
    """
    rows = [i for i, weight in enumerate(weights) if weight > 0]
    splits = every_split(columns, rows)
    weights = [Fraction(plain(weights[i])) for i in rows]
    earned = [
        [weight * Fraction(plain(reward)) for reward in rewards[i]]
        for i, weight in zip(rows, weights, strict=True)
    ]
    penalty = Fraction(plain(leaf_penalty)) * sum(weights)
    least = min_samples_leaf
    if least < 1:
        least = ceil(Fraction(repr(float(least))) * len(rows))

    @cache
    def leaf(cover):
        inside = [earned[i] for i in range(len(rows)) if cover >> i & 1]
        return max(map(sum, zip(*inside, strict=True)))

    @cache
    def solve(cover, depth, leaves):
        reward = leaf(cover)
        if depth == 0 or leaves == 1:
            return reward
        for one in {cover & split for split in splits}:
            other = cover ^ one
            if min(one.bit_count(), other.bit_count()) < max(least, 1):
                continue
            for first in [None] if leaves is None else range(1, leaves):
                rest = None if leaves is None else leaves - first
                found = solve(one, depth - 1, first) + solve(other, depth - 1, rest)
                reward = max(reward, found - penalty)
        return reward

    depth = inf if max_depth is None else max_depth
    return solve((1 << len(rows)) - 1, depth, max_leaf_nodes)


def reward_of_policy(taken, rewards, weights):
    """Return the total reward of the actions that are taken, given by their numbers."""
    return sum(
        Fraction(plain(weight)) * Fraction(plain(line[action]))
        for action, line, weight in zip(taken, rewards, weights, strict=True)
    )


def greedy_policy(rows, rewards, *, max_depth, min_samples_leaf):
    """Return the reward of the greedy policy tree over rows of numbers.

    Each split is the first of those with the largest reward of two leaves; a node without a split
    that gains anything is a leaf.
    """
    leaf = max(map(sum, zip(*rewards, strict=True)))
    best, parts = leaf, None
    for column in range(len(rows[0]) if max_depth > 0 else 0):
        for cut in sorted({row[column] for row in rows})[:-1]:
            sides = [[i for i, row in enumerate(rows) if (row[column] > cut) == s] for s in (0, 1)]
            if min(map(len, sides)) < min_samples_leaf:
                continue
            earned = (
                max(map(sum, zip(*[rewards[i] for i in side], strict=True))) for side in sides
            )
            if (reward := sum(earned)) > best:
                best, parts = reward, sides
    if parts is None:
        return leaf
    return sum(
        greedy_policy(
            [rows[i] for i in side],
            [rewards[i] for i in side],
            max_depth=max_depth - 1,
            min_samples_leaf=min_samples_leaf,
        )
        for side in parts
    )
