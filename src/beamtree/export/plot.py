"""A tree as a picture, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beamtree._util.optional import import_optional
from beamtree._util.validation import Allowed
from beamtree.export._colours import node_colours
from beamtree.export._fitted import ClassifierLike, fitted_classifier
from beamtree.export._layout import node_positions
from beamtree.export._model import Model
from beamtree.export._short_names import short_names
from beamtree.export._words import Question, count_words, question_of, rows_words
from beamtree.tree import levels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Sizes in a figure that is as large as the tree needs: lengths in inches, sizes of text in points.
LETTERS = 9.0
SMALL = 7.5
LINE = 1.3 * LETTERS / 72.0
PADDING = 0.07
# Text on a screen is wider than on paper.
WIDER = 1.05
APART = 0.16  # space between neighbours
DOWN, RIGHT = 0.42, 0.62  # space between levels, if the tree grows down, and to the right
MARGIN = 0.1
# The largest number of characters in a line of a node, and of the title.
ACROSS = 24
TITLE_ACROSS = 64
NO_BREAK = "\N{NO-BREAK SPACE}"
# A tree of at most this many leaves grows down.
FEW = 8
INK = "#222222"
PALE = "#444444"
GREY = "#9a9a9a"

ORIENTATION = Allowed(
    "None, 'down' or 'right'",
    lambda value: value is None or (isinstance(value, str) and value in ("down", "right")),
)


def plot_tree(
    classifier: ClassifierLike,
    ax: Axes | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    orientation: str | None = None,
) -> Axes:
    """Draw the tree of a fitted classifier with matplotlib.

    A node has the colour of its class, and is paler if fewer of its rows have that class. The edge
    for yes is the left or the upper one. An edge is wider if more rows follow it. Long names are
    wrapped, and very long ones lose their middle. The title says what is proved about the tree.

    Parameters
    ----------
    classifier : OptimalTreeClassifier or OptimalTreeClassifierCV
        The fitted classifier.
    ax : Axes, optional
        Where to draw; the tree and its text are scaled to fit. By default a new figure that is as
        large as the tree needs.
    feature_names : sequence of str, optional
        Names of the columns; by default those seen by `fit`, or ``x0``, ``x1``, ...
    class_names : sequence of str, optional
        Names of the classes, in the order of ``classes_``; by default the labels.
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
    model = _shortened(Model.of(classifier, feature_names, class_names))
    import_optional("matplotlib", "plot", "plot")
    boxes = [_Box.of(model, node) for node in range(model.tree.node_count)]
    if orientation is None:
        orientation = "down" if model.tree.n_leaves <= FEW else "right"
    size = _lay_out(model, boxes, down=orientation == "down")
    title = wrap(fitted_classifier(classifier).proof_, TITLE_ACROSS)
    ax, scale = _axes(ax, size, title)
    _draw(model, boxes, ax, scale, down=orientation == "down")
    return ax


@dataclass
class _Box:
    """A node with its text, its size, and its centre in inches from the lower left corner."""

    title: list[str]
    note: str
    question: Question | None
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

    @classmethod
    def of(cls, model: Model, node: int) -> _Box:
        question = question_of(model, node) if model.tree.feature[node] >= 0 else None
        if question is None:
            title = _wrapped(model.class_name(node))
            note = rows_words(model, node)
        else:
            title = _wrapped(question.words)
            note = count_words(model, node)
        weight = "normal" if question else "bold"
        lengths = [_width(line, LETTERS, weight) for line in title]
        width = WIDER * max(*lengths, _width(note, SMALL, "normal")) + 3 * PADDING
        return cls(title, note, question, width, (len(title) + 1) * LINE + PADDING)


def _width(text: str, points: float, weight: str) -> float:
    """Return the width of a line of text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    letters = FontProperties(size=points, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, letters, ismath=False)
    return float(width) / 72.0


def _shortened(model: Model) -> Model:
    """Return the model with short names."""
    columns = replace(
        model.columns,
        names=tuple(short_names(model.columns.names)),
        categories=tuple(
            None if known is None else np.array(short_names([str(one) for one in known]), object)
            for known in model.columns.categories
        ),
    )
    return replace(model, columns=columns, class_names=tuple(short_names(model.class_names)))


def _wrapped(text: str) -> list[str]:
    """Return the lines of a text; no line breaks after a sign or within "or missing"."""
    for sign in ("<=", "=="):
        text = text.replace(f" {sign} ", f" {sign}{NO_BREAK}")
    text = text.replace(" or missing?", f" or{NO_BREAK}missing?")
    return [line.replace(NO_BREAK, " ") for line in wrap(text, ACROSS)]


def _lay_out(model: Model, boxes: list[_Box], *, down: bool) -> tuple[float, float]:
    """Set the positions of the boxes, and return the width and the height of the drawing."""
    children = {
        node: (box.question.yes, box.question.no)
        for node, box in enumerate(boxes)
        if box.question is not None
    }
    across = node_positions(children, [box.width if down else box.height for box in boxes], APART)
    tree = model.tree
    along = MARGIN
    for level in levels(tree.feature, tree.children_left, tree.children_right):
        thickest = max(boxes[k].height if down else boxes[k].width for k in level)
        for node in level:
            box = boxes[node]
            box.x, box.y = MARGIN + across[int(node)], along + thickest / 2.0
            if not down:
                # The boxes of a level are aligned on the left, where the edges end.
                box.x, box.y = along + box.width / 2.0, box.x
        along += thickest + (DOWN if down else RIGHT)
    width = max(box.x + box.width / 2.0 for box in boxes) + MARGIN
    height = max(box.y + box.height / 2.0 for box in boxes) + MARGIN
    for box in boxes:
        box.y = height - box.y
    return width, height


def _axes(ax: Axes | None, size: tuple[float, float], title: list[str]) -> tuple[Axes, float]:
    """Return the axes with a title, and the size that an inch of the layout has on them."""
    width, height = size
    scale = 1.0
    if ax is None:
        pyplot = import_optional("matplotlib.pyplot", "plot", "plot")
        lengths = [WIDER * _width(line, LETTERS, "normal") + 2 * MARGIN for line in title]
        whole = height + len(title) * LINE + MARGIN
        figure = pyplot.figure(figsize=(max(width, *lengths), whole))
        ax = figure.add_axes((0.0, 0.0, 1.0, height / whole))
    else:
        inches = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        scale = min(inches.width / width, inches.height / height)
    ax.set_xlim(0.0, width)
    ax.set_ylim(0.0, height)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title("\n".join(title), fontsize=LETTERS * scale, color=INK, pad=0.0, parse_math=False)
    return ax, scale


def _draw(model: Model, boxes: list[_Box], ax: Axes, scale: float, *, down: bool) -> None:
    from matplotlib.patches import FancyBboxPatch

    shape = f"round,pad=0,rounding_size={PADDING}"
    for box, colour in zip(boxes, node_colours(model), strict=True):
        corner = (box.x - box.width / 2.0, box.y - box.height / 2.0)
        outline: dict[str, Any] = {"boxstyle": shape, "linewidth": 0.8 * scale, "zorder": 3}
        ax.add_patch(
            FancyBboxPatch(
                corner, box.width, box.height, facecolor=colour, edgecolor=PALE, **outline
            )
        )
        _write(ax, box, scale)
    rows = model.tree.weighted_n_node_samples
    for answer, parent, child in _edges(boxes):
        share = float(rows[child] / rows[0])
        start, end = _ends(boxes[parent], boxes[child], down=down)
        _draw_edge(ax, answer, start, end, (0.8 + 3.2 * share) * scale, scale, down=down)


def _write(ax: Axes, box: _Box, scale: float) -> None:
    # A dollar sign in a name does not begin a formula.
    common: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 4, "parse_math": False}
    top = box.y + box.height / 2.0 - PADDING / 2.0
    middle = top - len(box.title) * LINE / 2.0
    weight = "normal" if box.question else "bold"
    title: dict[str, Any] = {
        "fontsize": LETTERS * scale,
        "fontweight": weight,
        "color": INK,
        "linespacing": 1.15,
    }
    ax.text(box.x, middle, "\n".join(box.title), **title, **common)
    bottom = top - (len(box.title) + 0.5) * LINE
    ax.text(box.x, bottom, box.note, fontsize=SMALL * scale, color=PALE, **common)


def _edges(boxes: list[_Box]) -> Iterator[tuple[str, int, int]]:
    for parent, box in enumerate(boxes):
        if box.question is not None:
            yield "yes", parent, box.question.yes
            yield "no", parent, box.question.no


def _ends(parent: _Box, child: _Box, *, down: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    if down:
        start = (parent.x, parent.y - parent.height / 2.0)
        end = (child.x, child.y + child.height / 2.0)
    else:
        start = (parent.x + parent.width / 2.0, parent.y)
        end = (child.x - child.width / 2.0, child.y)
    return np.array(start), np.array(end)


def _draw_edge(
    ax: Axes,
    answer: str,
    start: NDArray[Any],
    end: NDArray[Any],
    width: float,
    scale: float,
    *,
    down: bool,
) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    turn = np.array([0.0, -DOWN / 2.0] if down else [RIGHT / 2.0, 0.0])
    path = Path(
        [start, start + turn, end - turn, end],
        [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
    )
    ax.add_patch(PathPatch(path, facecolor="none", edgecolor=GREY, linewidth=width, zorder=1))
    at = end - 0.45 * turn
    letters: dict[str, Any] = {
        "fontsize": SMALL * scale,
        "color": PALE,
        "ha": "center",
        "va": "center",
    }
    ground: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6 * scale}
    ax.text(float(at[0]), float(at[1]), answer, bbox=ground, zorder=2, **letters)
