"""A tree as an interactive page: one file, which requests nothing from the network."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from beamtree._table.times import TimeKind
from beamtree._util.atomic_files import check_folder, write_whole
from beamtree._util.html import FORBIDDEN
from beamtree._util.optional import import_optional
from beamtree._util.validation import Allowed
from beamtree.alternatives import Alternatives
from beamtree.export._box import first_levels
from beamtree.export._colours import as_hex, class_colours, heights
from beamtree.export._course import course_svg
from beamtree.export._fitted import (
    EstimatorLike,
    FittedEstimator,
    end_of_search,
    fitted_estimator,
)
from beamtree.export._model import Model
from beamtree.export._words import class_words, count_words, question_of, rows_words

# A tree is unfolded at first as far as at most this many nodes are at the lower end.
UNFOLDED = 16
# The largest numbers of first tests and of improvements that are listed.
MOST_TESTS, MOST_ROWS = 20, 100
# How dates and times are entered.
EXAMPLES = {
    "datetime": "2024-03-01 14:30",
    "period": "2024-03-01",
    "time": "14:30",
    "duration": "1 day 12 h 30 min 5 s",
}
PATH = Allowed(
    "None or the path of a file", lambda v: v is None or isinstance(v, str | os.PathLike)
)


def to_html(
    classifier: EstimatorLike,
    path: str | os.PathLike[str] | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    """Return the tree of a fitted estimator as an interactive page.

    The page shows every node with its rows and their classes, or their mean, and nodes can be
    folded and unfolded. A form takes the values of a row and shows its path through the tree and
    its prediction. Below, the page has the best alternatives for the first test, and the course of
    the search. It is one file, which requests nothing from the network.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalTreeRegressor
        The fitted estimator.
    path : str or path, optional
        The file to which the page is written; an existing file is replaced. By default it is only
        returned.
    feature_names : sequence of str, optional
        Names of the columns; by default those seen by `fit`, or ``x0``, ``x1``, ...
    class_names : sequence of str, optional
        Names of the classes, in the order of ``classes_``; by default the labels. A regressor has
        none.

    Returns
    -------
    str
        The HTML.

    Raises
    ------
    ImportError
        If Jinja2 is not installed.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import to_html
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> page = to_html(clf, feature_names=["rain"])
    >>> page.startswith("<!DOCTYPE html>") and "rain?" in page
    True
    """
    PATH.check("path", path)
    if path is not None:
        check_folder("path", Path(path))
    jinja2 = import_optional("jinja2", "to_html", "html")
    markup = jinja2.utils.markupsafe.Markup
    fitted = fitted_estimator(classifier)
    model = Model.of(classifier, feature_names, class_names)
    script = "\n" + _part("page.js")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
    used = sorted({int(column) for column in model.tree.feature if column >= 0})
    alternatives = Alternatives(fitted.alternatives_.table, model.columns)
    trace = fitted.trace_
    page = environment.from_string(_part("page.html.j2")).render(
        proof=fitted.proof_,
        space=str(fitted.search_space_),
        classes=list(zip(model.class_names, _class_colours(model), strict=True)),
        tree=_branch(model, 0, "", 0, first_levels(model.tree, UNFOLDED)),
        columns=[_column(model, column) for column in used],
        alternatives=list(alternatives[:MOST_TESTS]),
        tests_left_out=max(0, len(alternatives) - MOST_TESTS),
        course=markup(_course(fitted)),
        trace=[dict(zip(trace.dtype.names or (), row, strict=True)) for row in trace[-MOST_ROWS:]],
        rows_left_out=max(0, len(trace) - MOST_ROWS),
        data={"nodes": [_node(model, node, used) for node in range(model.tree.node_count)]},
        style=markup(_part("page.css")),
        script=markup(script),
        script_hash="sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    page = FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", page) + "\n"
    if path is not None:
        write_whole(Path(path), page.encode())
    return page


def _course(fitted: FittedEstimator) -> str:
    trace = fitted.trace_
    return course_svg(
        trace["seconds"], trace["objective"], trace["lower_bound"], end_of_search(fitted)
    )


def _part(name: str) -> str:
    return files("beamtree.export").joinpath(name).read_text(encoding="utf-8")


def _class_colours(model: Model) -> list[str]:
    return [as_hex(colour) for colour in class_colours(len(model.class_names))]


def _branch(model: Model, node: int, answer: str, depth: int, unfolded: int) -> dict[str, Any]:
    """Return what the template shows of a node and of those below it."""
    tree = model.tree
    shown = {
        "node": node,
        "answer": answer,
        "name": model.predicted(node),
        "rows": count_words(model, node),
        "classes": class_words(model, node),
        "shares": _bar(model, node),
        "question": None,
        "open": depth < unfolded,
        "below": [],
    }
    if tree.feature[node] >= 0:
        question = question_of(model, node)
        shown["question"] = question.words
        shown["below"] = [
            _branch(model, child, answer, depth + 1, unfolded) for answer, child in question.answers
        ]
    return shown


def _bar(model: Model, node: int) -> list[tuple[str, str]]:
    """Return the colours and the widths of the parts of a bar, in per cent of its length.

    They are the shares of the classes or, if the tree predicts numbers, where the number is between
    the smallest and the largest one.
    """
    if model.predicts_numbers:
        return [(as_hex(class_colours(1)[0]), f"{100 * float(heights(model)[node]):.3f}")]
    shares = model.tree.value[node, 0].tolist()
    return [
        (colour, f"{100 * share:.3f}")
        for colour, share in zip(_class_colours(model), shares, strict=True)
        if share > 0
    ]


def _column(model: Model, column: int) -> dict[str, Any]:
    """Return what the form needs to ask for the value of a column."""
    columns = model.columns
    categories = columns.categories[column]
    return {
        "name": columns.names[column],
        "categories": None if categories is None else [str(one) for one in categories],
        "binary": bool(columns.binary[column]),
        "whole": bool(columns.wide[column]),
        "time": _time(columns.times[column]),
    }


def _time(kind: TimeKind | None) -> dict[str, str] | None:
    """Return how a date or a time is entered: its pattern in the script, and an example."""
    if kind is None:
        return None
    if kind.zone is not None:
        return {"pattern": "zoned", "example": "2024-03-01 14:30+01:00"}
    return {"pattern": kind.kind, "example": EXAMPLES[kind.kind]}


def _node(model: Model, node: int, used: list[int]) -> dict[str, Any]:
    """Return what the script needs to know of a node."""
    tree = model.tree
    if tree.feature[node] < 0:
        return {"label": model.predicted(node), "words": rows_words(model, node)}
    question = question_of(model, node)
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    return {
        "question": question.words,
        "yes": question.yes,
        "left": left,
        "right": right,
        "test": _test(model, node, used),
    }


def _test(model: Model, node: int, used: list[int]) -> dict[str, Any]:
    """Return the test of an inner node for `goesLeft` in the script.

    Numbers are texts, because JSON has no integers beyond 2**53 that JavaScript would keep. Times
    are nanoseconds. A category is its position among the categories of its column.
    """
    tree = model.tree
    exact = tree.exact_threshold[node]
    categories = tree.categories[node]
    kind = "number"
    if model.is_missing_test(node):
        kind = "missing"
    elif categories is not None:
        kind = "category"
    elif model.time(node) is not None:
        kind = "time"
    return {
        "column": used.index(int(tree.feature[node])),
        "kind": kind,
        "threshold": repr(float(tree.threshold[node])) if kind == "number" else None,
        "exact": None if exact is None or kind != "number" else str(exact),
        "before": str(model.end(node)) if kind == "time" else None,
        "categories": [] if categories is None else list(map(int, categories)),
        "missing_left": bool(tree.missing_go_to_left[node]),
    }
