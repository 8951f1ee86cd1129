"""Where the nodes of a drawn tree go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def tidy(
    children: Mapping[int, Sequence[int]], breadth: Sequence[float], gap: float, root: int = 0
) -> dict[int, float]:
    """Return the middle of each node across the direction in which a tree grows.

    Subtrees are as close together as their nodes allow on every level, and parents stand in the
    middle of their children (Reingold and Tilford 1981). No two nodes of a level overlap.

    Parameters
    ----------
    children : mapping
        For every inner node its children, in the order in which they are drawn.
    breadth : sequence of float
        For every node how much space it takes.
    gap : float
        Space between neighbours.
    root : int, default=0
        The root.

    Returns
    -------
    dict
        The middle of each node that the root leads to; the smallest start of a node is 0.

    Examples
    --------
    >>> from beamtree.export._layout import tidy
    >>> tidy({0: (1, 2)}, [2.0, 1.0, 3.0], gap=0.5)
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
    breadth: Sequence[float],
    gap: float,
    node: int,
    shift: dict[int, float],
) -> list[tuple[float, float]]:
    """Return where each level of a subtree starts and ends, from the middle of its root.

    `shift` gets how far the children are from their parents.
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
