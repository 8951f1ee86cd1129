"""Checking the certificate of a model, for which `beamtree verify` runs the independent checker."""

from __future__ import annotations

import gzip
import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beamtree._table.values import known_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beamtree._table.columns import Columns
    from beamtree._table.files import FileRows
    from beamtree.classifier import OptimalTreeClassifier
    from beamtree.regressor import OptimalTreeRegressor

# The text of a category that no tree asks for.
OTHER = "\0"
# By how much a bound may be below that of the model, which is rounded in another way.
MOST_ROUNDING = 1e-6


class Verdict(NamedTuple):
    """What the check of a certificate has found.

    Parameters
    ----------
    words : str
        One sentence.
    bound : float or None
        The lower bound that is proved, in the units of the model; None if the certificate was
        refused.
    agrees : bool
        Whether it is the proof of what the model says.
    """

    words: str
    bound: float | None
    agrees: bool


def check_certificate(
    path: Path,
    model: OptimalTreeClassifier | OptimalTreeRegressor,
    file: FileRows,
    *,
    leaf_penalty: float | None,
) -> Verdict:
    """Check a certificate against the rows of a file, and against what a model says.

    Parameters
    ----------
    path : Path
        The certificate.
    model : OptimalTreeClassifier or OptimalTreeRegressor
        The model.
    file : FileRows
        All columns of the table from which the model was learned.
    leaf_penalty : float or None
        The leaf penalty of the model, if it is known.

    Returns
    -------
    Verdict
        The verdict.
    """
    checker: Any = importlib.import_module("beamtree._checker")
    try:
        names = _names(path, checker.MOST_LINE)
    except FileNotFoundError:
        raise
    except Exception as error:  # whatever is in the file
        words = f"refused: it has no header ({type(error).__name__}: {error})"
        return Verdict(words, None, agrees=False)
    try:
        header, cost, bound = checker.check(path, _table(model.columns_, file, *names))
    except checker.Refused as refused:
        return Verdict(f"refused: {refused}", None, agrees=False)
    unit = header["cost_of_one"]
    proved, of_tree, said = bound / unit, cost / unit, float(model.objective_)
    depth = header["depth"]
    of_depth = "" if depth is None else f" of depth at most {depth}"
    words = f"no tree{of_depth} costs less than {proved:.12g}"
    scale = MOST_ROUNDING * max(1.0, abs(said))
    if abs(of_tree - said) > scale:
        other = f"{words}; its tree costs {of_tree:.12g}, but that of the model {said:.12g}"
        return Verdict(other, proved, agrees=False)
    if depth is not None and model.tree_.max_depth > depth:
        other = f"{words}, but the tree of the model has the depth {model.tree_.max_depth}"
        return Verdict(other, proved, agrees=False)
    if leaf_penalty is not None and (leaf_penalty > 0) != (header["penalty"] > 0):
        price = f"{words}, but not with the leaf penalty of the model, {leaf_penalty:g}"
        return Verdict(price, proved, agrees=False)
    if proved < float(model.lower_bound_) - scale:
        less = f"{words}, but the model says {float(model.lower_bound_):.12g}"
        return Verdict(less, proved, agrees=False)
    return Verdict(f"{words}, as the model says", proved, agrees=True)


def _table(
    columns: Columns, file: FileRows, target: str, weight: str | None
) -> dict[str, list[str]]:
    """Return the cells of a file as text, as the checker reads them in a csv file."""
    encoded = columns.encode(file.table)
    table = {
        name: _texts(encoded[j], columns.categories[j]) for j, name in enumerate(columns.names)
    }
    table[target] = [str(value) for value in file.labels.tolist()]
    if weight is not None and file.weight is not None:
        table[weight] = [repr(value) for value in file.weight.tolist()]
    return table


def _texts(values: NDArray[Any], categories: NDArray[Any] | None) -> list[str]:
    """Return the values of a column as text: "" for a missing one, and OTHER if no tree asks."""
    if categories is not None:
        texts = [*map(str, categories.tolist()), OTHER]
        return ["" if np.isnan(code) else texts[int(code)] for code in values]
    known = known_rows(values)
    numbers = np.ma.getdata(values).tolist()
    if known is None:
        return [repr(number) for number in numbers]
    return [
        repr(number) if is_known else ""
        for number, is_known in zip(numbers, known.tolist(), strict=True)
    ]


def _names(path: Path, longest: int) -> tuple[str, str | None]:
    """Return what a certificate calls the columns of the target and of the weights."""
    with gzip.open(path) as file:
        header = json.loads(file.readline(longest))
    return str(header["target"]), header["weight"]
