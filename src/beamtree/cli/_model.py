"""Models in files, and their application to the rows of a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.files import FileRows, Reading, read_rows_for
from beamtree._table.table import Table
from beamtree._table.text_values import number_of
from beamtree.classifier import OptimalTreeClassifier
from beamtree.regressor import OptimalTreeRegressor

if TYPE_CHECKING:
    from beamtree.search import Search


Model = OptimalTreeClassifier | OptimalTreeRegressor


def model_of(search: Search, problem: dict[str, Any], *, in_a_hurry: bool) -> Model:
    """Return the classifier or the regressor that a search has found.

    Parameters
    ----------
    search : Search
        The search, which has ended.
    problem : dict
        What the other commands have to know, as in the format of `beamtree.export.json`.
    in_a_hurry : bool
        Whether to leave out the search for alternatives.

    Returns
    -------
    OptimalTreeClassifier or OptimalTreeRegressor
        The model, as if it had been fitted on the table.
    """
    make = search.to_regressor if search.regression else search.to_classifier
    model: Model = make(0.0) if in_a_hurry else make()
    model.problem_ = problem
    return model


def load_model(path: Path) -> Model:
    """Return the model in a file.

    Parameters
    ----------
    path : Path
        File that `to_json` has written.

    Returns
    -------
    OptimalTreeClassifier or OptimalTreeRegressor
        The model.
    """
    content = path.read_bytes()
    try:
        kind = OptimalTreeRegressor if _has_no_classes(content) else OptimalTreeClassifier
        model: Model = kind.from_json(content)
    except ValueError as error:
        msg = f"{str(path)!r} is not a model: {error}"
        raise ValueError(msg) from error
    return model


def _has_no_classes(content: bytes) -> bool:
    """Return whether a model predicts numbers; `from_json` checks everything else."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(whole, dict) and whole.get("classes", ()) is None


def predicts_numbers(model: Model) -> bool:
    """Return whether a model predicts numbers instead of labels."""
    return model.tree_.predicts_numbers


def problem_of(model: Model) -> dict[str, Any]:
    """Return what a model says about its problem; empty if it was not saved by ``fit``."""
    problem: dict[str, Any] = getattr(model, "problem_", {})
    return problem


def labels_column(model: Model, path: Path, target: str | None) -> str:
    """Return the name of the column of labels.

    Parameters
    ----------
    model : OptimalTreeClassifier or OptimalTreeRegressor
        The model, which may name the column.
    path : Path
        The file of the model, for the error.
    target : str or None
        The option ``--target``, which has precedence.

    Returns
    -------
    str
        The name.
    """
    found: str | None = problem_of(model).get("target") if target is None else target
    if found is None:
        msg = f"--target must be given: {str(path)!r} does not name the column of labels"
        raise ValueError(msg)
    return found


def rows_for(
    model: Model,
    data: Path,
    reading: Reading,
    target: str | None = None,
    weight: str | None = None,
) -> FileRows:
    """Return the rows of a file, with the columns that the tree of a model uses.

    Parameters
    ----------
    model : OptimalTreeClassifier or OptimalTreeRegressor
        The model.
    data : Path
        The file.
    reading : Reading
        How the file is read.
    target, weight : str or None, default=None
        Names of the columns of labels and of weights; None if they are not needed.

    Returns
    -------
    FileRows
        The rows.
    """
    used = sorted({*model.tree_.feature[model.tree_.feature >= 0].tolist()})
    return read_rows_for(
        data,
        model.columns_,
        used,
        target=target,
        weight=weight,
        reading=reading,
        numbers=predicts_numbers(model),
    )


def leaves_of(model: Model, table: Table) -> NDArray[np.intp]:
    """Return the leaf that each row reaches."""
    return model.tree_.apply(model.columns_.encode(table))


def probabilities_of(model: Model, leaves: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the probabilities of the labels of rows that reach the given leaves."""
    probabilities: NDArray[np.float64] = model.tree_.probability[leaves]
    return probabilities


def codes_of(labels: Sequence[str], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the positions of labels from a file among the labels of a model.

    Parameters
    ----------
    labels : sequence of str
        The labels from the file.
    classes : ndarray
        The labels of the model, of any type.

    Returns
    -------
    ndarray of intp
        The positions; -1 for a label that the model does not know.
    """
    texts = {str(value).strip(): k for k, value in enumerate(classes.tolist())}
    numbers = {number_of(text): k for text, k in texts.items()}
    if None in numbers or len(numbers) < len(texts):
        return np.array([texts.get(label, -1) for label in labels], dtype=np.intp)
    # Files of other programs may write the number 1 as 1.0.
    return np.array([numbers.get(number_of(label), -1) for label in labels], dtype=np.intp)


def numbers_of(model: Model) -> dict[str, Any]:
    """Return the numbers that describe a model, in the form that ``--json`` prints."""
    labels: dict[str, Any] = {"n_errors": None, "classes": []}
    if isinstance(model, OptimalTreeClassifier):
        labels = {"n_errors": int(model.n_errors_), "classes": model.classes_.tolist()}
    return {
        "status": model.status_,
        "proof": model.proof_,
        "objective": float(model.objective_),
        "lower_bound": float(model.lower_bound_),
        "gap": float(model.gap_),
        "n_errors": labels["n_errors"],
        "rows": int(model.tree_.n_node_samples[0]),
        "depth": int(model.tree_.max_depth),
        "leaves": int(model.tree_.n_leaves),
        "target": problem_of(model).get("target"),
        "classes": labels["classes"],
        "columns": list(model.columns_.names),
        "search_space": str(model.search_space_),
    }
