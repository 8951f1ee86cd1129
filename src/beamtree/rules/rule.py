"""The base class of rules that users write."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

from beamtree._core import NodeContext


class Rule(ABC):
    """Derive a class from this one to write a rule of your own.

    A rule consists of five functions that the search calls. The search keeps one state of the rule
    for each node on the path from the root. It calls `prune` to decide whether to leave out a
    child, and `relax` before the next pass. A rule decides which trees the search looks at first,
    but not which tree is the best: if `relax` keeps admitting more, the search ends with the
    optimum.

    States must be immutable values, and should be hashable. The search treats equal states alike:
    it does not search a set of rows again under a state under which it has searched them already.
    Only `prune` may depend on what `relax` changes, because after a pass the search calls `prune`
    again for the states that it has left out. Each search works on its own deep copy of the rule,
    so searches do not share thresholds and do not change your object.

    An exception in any of the functions ends the search. The estimator is fitted with the best tree
    so far, and then the exception is raised.

    Attributes
    ----------
    closes_nodes : bool
        If False, the default, the search calls `prune` for the states of both children of a split,
        and skips the split if either call returns True. If True, it calls `prune` for the state of
        a node, and a pruned node becomes a leaf for the rest of the pass.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.rules import Rule
    >>> class Share(Rule):  # follow splits near their node's best gain
    ...     def __init__(self, share=1.0):
    ...         self.share = share
    ...
    ...     def initial_state(self, ctx):
    ...         return 1.0
    ...
    ...     def update(self, state, ctx):
    ...         return ctx.gain / ctx.best_gain if ctx.best_gain > 0 else 1.0
    ...
    ...     def prune(self, state):
    ...         return state < self.share
    ...
    ...     def relax(self, step):
    ...         self.share -= 0.1 * step
    ...         return True
    >>> X, y, _, _ = monks(1)
    >>> clf = OptimalTreeClassifier(max_depth=4, rule=Share(), heuristic="information_gain")
    >>> clf.fit(X, y).status_
    'optimal'
    """

    closes_nodes: bool = False

    @abstractmethod
    def initial_state(self, ctx: NodeContext) -> Hashable:
        """Return the state of the root. The search calls this at the start of each pass.

        Parameters
        ----------
        ctx : NodeContext
            Describes the root.

        Returns
        -------
        hashable
            The state of the root, a value of any type.
        """

    @abstractmethod
    def update(self, state: Any, ctx: NodeContext) -> Hashable:
        """Return the state of a child.

        Parameters
        ----------
        state : hashable
            State of the parent. Do not change it: the parent's other children start from it, too.
        ctx : NodeContext
            Describes the child and the split that leads to it.

        Returns
        -------
        hashable
            State of the child.
        """

    @abstractmethod
    def prune(self, state: Any) -> bool:
        """Return whether this pass leaves out a child or closes a node that has this state.

        Parameters
        ----------
        state : hashable
            State of a child, or of a node if `closes_nodes` is True.

        Returns
        -------
        bool
            True to leave out the child, or to close the node, in this pass.
        """

    @abstractmethod
    def relax(self, step: float) -> bool:
        """Relax the rule after a pass that left something out.

        The search repeats the call, at most 1,000 times, until `prune` admits one of the states
        that the pass has left out.

        Parameters
        ----------
        step : float
            The increment that the schedule asks for. Your rule decides what one unit means.

        Returns
        -------
        bool
            True if the rule was relaxed. False if it cannot be relaxed further; the search then
            ends with the status ``"rule_limit"``.
        """

    def terminal_state(self, state: Any) -> object:
        """Take note that a node with this state was solved exactly; do nothing by default.

        Override it only to observe the search. The paper marks solved nodes in their states; this
        search keeps that knowledge itself, so it ignores the returned value.

        Parameters
        ----------
        state : hashable
            State of the node.

        Returns
        -------
        object
            Any value; it is ignored.
        """
        return state
