"""A tree as an expression in SQL."""

from __future__ import annotations

from math import isfinite
from typing import Any

from beamtree._table.time_words import clock_parts, iso_date
from beamtree._table.times import NANOSECONDS, TimeKind
from beamtree.export._fitted import EstimatorLike
from beamtree.export._model import Model
from beamtree.export._words import question_of


def to_sql(
    classifier: EstimatorLike, table: str | None = None, *, output: str = "prediction"
) -> str:
    """Return the predictions of a fitted estimator as SQL.

    The result is standard SQL: ``CASE``, names in double quotes, texts in single quotes. NULL is a
    missing value: where it goes left, the condition ends with ``OR ... IS NULL``; elsewhere no
    condition is true for it, so it falls through to the next ``WHEN`` or to ``ELSE``, before which
    a comment says so if the column had missing values in `fit`. NaN is a
    number in SQL: turn it into NULL beforehand. Turn booleans into 0 and 1 if the database cannot
    compare them with numbers. MySQL needs the mode ``ANSI_QUOTES``. Dates and times are compared
    with literals of the types DATE, TIMESTAMP, TIME and INTERVAL; a period is compared by any date
    in it. SQLite has no such types: remove the words DATE, TIMESTAMP and TIME there, and keep dates
    as text in the same format.

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
        question = question_of(model, node)
        if question.no_words != "no":
            lines.append(f"{inner}/* {_comment(question.fails)} */")
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
    elif (kind := model.time(node)) is not None:
        condition = f"{name} < {_time(kind, model.end(node))}"
    else:
        condition = f"{name} <= {model.tree.exact_number(node)!r}"
    return f"{condition} OR {name} IS NULL" if model.tree.missing_go_to_left[node] else condition


def _membership(name: str, categories: list[Any]) -> str:
    literals = [_literal(category) for category in categories]
    return f"{name} = {literals[0]}" if len(literals) == 1 else f"{name} IN ({', '.join(literals)})"


def _time(kind: TimeKind, instant: int) -> str:
    """Return an instant, a time of day or a duration, given in nanoseconds, as a literal."""
    if kind.kind == "duration":
        seconds, fraction = divmod(abs(instant), 10**9)
        sign = "-" if instant < 0 else ""
        return f"INTERVAL '{sign}{seconds}{_decimals(fraction)}' SECOND"
    day, inside = divmod(instant, NANOSECONDS["D"])
    hour, minute, second, fraction = clock_parts(inside)
    clock = f"{hour:02}:{minute:02}:{second:02}{_decimals(fraction)}"
    if kind.kind == "time":
        return f"TIME '{clock}'"
    if kind.zone is not None:
        return f"CAST('{iso_date(day)} {clock}+00:00' AS TIMESTAMP WITH TIME ZONE)"
    if kind.counts_whole and inside == 0:
        return f"DATE '{iso_date(day)}'"
    return f"TIMESTAMP '{iso_date(day)} {clock}'"


def _decimals(nanoseconds: int) -> str:
    return f".{nanoseconds:09}".rstrip("0") if nanoseconds else ""


def _name(name: str) -> str:
    return '"' + _checked(name).replace('"', '""') + '"'


def _comment(text: str) -> str:
    """Return a text on one line that neither begins nor ends a comment."""
    return " ".join(_checked(text).split()).replace("*/", "* /").replace("/*", "/ *")


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
