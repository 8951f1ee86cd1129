"""Positions of the nodes in a drawing of a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def node_positions(
    children: Mapping[int, Sequence[int]], breadth: Mapping[int, float], gap: float, root: int = 0
) -> dict[int, float]:
    """Return the position of each node, at right angles to the direction in which the tree grows.

    Subtrees are as close together as their nodes allow on every level, and parents are centred over
    their children (Reingold and Tilford 1981). No two nodes of a level overlap.

    Parameters
    ----------
    children : mapping
        The children of every inner node, in the order in which they are drawn.
    breadth : mapping
        The space that every node takes.
    gap : float
        Space between neighbours.
    root : int, default=0
        The root.

    Returns
    -------
    dict
        The centre of each node that can be reached from the root. The first node begins at 0.

    Examples
    --------
    >>> from beamtree.export._layout import node_positions
    >>> node_positions({0: (1, 2)}, {0: 2.0, 1: 1.0, 2: 3.0}, gap=0.5)
    {0: 1.75, 1: 0.5, 2: 3.0}
    """
    shift: dict[int, float] = {}
    edges = _place(children, breadth, gap, root, shift)
    middle = {root: -min(start for start, _ in edges)}
    stack = [root]
    while stack:
        node = stack.pop()
        for child in children.get(node, ()):
            middle[child] = middle[node] + shift[child]
            stack.append(child)
    return dict(sorted(middle.items()))


def _place(
    children: Mapping[int, Sequence[int]],
    breadth: Mapping[int, float],
    gap: float,
    node: int,
    shift: dict[int, float],
) -> list[tuple[float, float]]:
    """Return where each level of a subtree begins and ends, relative to the centre of its root.

    Stores in `shift` how far each child is from its parent.
    """
    edges: list[tuple[float, float]] = []
    for child in children.get(node, ()):
        own = _place(children, breadth, gap, child, shift)
        before = zip(edges, own, strict=False)
        shift[child] = max((end - start + gap for (_, end), (start, _) in before), default=0.0)
        own = [(start + shift[child], end + shift[child]) for start, end in own]
        both = [(old[0], new[1]) for old, new in zip(edges, own, strict=False)]
        edges = both + edges[len(both) :] + own[len(both) :]
    half = breadth[node] / 2.0
    if not edges:
        return [(-half, half)]
    first, *_, last = children[node]
    middle = (shift[first] + shift[last]) / 2.0
    for child in children[node]:
        shift[child] -= middle
    return [(-half, half)] + [(start - middle, end - middle) for start, end in edges]
