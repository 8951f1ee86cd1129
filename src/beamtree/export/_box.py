"""What a notebook shows of a tree: what is proved about it, its picture, and its text."""

from __future__ import annotations

from beamtree._util.html import html_text
from beamtree.export._model import Model
from beamtree.export.svg import tree_svg
from beamtree.export.text import first_lines
from beamtree.tree import Tree, levels

# The largest number of nodes at the lower end of the picture.
MOST = 16


def tree_box(model: Model, proof: str, between: str = "") -> str:
    """Return a tree for a notebook.

    Parameters
    ----------
    model : Model
        The tree.
    proof : str
        What is proved about it.
    between : str, default=""
        HTML that is shown between the proof and the picture.

    Returns
    -------
    str
        HTML. The picture of a large tree has only its first levels. The text below it, which can be
        unfolded, is also for programs that show no pictures from notebooks.
    """
    depth = first_levels(model.tree, MOST)
    note = ""
    if depth < model.tree.max_depth:
        note = (
            f"<p>The picture has the nodes down to depth {depth} of {model.tree.max_depth}; "
            "<code>plot()</code> and <code>to_svg()</code> show all of them.</p>"
        )
    picture = tree_svg(model, proof, max_depth=depth)
    return (
        f"<p>{html_text(proof)}</p>{between}"
        f'<div style="overflow-x: auto">{picture}</div>{note}'
        "<details><summary>The tree as text</summary>"
        f'<pre style="font-family: monospace">{html_text(first_lines(model))}</pre></details>'
    )


def first_levels(tree: Tree, most: int) -> int:
    """Return how deep a tree can be drawn with a limited number of nodes at the lower end.

    Parameters
    ----------
    tree : Tree
        The tree.
    most : int
        The largest number of nodes that have no children in the drawing.

    Returns
    -------
    int
        The largest depth of a node in the drawing.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.datasets import tic_tac_toe
    >>> from beamtree.export._box import first_levels
    >>> X, y, _, _ = tic_tac_toe()
    >>> tree = OptimalTreeClassifier(max_depth=4).fit(X, y).tree_
    >>> first_levels(tree, most=5), first_levels(tree, most=50)
    (2, 4)
    """
    ends = 0  # leaves above the level
    depth = 0
    for number, level in enumerate(levels(tree.feature, tree.children_left, tree.children_right)):
        if ends + len(level) > most:
            break
        depth = number
        ends += int((tree.feature[level] < 0).sum())
    return depth
