"""Rules of the user's own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

from beamtree._core import NodeContext


class Rule(ABC):
    """A rule of your own: five functions that the search calls.

    The search holds a state for every node on its way. It asks `prune` whether to leave a child
    out, and `relax` for the next pass. A rule decides which trees are looked at first, never which
    tree is the best: if `relax` goes on long enough, the search ends with the optimum.

    States must be immutable values, best hashable: equal states are taken for the same, and what
    was searched with a state is not searched again with it. Only `prune` may depend on what `relax`
    changes: after a pass, the search asks it again about states that it refused. Every search works
    on its own deep copy of the rule, so that searches neither share thresholds nor change your
    object.

    An exception in any of the functions ends the search. The estimator is fitted with the best tree
    so far, and the exception is raised.

    Attributes
    ----------
    closes_nodes : bool
        False, the default: a split is skipped where `prune` says True for the state of one of its
        children. True: `prune` is asked about the node itself, and a pruned node becomes a leaf for
        the rest of the pass.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> from beamtree.rules import Rule
    >>> class Share(Rule):  # splits that have some share of their node's best gain
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
        """Return the state of the root; called at the start of every pass.

        Parameters
        ----------
        ctx : NodeContext
            The root.

        Returns
        -------
        hashable
            A state of your own kind.
        """

    @abstractmethod
    def update(self, state: Any, ctx: NodeContext) -> Hashable:
        """Return the state of a child.

        Parameters
        ----------
        state : hashable
            State of the parent, which must not change: its other children start from it too.
        ctx : NodeContext
            The child, and the split that leads to it.

        Returns
        -------
        hashable
            State of the child.
        """

    @abstractmethod
    def prune(self, state: Any) -> bool:
        """Tell whether to leave out what has this state, under the present threshold.

        Parameters
        ----------
        state : hashable
            State of a child, or of a node if the rule closes nodes.

        Returns
        -------
        bool
            True to leave it out in this pass.
        """

    @abstractmethod
    def relax(self, step: float) -> bool:
        """Raise the threshold after a pass that left something out.

        Called again, at most 1,000 times, while none of the states that were left out is admitted.

        Parameters
        ----------
        step : float
            The increment that the schedule asks for, in units of your own.

        Returns
        -------
        bool
            False if the rule cannot be relaxed: the search ends with the status ``"rule_limit"``.
        """

    def terminal_state(self, state: Any) -> Hashable:
        """Return the state of a node that was solved exactly; the same by default.

        Parameters
        ----------
        state : hashable
            State of the node.

        Returns
        -------
        hashable
            State of the solved node.
        """
        return state  # type: ignore[no-any-return]
