"""One combination of parameters that the cross validation tries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Candidate:
    """One combination of parameters that the cross validation tries.

    Parameters
    ----------
    max_depth : int or None
        Largest depth; None for any depth.
    leaf_penalty : float
        Penalty of a leaf.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves; None if numbers of leaves are not tried.
    """

    max_depth: int | None
    leaf_penalty: float
    max_leaf_nodes: int | None = None

    @property
    def params(self) -> dict[str, Any]:
        """The parameters that are tried, by name."""
        params = {"max_depth": self.max_depth, "leaf_penalty": self.leaf_penalty}
        if self.max_leaf_nodes is not None:
            params["max_leaf_nodes"] = self.max_leaf_nodes
        return params

    def __str__(self) -> str:
        """Return the parameters in words."""
        words = ["any depth" if self.max_depth is None else f"depth {self.max_depth}"]
        if self.max_leaf_nodes is not None:
            words.append(f"at most {self.max_leaf_nodes} leaves")
        if self.max_leaf_nodes is None or self.leaf_penalty > 0.0:
            words.append(f"penalty {self.leaf_penalty:.3g}")
        return ", ".join(words)
