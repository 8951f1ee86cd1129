"""A tree as a Python function that imports nothing."""

from __future__ import annotations

from collections.abc import Iterator
from keyword import iskeyword
from math import isfinite
from typing import Any

from beamtree._util.validation import Allowed
from beamtree.export._fitted import EstimatorLike
from beamtree.export._model import Model

NAME = Allowed(
    "a valid name of a function in Python",
    lambda value: isinstance(value, str) and value.isidentifier() and not iskeyword(value),
)


def to_python(classifier: EstimatorLike, *, name: str = "predict") -> str:
    """Return the source code of a function that makes the predictions of a fitted estimator.

    The function takes one row: a dict with the names of the columns as keys, or a sequence in the
    order of the columns. None and NaN are missing values. The function imports nothing. Turn a
    float32 of NumPy into a float first: Python would compare it with thresholds as a float32.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalTreeRegressor
        The fitted estimator.
    name : str, default="predict"
        Name of the function.

    Returns
    -------
    str
        The source code, with a newline at the end.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import to_python
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> print(to_python(clf), end="")
    def predict(row):
        x0 = row['x0'] if isinstance(row, dict) else row[0]
        if x0 is not None and x0 <= 0.5:
            return 'dry'
        return 'wet'
    """
    NAME.check("name", name)
    model = Model.of(classifier)
    tree = model.tree
    lines = [f"def {name}(row):"]
    for column in sorted(set(tree.feature[tree.feature >= 0].tolist())):
        key = model.columns.names[column]
        lines.append(f"    x{column} = row[{key!r}] if isinstance(row, dict) else row[{column}]")
    lines += _statements(model, 0, "    ")
    return "\n".join(lines) + "\n"


def _statements(model: Model, node: int, indent: str) -> Iterator[str]:
    """Return the statements of a subtree; every path through them ends with a return."""
    tree = model.tree
    while tree.feature[node] >= 0:
        yield f"{indent}if {_condition(model, node)}:"
        yield from _statements(model, tree.children_left[node], indent + "    ")
        node = tree.children_right[node]
    yield f"{indent}return {_literal(model.labels[node])}"


def _condition(model: Model, node: int) -> str:
    """Return the test of a node, which is true for rows that go left."""
    value = f"x{model.tree.feature[node]}"
    if model.is_missing_test(node):
        return f"{value} is not None and {value} == {value}"
    missing_left = bool(model.tree.missing_go_to_left[node])
    if model.tests_categories(node):
        comparison = _membership(value, model.categories(node))
    else:
        comparison = f"{value} <= {model.tree.exact_number(node)!r}"
        if not missing_left:  # a comparison with None would raise an error
            return f"{value} is not None and {comparison}"
    # NaN differs from itself.
    return f"{value} is None or {value} != {value} or {comparison}" if missing_left else comparison


def _membership(value: str, categories: list[Any]) -> str:
    literals = [_literal(category) for category in categories]
    if len(literals) == 1:
        return f"{value} == {literals[0]}"
    return f"{value} in ({', '.join(literals)})"


def _literal(value: Any) -> str:
    if isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value)):
        return repr(value)
    msg = f"labels and categories must be texts, booleans or finite numbers, got {value!r}"
    raise ValueError(msg)
