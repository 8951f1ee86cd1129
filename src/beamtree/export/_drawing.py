"""The drawing of a tree: boxes with text, and where they are. Pictures are made from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from textwrap import wrap

import numpy as np

from beamtree._util.validation import Allowed
from beamtree.export._layout import node_positions
from beamtree.export._model import Model
from beamtree.export._short_names import short_names
from beamtree.export._words import Question, count_words, question_of, rows_words
from beamtree.tree import levels

# Lengths in inches, sizes of text in points.
LETTERS = 9.0
SMALL = 7.5
LINE = 1.3 * LETTERS / 72.0
PADDING = 0.07
# Text on a screen is wider than on paper.
WIDER = 1.05
APART = 0.16  # space between neighbours
DOWN, RIGHT = 0.42, 0.62  # space between levels, if the tree grows down, and to the right
BESIDE = 0.07  # space between an edge and its answer
WIDE_RIGHT = 0.95  # the same to the right, if an answer is "no or missing"
MARGIN = 0.1
# The largest number of characters in a line of a node.
ACROSS = 24
NO_BREAK = "\N{NO-BREAK SPACE}"
# A tree of at most this many leaves grows down.
FEW = 8

ORIENTATION = Allowed(
    "None, 'down' or 'right'",
    lambda value: value is None or (isinstance(value, str) and value in ("down", "right")),
)

# Returns the width of a line of text in inches, given the text, its size and whether it is bold.
Measure = Callable[[str, float, bool], float]


@dataclass
class Box:
    """A node with its text, its size, and its centre in inches from the upper left corner.

    Parameters
    ----------
    title : list of str
        The lines of the question, or of the class.
    note : str
        The line below.
    question : Question or None
        The question, if the answers are drawn.
    is_leaf : bool
        Whether the node is a leaf of the tree.
    width, height, x, y : float
        The size, and the centre.
    """

    title: list[str]
    note: str
    question: Question | None
    is_leaf: bool
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0


@dataclass
class Drawing:
    """The boxes of a tree, by node.

    Parameters
    ----------
    boxes : dict of int to Box
        The nodes that are drawn.
    width, height : float
        The size of the drawing.
    between : float
        Space between two levels.
    down : bool
        Whether the tree grows down; otherwise it grows to the right.
    """

    boxes: dict[int, Box]
    width: float
    height: float
    between: float
    down: bool

    def edges(self) -> Iterator[tuple[str, int, int]]:
        """Yield the answer, the node that asks and the node that follows, for each edge."""
        for parent, box in self.boxes.items():
            if box.question is not None:
                for answer, child in box.question.answers:
                    yield answer, parent, child

    def curve(self, parent: int, child: int) -> list[tuple[float, float]]:
        """Return the four control points of the curve from a node to one of its children."""
        above, below = self.boxes[parent], self.boxes[child]
        if self.down:
            start = above.x, above.y + above.height / 2.0
            end = below.x, below.y - below.height / 2.0
        else:
            start = above.x + above.width / 2.0, above.y
            end = below.x - below.width / 2.0, below.y
        dx, dy = (0.0, self.between / 2.0) if self.down else (self.between / 2.0, 0.0)
        return [start, (start[0] + dx, start[1] + dy), (end[0] - dx, end[1] - dy), end]

    def fill(self, width: float, height: float) -> None:
        """Move the boxes apart, so that the drawing has the given size, which is not smaller."""
        for name, size, whole in (("x", width, self.width), ("y", height, self.height)):
            along = (name == "y") == self.down
            self._spread(name, size - whole, along=along)
        self.width, self.height = width, height

    def _spread(self, name: str, more: float, *, along: bool) -> None:
        """Distribute additional space between the boxes in one direction."""
        boxes = self.boxes.values()
        half = "width" if name == "x" else "height"
        # Boxes of a level that begin at the same place still do so afterwards.
        begins = along and not self.down
        places = [
            getattr(box, name) - (getattr(box, half) / 2.0 if begins else 0.0) for box in boxes
        ]
        first, last = min(places), max(places)
        for box, place in zip(boxes, places, strict=True):
            share = (place - first) / (last - first) if last > first else 0.5
            setattr(box, name, getattr(box, name) + more * share)
        if along and last > first:
            self.between += more / (len({round(place, 6) for place in places}) - 1)


def draw_tree(
    model: Model, measure: Measure, orientation: str | None = None, max_depth: int | None = None
) -> Drawing:
    """Return the drawing of a tree.

    Parameters
    ----------
    model : Model
        The tree.
    measure : callable
        Returns the width of a line of text.
    orientation : {"down", "right"} or None
        The direction in which the tree grows; None for down if there are at most 8 leaves.
    max_depth : int or None
        The largest depth of nodes that are drawn. Nodes of this depth that are no leaves have a
        note that says how many leaves are below.

    Returns
    -------
    Drawing
        The boxes, with their places.
    """
    ORIENTATION.check("orientation", orientation)
    model = _shortened(model)
    tree = model.tree
    rows = levels(tree.feature, tree.children_left, tree.children_right)
    shown = rows if max_depth is None else rows[: max_depth + 1]
    cut = set() if len(shown) == len(rows) else set(shown[-1].tolist())
    boxes = {
        int(node): _box(model, int(node), measure, cut=int(node) in cut)
        for level in shown
        for node in level
    }
    boxes = dict(sorted(boxes.items()))
    if orientation is None:
        ends = sum(box.question is None for box in boxes.values())
        orientation = "down" if ends <= FEW else "right"
    down = orientation == "down"
    # The nodes below a long answer, and the space that it needs there on both sides of its edge.
    answers = {
        box.question.no: box.question.no_words
        for box in boxes.values()
        if box.question is not None and box.question.no_words != "no"
    }
    spaces = {
        node: 2 * (BESIDE + WIDER * measure(words, SMALL, False))  # noqa: FBT003
        for node, words in answers.items()
    }
    between = DOWN if down else WIDE_RIGHT if spaces else RIGHT
    drawing = Drawing(boxes, 0.0, 0.0, between, down)
    _place(drawing, [[int(node) for node in level] for level in shown], spaces if down else {})
    return drawing


def _box(model: Model, node: int, measure: Measure, *, cut: bool) -> Box:
    is_leaf = bool(model.tree.feature[node] < 0)
    if is_leaf:
        question, title, note = None, _wrapped(model.predicted(node)), rows_words(model, node)
    else:
        question = question_of(model, node)
        title, note = _wrapped(question.words), count_words(model, node)
        if cut:
            note, question = f"{note}, {_leaves_below(model, node)} leaves below", None
    lengths = [measure(line, LETTERS, is_leaf) for line in title]
    width = WIDER * max(*lengths, measure(note, SMALL, False)) + 3 * PADDING  # noqa: FBT003
    return Box(title, note, question, is_leaf, width, (len(title) + 1) * LINE + PADDING)


def _leaves_below(model: Model, node: int) -> int:
    tree = model.tree
    if tree.feature[node] < 0:
        return 1
    children = int(tree.children_left[node]), int(tree.children_right[node])
    return sum(_leaves_below(model, child) for child in children)


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


def _place(drawing: Drawing, rows: list[list[int]], spaces: dict[int, float]) -> None:
    """Set the positions of the boxes, which may need more space, and the size of the drawing."""
    boxes, down = drawing.boxes, drawing.down
    children = {
        node: (box.question.yes, box.question.no)
        for node, box in boxes.items()
        if box.question is not None
    }
    breadth = {
        node: max(box.width if down else box.height, spaces.get(node, 0.0))
        for node, box in boxes.items()
    }
    across = node_positions(children, breadth, APART)
    along = MARGIN
    for level in rows:
        thickest = max(boxes[k].height if down else boxes[k].width for k in level)
        for node in level:
            box = boxes[node]
            box.x, box.y = MARGIN + across[node], along + thickest / 2.0
            if not down:
                # The boxes of a level are aligned on the left, where the edges end.
                box.x, box.y = along + box.width / 2.0, box.x
        along += thickest + drawing.between
    ends = [box.x + max(box.width, spaces.get(node, 0.0)) / 2.0 for node, box in boxes.items()]
    drawing.width = max(ends) + MARGIN
    drawing.height = max(box.y + box.height / 2.0 for box in boxes.values()) + MARGIN
