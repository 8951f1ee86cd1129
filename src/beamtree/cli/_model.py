"""Models in files, and their application to the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beamtree._table.files import FileRows, Reading, read_rows_for
from beamtree._table.table import Table
from beamtree._table.text_values import number_of
from beamtree.classifier import OptimalTreeClassifier

if TYPE_CHECKING:
    from beamtree.search import Search


def model_of(search: Search, problem: dict[str, Any], *, in_a_hurry: bool) -> OptimalTreeClassifier:
    """Return the classifier that a search has found.

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
    OptimalTreeClassifier
        The classifier, as if it had been fitted on the table.
    """
    model = search.to_classifier(0.0) if in_a_hurry else search.to_classifier()
    model.problem_ = problem
    return model


def load_model(path: Path) -> OptimalTreeClassifier:
    """Return the model in a file.

    Parameters
    ----------
    path : Path
        File that `to_json` has written.

    Returns
    -------
    OptimalTreeClassifier
        The model.
    """
    content = path.read_bytes()
    try:
        return OptimalTreeClassifier.from_json(content)
    except ValueError as error:
        msg = f"{str(path)!r} is not a model: {error}"
        raise ValueError(msg) from error


def problem_of(model: OptimalTreeClassifier) -> dict[str, Any]:
    """Return what a model says about its problem; empty if it was not saved by ``fit``."""
    problem: dict[str, Any] = getattr(model, "problem_", {})
    return problem


def labels_column(model: OptimalTreeClassifier, path: Path, target: str | None) -> str:
    """Return the name of the column of labels.

    Parameters
    ----------
    model : OptimalTreeClassifier
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
    model: OptimalTreeClassifier,
    data: Path,
    reading: Reading,
    target: str | None = None,
    weight: str | None = None,
) -> FileRows:
    """Return the rows of a file, with the columns that the tree of a model uses.

    Parameters
    ----------
    model : OptimalTreeClassifier
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
    return read_rows_for(data, model.columns_, used, target=target, weight=weight, reading=reading)


def leaves_of(model: OptimalTreeClassifier, table: Table) -> NDArray[np.intp]:
    """Return the leaf that each row reaches."""
    return model.tree_.apply(model.columns_.encode(table))


def probabilities_of(model: OptimalTreeClassifier, leaves: NDArray[np.intp]) -> NDArray[np.float64]:
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


def numbers_of(model: OptimalTreeClassifier) -> dict[str, Any]:
    """Return the numbers that describe a model, in the form that ``--json`` prints."""
    return {
        "status": model.status_,
        "proof": model.proof_,
        "objective": float(model.objective_),
        "lower_bound": float(model.lower_bound_),
        "gap": float(model.gap_),
        "n_errors": int(model.n_errors_),
        "rows": int(model.tree_.n_node_samples[0]),
        "depth": int(model.tree_.max_depth),
        "leaves": int(model.tree_.n_leaves),
        "target": problem_of(model).get("target"),
        "classes": model.classes_.tolist(),
        "columns": list(model.columns_.names),
        "search_space": str(model.search_space_),
    }
