"""A tree as JSON, for programs that know nothing of this package.

Version 1 is an object with these keys, all of them but ``problem``, and no others:

- ``format``: ``"beamtree.tree"``; ``version``: 1.
- ``columns``: a list with an object a column of X: ``name``; ``categories``, null for a column of
  numbers, otherwise *values*, sorted; ``integral`` and ``binary``, whether its numbers were all
  integers, and all 0 or 1 and known.
- ``named``: whether X had names of columns; otherwise the names are ``x0``, ``x1``, ...
- ``classes``: *values*, the labels.
- ``nodes``: a list with an object a node, depth first, left before right, the root first. All have
  ``rows`` and ``weight`` of the training rows, ``shares`` of the classes in it, and ``prediction``,
  the position of the class. Inner nodes also have the positions ``left`` and ``right`` of their
  children, the position ``column`` and one of three tests: ``at_most``, a float32; ``equals``, the
  position of a category; ``known``, true. A row goes left if its value is at most that, is that
  category, or is not missing. A missing value goes right, and so does an unknown category, which
  is not missing.
- ``search``: an object: ``status``, ``objective``, ``lower_bound``, ``n_errors``, ``rounding`` and
  ``statistics``, as the attributes of the classifier; ``tests`` and ``possible``, for every column
  the number of tests that were searched, and that there are; and ``trace``, an object with a list
  for every field of the attribute, where null is no threshold. Of more than 1,000 improvements the
  trace has 1,000, the first and the last among them. ``alternatives`` is a list of first tests, the
  best 1,000, with their ``objective`` and ``lower_bound``; a test is written as in a node.
- ``problem``, in files that the command line wrote: an object with ``target``, the name of the
  column of labels, and ``leaf_penalty``. Their rows have no weights, and mistakes no prices.

*Values* are an object with ``type`` (``"str"``, ``"object"``, ``"bool"``, ``"int64"``,
``"float64"`` and other types of numpy) and the list ``values``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import NDArray

from beamtree.export._json_reader import FORMAT, VERSION, read
from beamtree.export._json_search import search_content
from beamtree.export._json_tests import content_of_test
from beamtree.export._json_values import TYPES
from beamtree.export._model import Model, fitted_classifier

if TYPE_CHECKING:
    from beamtree._sklearn.shown import ShownTree
    from beamtree.classifier import OptimalTreeClassifier

_Classifier = TypeVar("_Classifier", bound="OptimalTreeClassifier")


def to_json(classifier: ShownTree, *, indent: int | None = None) -> str:
    """Return a fitted classifier as JSON.

    It has the tree, its columns and labels, how good it is, and how the search got there; not the
    parameters. The format is described in ``beamtree.export.json``.

    Parameters
    ----------
    classifier : OptimalTreeClassifier or OptimalTreeClassifierCV
        The fitted classifier. Labels and categories are texts, booleans and finite numbers.
    indent : int, optional
        Spaces by which each level is indented; without it all is on one line.

    Returns
    -------
    str
        The JSON, in ASCII.

    Examples
    --------
    >>> import json
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import to_json
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> tree = json.loads(to_json(clf))
    >>> tree["nodes"][0]["column"], tree["nodes"][0]["at_most"], tree["nodes"][1]["shares"]
    (0, 0.5, [1.0, 0.0])
    """
    fitted = fitted_classifier(classifier)
    model = Model.of(fitted)
    columns = zip(
        model.columns.names,
        model.columns.categories,
        model.columns.integral.tolist(),
        model.columns.binary.tolist(),
        strict=True,
    )
    content = {
        "format": FORMAT,
        "version": VERSION,
        "columns": [
            {
                "name": name,
                "categories": None if categories is None else _values(categories),
                "integral": integral,
                "binary": binary,
            }
            for name, categories, integral, binary in columns
        ],
        "named": hasattr(fitted, "feature_names_in_"),
        "classes": _values(model.classes),
        "nodes": [_node(model, node) for node in range(model.tree.node_count)],
        "search": search_content(fitted),
    }
    if hasattr(fitted, "problem_"):
        content["problem"] = fitted.problem_
    return json.dumps(content, indent=indent, allow_nan=False)


def from_json(text: str | bytes, classifier: _Classifier) -> _Classifier:
    """Put a tree that `to_json` wrote into a classifier.

    The text is checked in full, and nothing in it is run, so it may come from anywhere.

    Parameters
    ----------
    text : str or bytes
        The JSON.
    classifier : OptimalTreeClassifier
        An unfitted classifier.

    Returns
    -------
    OptimalTreeClassifier
        The same classifier, which now is as the one that was written, but for its parameters.

    Raises
    ------
    ValueError
        If the text is not what `to_json` writes, with what is wrong.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import from_json, to_json
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> twin = from_json(to_json(clf), OptimalTreeClassifier())
    >>> twin.predict([[1], [0]])
    array(['wet', 'dry'], dtype='<U3')
    """
    for name, value in read(text).items():
        setattr(classifier, name, value)
    return classifier


def _node(model: Model, node: int) -> dict[str, Any]:
    tree = model.tree
    content: dict[str, Any] = {}
    if tree.feature[node] >= 0:
        content |= content_of_test(tree.feature[node], tree.threshold[node], tree.category[node])
        content["left"] = int(tree.children_left[node])
        content["right"] = int(tree.children_right[node])
    content["rows"] = int(tree.n_node_samples[node])
    content["weight"] = float(tree.weighted_n_node_samples[node])
    content["shares"] = tree.value[node, 0].tolist()
    content["prediction"] = int(model.tree.prediction[node])
    return content


def _values(array: NDArray[Any]) -> dict[str, Any]:
    kind = {"U": "str", "T": "object"}.get(array.dtype.kind, array.dtype.name)
    values = array.tolist()
    if kind not in TYPES or not all(TYPES[kind](value) for value in values):
        msg = f"to_json writes texts, booleans and finite numbers, got {array!r}"
        raise ValueError(msg)
    return {"type": kind, "values": values}
