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
# Relative error of the price of a leaf, which may be rounded to an integer.
ROUNDED_PRICE = 1e-4
# Relative error of sums of doubles that are added up in another order.
TOLERANCE = 1e-9


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
    total: float,
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
    total : float
        Of what a leaf penalty is a share: the weight of all rows, or the squares of a single leaf.
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
    except OSError as error:
        if not isinstance(error, gzip.BadGzipFile):
            raise
        return Verdict(f"refused: {error}", None, agrees=False)
    except Exception as error:  # whatever is in the file
        words = f"refused: it has no header ({type(error).__name__}: {error})"
        return Verdict(words, None, agrees=False)
    try:
        header, cost, bound = checker.check(path, _table(model.columns_, file, *names))
    except checker.Refused as refused:
        return Verdict(f"refused: {refused}", None, agrees=False)
    unit = header["cost_of_one"]
    proved, of_tree, said = bound / unit, cost / unit, float(model.objective_)
    words = f"{_kind(header)} costs less than {proved:.12g}"
    scale = TOLERANCE * total
    why = None
    if abs(of_tree - said) > float(model.rounding_) + scale:
        why = f"its tree costs {of_tree:.12g}, but that of the model {said:.12g}"
    elif header["depth"] is not None and model.tree_.max_depth > header["depth"]:
        why = f"but the tree of the model has the depth {model.tree_.max_depth}"
    elif leaf_penalty is not None and _differs(header["penalty"] / unit, leaf_penalty, total):
        why = f"but a leaf of the model costs {leaf_penalty * total:.12g}"
    elif proved < float(model.lower_bound_) - scale:
        why = f"but the model says {float(model.lower_bound_):.12g}"
    return Verdict(f"{words}, {why or 'as the model says'}", proved, agrees=why is None)


def _differs(price: float, leaf_penalty: float, total: float) -> bool:
    """Return whether the price of a leaf is another one; prices above the total are all alike."""
    known = min(leaf_penalty, 1.0) * total
    return abs(price - known) > ROUNDED_PRICE * max(known, TOLERANCE * total)


def _kind(header: dict[str, Any]) -> str:
    """Return which trees a certificate is about, in words, with all that limits them."""
    depth, least, penalty = header["depth"], header["least"], header["penalty"]
    limited = [column for column in header["columns"] if "thresholds" in column]
    parts = ["no tree" if depth is None else f"no tree of depth at most {depth}"]
    if least > 1:
        unit = "of at least the integer weight" if header["weighs"] else "of at least"
        parts.append(f"with leaves {unit} {least}{'' if header['weighs'] else ' rows'}")
    if penalty > 0:
        parts.append(f"at a price of {penalty / header['cost_of_one']:.6g} per leaf")
    if limited:
        parts.append(f"over some thresholds of {len(limited)} columns")
    return " ".join(parts)


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
