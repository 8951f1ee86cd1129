"""A tree as an expression in SQL."""

from __future__ import annotations

from math import isfinite
from typing import Any

from beamtree.export._fitted import EstimatorLike
from beamtree.export._model import Model


def to_sql(
    classifier: EstimatorLike, table: str | None = None, *, output: str = "prediction"
) -> str:
    """Return the predictions of a fitted estimator as SQL.

    The result is standard SQL: ``CASE``, names in double quotes, texts in single quotes. NULL is a
    missing value: where it goes left, the condition ends with ``OR ... IS NULL``; elsewhere no
    condition is true for it, so it falls through to the next ``WHEN`` or to ``ELSE``. NaN is a
    number in SQL: turn it into NULL beforehand. Turn booleans into 0 and 1 if the database cannot
    compare them with numbers. MySQL needs the mode ``ANSI_QUOTES``.

    Parameters
    ----------
    classifier : OptimalTreeClassifier, OptimalTreeClassifierCV or OptimalTreeRegressor
        The fitted estimator. The columns of the table must have the names that `fit` saw.
    table : str, optional
        Name of a table, without a schema. By default, the result is only the expression.
    output : str, default="prediction"
        Name of the column of predictions, if `table` is given.

    Returns
    -------
    str
        The expression, or a query that selects all columns of the table and the predictions.

    Examples
    --------
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.export import to_sql
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "it's wet"])
    >>> print(to_sql(clf, "days"))
    SELECT *, CASE
      WHEN "days"."x0" <= 0.5 THEN 'dry'
      ELSE 'it''s wet'
    END AS "prediction"
    FROM "days"
    """
    model = Model.of(classifier)
    if table is None:
        return _case(model, 0, "", "")
    # Some databases read a quoted name as a text unless the name of its table comes first.
    expression = _case(model, 0, f"{_name(table)}.", "")
    return f"SELECT *, {expression} AS {_name(output)}\nFROM {_name(table)}"


def _case(model: Model, node: int, table: str, indent: str) -> str:
    tree = model.tree
    if tree.feature[node] < 0:
        return _literal(model.labels[node])
    inner = indent + "  "
    lines = ["CASE"]
    while tree.feature[node] >= 0:
        left = _case(model, tree.children_left[node], table, inner)
        lines.append(f"{inner}WHEN {_condition(model, node, table)} THEN {left}")
        node = tree.children_right[node]
    lines += [f"{inner}ELSE {_literal(model.labels[node])}", f"{indent}END"]
    return "\n".join(lines)


def _condition(model: Model, node: int, table: str) -> str:
    """Return the test of a node, which is true for rows that go left."""
    name = table + _name(model.columns.names[model.tree.feature[node]])
    if model.is_missing_test(node):
        return f"{name} IS NOT NULL"
    if model.tests_categories(node):
        condition = _membership(name, model.categories(node))
    else:
        condition = f"{name} <= {model.tree.exact_number(node)!r}"
    return f"{condition} OR {name} IS NULL" if model.tree.missing_go_to_left[node] else condition


def _membership(name: str, categories: list[Any]) -> str:
    literals = [_literal(category) for category in categories]
    return f"{name} = {literals[0]}" if len(literals) == 1 else f"{name} IN ({', '.join(literals)})"


def _name(name: str) -> str:
    return '"' + _checked(name).replace('"', '""') + '"'


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
        return repr(value)
    if isinstance(value, str):
        return "'" + _checked(value).replace("'", "''") + "'"
    msg = f"labels and categories must be texts, booleans or finite numbers, got {value!r}"
    raise ValueError(msg)


def _checked(text: str) -> str:
    if "\0" in text:
        msg = f"SQL cannot hold the character NUL, got the text {text!r}"
        raise ValueError(msg)
    return text
