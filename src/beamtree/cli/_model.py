"""Models in files, and their application to the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beamtree.classifier import OptimalTreeClassifier

if TYPE_CHECKING:
    from beamtree.search import Search


def model_of(search: Search, target: str, *, in_a_hurry: bool) -> OptimalTreeClassifier:
    """Return the classifier that a search has found.

    Parameters
    ----------
    search : Search
        The search, which has ended.
    target : str
        Name of the column that has the labels.
    in_a_hurry : bool
        Whether to leave out the search for alternatives.

    Returns
    -------
    OptimalTreeClassifier
        The classifier, as if it had been fitted on the table.
    """
    model = search.to_classifier(0.0) if in_a_hurry else search.to_classifier()
    model.problem_ = {"target": target, "leaf_penalty": float(model.leaf_penalty)}
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


def target_of(model: OptimalTreeClassifier) -> str | None:
    """Return the name of the column of labels, if the model contains it."""
    target: str | None = getattr(model, "problem_", {}).get("target")
    return target


def leaves_of(model: OptimalTreeClassifier, table: Any) -> NDArray[np.intp]:
    """Return the leaf that each row reaches."""
    return model.tree_.apply(model.columns_.encode(table))


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
    if classes.dtype.kind in "iuf":
        numbers = {float(value): k for k, value in enumerate(classes.tolist())}
        values = [_number(label) for label in labels]
        return np.array([numbers.get(value, -1) for value in values], dtype=np.intp)
    texts = {str(value): k for k, value in enumerate(classes.tolist())}
    return np.array([texts.get(label, -1) for label in labels], dtype=np.intp)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan  # not equal to any number


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
        "target": target_of(model),
        "classes": model.classes_.tolist(),
        "columns": list(model.columns_.names),
        "search_space": str(model.search_space_),
    }
