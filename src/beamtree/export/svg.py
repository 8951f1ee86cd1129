"""A tree as a picture in SVG, which needs no other package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import combining, east_asian_width

from beamtree._util.html import html_text
from beamtree._util.validation import integer, or_none
from beamtree.export._colours import as_hex, node_colours
from beamtree.export._drawing import (
    BESIDE,
    LETTERS,
    LINE,
    PADDING,
    SMALL,
    Box,
    Drawing,
    draw_tree,
)
from beamtree.export._fitted import EstimatorLike, fitted_estimator
from beamtree.export._model import Model
from beamtree.export._words import class_words, count_words, question_of

# Pixels per inch of a drawing, and per point of its text.
INCH = 96.0
POINT = INCH / 72.0
# Boxes are pale in every theme, with dark text. What is outside of them has the colour of the text
# around the picture, or a grey that can be seen on white and on black.
INK = "#222222"
PALE = "#444444"
GREY = "#888888"
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
# Widths of characters, as shares of the size of the text, in the widest of these fonts.
NARROW, USUAL, WIDE, WIDEST = 0.4, 0.64, 0.86, 1.05
NARROW_LETTERS = frozenset("ijlftrI.,:;'|!()[]{}/\\` ")
WIDE_LETTERS = frozenset("mwMWQO%@<>=+~#&")
BOLD = 1.12
LEVELS = or_none(integer(0))


def export_svg(
    classifier: EstimatorLike,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    orientation: str | None = None,
    max_depth: int | None = None,
) -> str:
    """Return the tree of a fitted estimator as a picture in SVG.

    The picture is that of `plot_tree`, but needs no other package. It can be read on light and dark
    backgrounds. A node shows its rows and their classes when the mouse points at it.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalTreeRegressor
        The fitted estimator.
    feature_names : sequence of str, optional
        Names of the columns; by default those seen by `fit`, or ``x0``, ``x1``, ...
    class_names : sequence of str, optional
        Names of the classes, in the order of ``classes_``; by default the labels. A regressor has
        none.
    orientation : {"down", "right"}, optional
        The direction in which the tree grows; by default down if at most 8 leaves are drawn.
    max_depth : int, optional
        The largest depth of nodes that are drawn; by default all nodes are. A node of this depth
        says how many leaves are below it.

    Returns
    -------
    str
        An ``<svg>`` element, for a file or a page.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import export_svg
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> picture = export_svg(clf, feature_names=["rain"])
    >>> picture.startswith("<svg xmlns=") and "<title>rain?" in picture
    True
    """
    model = Model.of(classifier, feature_names, class_names)
    LEVELS.check("max_depth", max_depth)
    proof = fitted_estimator(classifier).proof_
    return tree_svg(model, proof, orientation=orientation, max_depth=max_depth)


def tree_svg(
    model: Model, label: str, *, orientation: str | None = None, max_depth: int | None = None
) -> str:
    """Return the picture of a tree without a classifier; see `export_svg`.

    Parameters
    ----------
    model : Model
        The tree.
    label : str
        What the picture shows, for those who cannot see it.
    orientation, max_depth
        As in `export_svg`.

    Returns
    -------
    str
        An ``<svg>`` element.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export._model import Model
    >>> from beamtree.export.svg import tree_svg
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> tree_svg(Model.of(clf), "the weather").count("<rect")
    3
    """
    drawing = draw_tree(model, text_width, orientation, max_depth)
    width, height = INCH * drawing.width, INCH * drawing.height
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.1f} {height:.1f}" role="img" aria-label="{html_text(label)}" '
        f'font-family="{FONT}" text-anchor="middle">'
    )
    return "\n".join([opening, *_edges(model, drawing), *_boxes(model, drawing), "</svg>"])


def text_width(text: str, points: float, bold: bool) -> float:  # noqa: FBT001
    """Return about how wide a line of text is, in inches.

    Parameters
    ----------
    text : str
        The text.
    points : float
        The size of the text.
    bold : bool
        Whether it is bold.

    Returns
    -------
    float
        A width that is too large rather than too small.

    Examples
    --------
    >>> from beamtree.export.svg import text_width
    >>> text_width("ill", 9.0, False) < text_width("age", 9.0, False)
    True
    """
    return sum(map(_share, text)) * points / 72.0 * (BOLD if bold else 1.0)


def _share(letter: str) -> float:
    """Return the width of a character, as a share of the size of the text."""
    if letter in NARROW_LETTERS:
        return NARROW
    if letter in WIDE_LETTERS:
        return WIDE
    if combining(letter):
        return 0.0
    return WIDEST if east_asian_width(letter) in "WF" else USUAL


def _edges(model: Model, drawing: Drawing) -> Iterator[str]:
    rows = model.tree.weighted_n_node_samples
    for answer, parent, child in drawing.edges():
        width = 1.0 + 4.2 * float(rows[child] / rows[0])
        start, *curve = (f"{INCH * x:.1f} {INCH * y:.1f}" for x, y in drawing.curve(parent, child))
        yield (
            f'<path d="M{start}C{",".join(curve)}" fill="none" stroke="{GREY}" '
            f'stroke-width="{width:.1f}"/>'
        )
        # The answer is beside the end of the edge: it would need a background on the edge.
        box = drawing.boxes[child]
        yes = answer == "yes"
        away = BESIDE + text_width(answer, SMALL, False) / 2.0  # noqa: FBT003
        if drawing.down:
            x, y = box.x + (-away if yes else away), box.y - box.height / 2.0 - 0.06
        else:
            x, y = box.x - box.width / 2.0 - away, box.y + (-0.06 if yes else 0.13)
        yield _text(x, y, answer, SMALL, "currentColor")


def _boxes(model: Model, drawing: Drawing) -> Iterator[str]:
    colours = node_colours(model)
    for node, box in drawing.boxes.items():
        corner = INCH * (box.x - box.width / 2.0), INCH * (box.y - box.height / 2.0)
        yield f"<g><title>{html_text(_tooltip(model, node))}</title>"
        yield (
            f'<rect x="{corner[0]:.1f}" y="{corner[1]:.1f}" width="{INCH * box.width:.1f}" '
            f'height="{INCH * box.height:.1f}" rx="{INCH * PADDING:.1f}" '
            f'fill="{as_hex(colours[node])}" stroke="{GREY}"/>'
        )
        yield from _lines(box)
        yield "</g>"


def _lines(box: Box) -> Iterator[str]:
    top = box.y - box.height / 2.0 + PADDING / 2.0
    weight = ' font-weight="bold"' if box.is_leaf else ""
    for number, line in enumerate(box.title):
        yield _text(box.x, top + (number + 0.75) * LINE, line, LETTERS, INK, weight)
    yield _text(box.x, top + (len(box.title) + 0.72) * LINE, box.note, SMALL, PALE)


def _text(x: float, y: float, words: str, points: float, colour: str, more: str = "") -> str:
    return (
        f'<text x="{INCH * x:.1f}" y="{INCH * y:.1f}" font-size="{POINT * points:.1f}" '
        f'fill="{colour}"{more}>{html_text(words)}</text>'
    )


def _tooltip(model: Model, node: int) -> str:
    """Return everything about a node in words, with names that are not shortened."""
    inner = model.tree.feature[node] >= 0
    first = question_of(model, node).words if inner else model.predicted(node)
    return f"{first}\n{count_words(model, node)}: {class_words(model, node)}"
