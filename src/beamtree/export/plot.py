"""A tree as a picture, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from beamtree._util.optional import import_optional
from beamtree.export._colours import node_colours
from beamtree.export._drawing import (
    LETTERS,
    LINE,
    MARGIN,
    ORIENTATION,
    PADDING,
    SMALL,
    WIDER,
    Box,
    Drawing,
    draw_tree,
)
from beamtree.export._fitted import EstimatorLike, fitted_estimator
from beamtree.export._model import Model

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The largest number of characters in a line of the title.
TITLE_ACROSS = 64
INK = "#222222"
PALE = "#444444"
GREY = "#9a9a9a"


def plot_tree(
    classifier: EstimatorLike,
    ax: Axes | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    orientation: str | None = None,
) -> Axes:
    """Draw the tree of a fitted estimator with matplotlib.

    A node has the colour of its class, and is paler if fewer of its rows have that class. If the
    tree predicts numbers, it is paler if the number is smaller. The edge for yes is the left or the
    upper one. An edge is wider if more rows follow it. Long names are wrapped, and very long ones
    lose their middle. The title says what is proved about the tree.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalTreeRegressor
        The fitted estimator.
    ax : Axes, optional
        Where to draw; the tree fills the axes, and its text is as large as they allow. By default
        a new figure that is as large as the tree needs.
    feature_names : sequence of str, optional
        Names of the columns; by default those seen by `fit`, or ``x0``, ``x1``, ...
    class_names : sequence of str, optional
        Names of the classes, in the order of ``classes_``; by default the labels. A regressor has
        none.
    orientation : {"down", "right"}, optional
        The direction in which the tree grows; by default down if it has at most 8 leaves.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the drawing.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import plot_tree
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> ax = plot_tree(clf, feature_names=["rain"])
    >>> [text.get_text() for text in ax.texts]
    ['rain?', '2 rows', 'dry', '1 row, 100%', 'wet', '1 row, 100%', 'yes', 'no']
    >>> ax.get_title()
    'Proved optimal: 0 errors'
    """
    ORIENTATION.check("orientation", orientation)
    model = Model.of(classifier, feature_names, class_names)
    import_optional("matplotlib", "plot", "plot")
    drawing = draw_tree(model, _width, orientation)
    title = wrap(fitted_estimator(classifier).proof_, TITLE_ACROSS)
    ax, scale = _axes(ax, drawing, title)
    _draw(model, drawing, ax, scale)
    return ax


def _width(text: str, points: float, bold: bool) -> float:  # noqa: FBT001
    """Return the width of a line of text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    letters = FontProperties(size=points, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, letters, ismath=False)
    return float(width) / 72.0


def _axes(ax: Axes | None, drawing: Drawing, title: list[str]) -> tuple[Axes, float]:
    """Return the axes with a title, and the size that an inch of the drawing has on them.

    Given axes are filled: the text is as large as they allow, and the nodes move apart.
    """
    scale = 1.0
    if ax is None:
        pyplot = import_optional("matplotlib.pyplot", "plot", "plot")
        lengths = [WIDER * _width(line, LETTERS, False) + 2 * MARGIN for line in title]  # noqa: FBT003
        whole = drawing.height + len(title) * LINE + MARGIN
        figure = pyplot.figure(figsize=(max(drawing.width, *lengths), whole))
        ax = figure.add_axes((0.0, 0.0, 1.0, drawing.height / whole))
    else:
        inches = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        scale = min(inches.width / drawing.width, inches.height / drawing.height)
        drawing.fill(inches.width / scale, inches.height / scale)
    ax.set_xlim(0.0, drawing.width)
    ax.set_ylim(drawing.height, 0.0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title("\n".join(title), fontsize=LETTERS * scale, color=INK, pad=0.0, parse_math=False)
    return ax, scale


def _draw(model: Model, drawing: Drawing, ax: Axes, scale: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    shape = f"round,pad=0,rounding_size={PADDING}"
    colours = node_colours(model)
    for node, box in drawing.boxes.items():
        corner = (box.x - box.width / 2.0, box.y - box.height / 2.0)
        outline: dict[str, Any] = {"boxstyle": shape, "linewidth": 0.8 * scale, "zorder": 3}
        colour = colours[node]
        ax.add_patch(
            FancyBboxPatch(
                corner, box.width, box.height, facecolor=colour, edgecolor=PALE, **outline
            )
        )
        _write(ax, box, scale)
    rows = model.tree.weighted_n_node_samples
    for answer, parent, child in drawing.edges():
        width = (0.8 + 3.2 * float(rows[child] / rows[0])) * scale
        # There is more space beside an edge that goes down.
        words = answer if drawing.down else answer.replace(" or ", " or\n")
        _draw_edge(ax, words, drawing.curve(parent, child), width, scale)


def _write(ax: Axes, box: Box, scale: float) -> None:
    # A dollar sign in a name does not begin a formula.
    common: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 4, "parse_math": False}
    top = box.y - box.height / 2.0 + PADDING / 2.0
    title: dict[str, Any] = {
        "fontsize": LETTERS * scale,
        "fontweight": "bold" if box.is_leaf else "normal",
        "color": INK,
        "linespacing": 1.15,
    }
    middle = top + len(box.title) * LINE / 2.0
    ax.text(box.x, middle, "\n".join(box.title), **title, **common)
    bottom = top + (len(box.title) + 0.5) * LINE
    ax.text(box.x, bottom, box.note, fontsize=SMALL * scale, color=PALE, **common)


def _draw_edge(
    ax: Axes, answer: str, curve: list[tuple[float, float]], width: float, scale: float
) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    path = Path(curve, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    ax.add_patch(PathPatch(path, facecolor="none", edgecolor=GREY, linewidth=width, zorder=1))
    before, end = np.array(curve[2]), np.array(curve[3])
    at = end + 0.45 * (before - end)
    letters: dict[str, Any] = {
        "fontsize": SMALL * scale,
        "color": PALE,
        "ha": "center",
        "va": "center",
    }
    ground: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6 * scale}
    ax.text(float(at[0]), float(at[1]), answer, bbox=ground, zorder=2, **letters)
