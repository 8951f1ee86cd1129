"""A tree as a Python function that needs no package."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from keyword import iskeyword
from math import isfinite
from typing import Any

from beamtree._table.times import TimeKind
from beamtree._util.validation import Allowed
from beamtree.export._fitted import EstimatorLike, fitted_estimator
from beamtree.export._model import Model

NAME = Allowed(
    "a valid name of a function in Python",
    lambda value: isinstance(value, str) and value.isidentifier() and not iskeyword(value),
)


def to_python(classifier: EstimatorLike, *, name: str = "predict") -> str:
    """Return the source code of a function that makes the predictions of a fitted estimator.

    The function takes one row: a dict with the names of the columns as keys, as the tree words
    them, or a sequence in the order of the columns. If the table of `fit` had texts as names, a row
    may also be a Series of pandas, so that ``frame.apply(predict, axis=1)`` works. None, NaN and
    NaT are missing values; ``pandas.NA`` is not, because it cannot be compared. Turn a float32 of
    NumPy into a float first: Python would compare it with thresholds as a float32.
    Dates and times are objects of ``datetime``, as those of pandas are, and a period is one of
    pandas. The function imports nothing, except ``datetime`` if it compares dates or times.

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
    body = list(_statements(model, 0, "    "))
    if any("datetime." in line for line in body):
        lines.append("    import datetime")
    # A Series has keys, but without names they are the positions 0, 1, ..., as in a sequence.
    named = hasattr(fitted_estimator(classifier), "feature_names_in_")
    has_names = "hasattr(row, 'keys')" if named else "isinstance(row, dict)"
    for column in sorted(set(tree.feature[tree.feature >= 0].tolist())):
        key = model.columns.names[column]
        lines.append(f"    x{column} = row[{key!r}] if {has_names} else row[{column}]")
    return "\n".join([*lines, *body]) + "\n"


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
    elif (kind := model.time(node)) is not None:
        comparison = _before(value, kind, model.end(node))
        if not missing_left:  # NaT has no date
            return f"{value} is not None and {value} == {value} and {comparison}"
    else:
        comparison = f"{value} <= {model.tree.exact_number(node)!r}"
        if not missing_left:  # a comparison with None would raise an error
            return f"{value} is not None and {comparison}"
    # NaN differs from itself.
    return f"{value} is None or {value} != {value} or {comparison}" if missing_left else comparison


def _before(value: str, kind: TimeKind, instant: int) -> str:
    """Return the comparison of a value with an instant, given in nanoseconds."""
    microseconds, rest = divmod(instant, 1000)
    if kind.kind == "time":  # it has no nanoseconds
        return f"{value} < {_time_object(kind, microseconds + (rest > 0))}"
    if kind.kind == "period":
        value = f"{value}.start_time"
    elif kind.counts_whole:
        # A date cannot be compared with a time, but both have these parts.
        day = _moment(microseconds)
        parts = f"({value}.year, {value}.month, {value}.day)"
        return f"{parts} < ({day.year}, {day.month}, {day.day})"
    if rest == 0:
        return f"{value} < {_time_object(kind, microseconds)}"
    first, next_ = (_time_object(kind, microseconds + more) for more in (0, 1))
    name = "nanoseconds" if kind.kind == "duration" else "nanosecond"
    inside = f'getattr({value}, "{name}", 0) < {rest}'  # only the objects of pandas have it
    return f"({value} < {first} or {value} < {next_} and {inside})"


def _time_object(kind: TimeKind, microseconds: int) -> str:
    if kind.kind == "duration":
        days, rest = divmod(microseconds, 86_400 * 10**6)
        seconds, rest = divmod(rest, 10**6)
        return f"datetime.timedelta({days}, {seconds}, {rest})"
    moment = _moment(microseconds)
    if kind.kind == "time":
        return repr(moment.time())
    if kind.zone is not None:
        return repr(moment)[:-1] + ", tzinfo=datetime.timezone.utc)"
    return repr(moment)


def _moment(microseconds: int) -> datetime:
    try:
        return datetime(1970, 1, 1) + timedelta(microseconds=microseconds)
    except OverflowError as error:
        msg = "Python has no dates before the year 1 or after 9999, and the tree compares with one"
        raise ValueError(msg) from error


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
