"""Models in files, and their application to the rows of a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from beamtree._table.files import FileRows, Reading, read_rows_for
from beamtree._table.table import Table
from beamtree._table.text_values import number_of
from beamtree.classifier import OptimalTreeClassifier
from beamtree.policy import OptimalPolicyTree
from beamtree.regressor import OptimalTreeRegressor

if TYPE_CHECKING:
    from beamtree.search import Search


Model = OptimalTreeClassifier | OptimalTreeRegressor | OptimalPolicyTree


def model_of(search: Search, problem: dict[str, Any], *, in_a_hurry: bool) -> Model:
    """Return the estimator that a search has found.

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
    OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        The model, as if it had been fitted on the table.
    """
    make: Callable[..., Model] = search.to_classifier
    if search.regression or search.policy:
        make = search.to_regressor if search.regression else search.to_policy_tree
    model = make(0.0) if in_a_hurry else make()
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
    OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        The model.
    """
    content = path.read_bytes()
    if not content.lstrip().startswith(b"{"):
        msg = (
            f"{str(path)!r} is not a model, which is a JSON file that beamtree fit --save writes; "
            "beamtree fit learns a tree from a table"
        )
        raise ValueError(msg)
    try:
        model: Model = _kind_of(content).from_json(content)
    except ValueError as error:
        msg = f"{str(path)!r} is not a model: {error}"
        raise ValueError(msg) from error
    return model


def _kind_of(content: bytes) -> type[Model]:
    """Return the class of the model in a file; `from_json` checks everything else."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        return OptimalTreeClassifier
    if whole.get("classes", ()) is None:
        return OptimalTreeRegressor
    nodes = whole.get("nodes")
    root = nodes[0] if isinstance(nodes, list) and nodes else None
    has_rewards = isinstance(root, dict) and "rewards" in root
    return OptimalPolicyTree if has_rewards else OptimalTreeClassifier


def refuse_option(option: str, model: Model, path: Path) -> NoReturn:
    """Raise a ValueError that an option must be left out for this kind of model."""
    does = "chooses actions" if isinstance(model, OptimalPolicyTree) else "predicts labels"
    does = "predicts numbers" if isinstance(model, OptimalTreeRegressor) else does
    msg = f"{option} must be left out: {str(path)!r} {does}"
    raise ValueError(msg)


def problem_of(model: Model) -> dict[str, Any]:
    """Return what a model says about its problem; empty if it was not saved by ``fit``."""
    problem: dict[str, Any] = getattr(model, "problem_", {})
    return problem


def predicted_columns(
    model: Model, path: Path, target: str | None, rewards: Sequence[str]
) -> dict[str, Any]:
    """Return the names of the columns with what a model predicts.

    Parameters
    ----------
    model : OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        The model, which may name the columns.
    path : Path
        The file of the model, for the error.
    target : str or None
        The option ``--target``, which has precedence.
    rewards : sequence of str
        The option ``--rewards``, which has precedence, too.

    Returns
    -------
    dict
        The column of labels or numbers as ``target``, or the columns of ``rewards``.
    """
    if isinstance(model, OptimalPolicyTree):
        if target is not None:
            refuse_option("--target", model, path)
        actions = [str(action) for action in model.actions_.tolist()]
        if rewards and len(rewards) != len(actions):
            msg = (
                f"--rewards must name one column for each of the actions {', '.join(actions)}, got "
                f"{', '.join(rewards)}"
            )
            raise ValueError(msg)
        return {"rewards": rewards or actions}
    if rewards:
        refuse_option("--rewards", model, path)
    found: str | None = problem_of(model).get("target") if target is None else target
    if found is None:
        msg = f"--target must be given: {str(path)!r} does not name the column of labels"
        raise ValueError(msg)
    return {"target": found}


def rows_for(
    model: Model,
    data: Path,
    reading: Reading,
    *,
    target: str | None = None,
    rewards: Sequence[str] = (),
    weight: str | None = None,
    every: bool = False,
) -> FileRows:
    """Return the rows of a file, with the columns that the tree of a model uses.

    Parameters
    ----------
    model : OptimalTreeClassifier, OptimalTreeRegressor or OptimalPolicyTree
        The model.
    data : Path
        The file.
    reading : Reading
        How the file is read.
    target, weight : str or None, default=None
        Names of the columns of labels and of weights; None if they are not needed.
    rewards : sequence of str, default=()
        Names of the columns of rewards.
    every : bool, default=False
        Whether all columns are wanted from which the tree was learned.

    Returns
    -------
    FileRows
        The rows.
    """
    used = sorted({*model.tree_.feature[model.tree_.feature >= 0].tolist()})
    if every:
        used = [*range(len(model.columns_.names))]
    return read_rows_for(
        data,
        model.columns_,
        used,
        target=target,
        rewards=rewards,
        weight=weight,
        reading=reading,
        numbers=isinstance(model, OptimalTreeRegressor),
    )


def leaves_of(model: Model, table: Table) -> NDArray[np.intp]:
    """Return the leaf that each row reaches."""
    return model.tree_.apply(model.columns_.encode(table))


def classes_of(model: Model) -> NDArray[Any]:
    """Return the labels, or the actions, of a model; empty if it predicts numbers."""
    if isinstance(model, OptimalTreeRegressor):
        return np.empty(0)
    return model.actions_ if isinstance(model, OptimalPolicyTree) else model.classes_


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
    rewards: dict[str, float] = {}
    if isinstance(model, OptimalPolicyTree):
        rewards = {"reward": float(model.reward_), "reward_bound": float(model.reward_bound_)}
    return {
        "status": model.status_,
        "proof": model.proof_,
        "objective": float(model.objective_),
        "lower_bound": float(model.lower_bound_),
        "gap": float(model.gap_),
        "n_errors": int(model.n_errors_) if isinstance(model, OptimalTreeClassifier) else None,
        "rows": int(model.tree_.n_node_samples[0]),
        "depth": int(model.tree_.max_depth),
        "leaves": int(model.tree_.n_leaves),
        "target": problem_of(model).get("target"),
        "classes": classes_of(model).tolist(),
        "columns": list(model.columns_.names),
        "search_space": str(model.search_space_),
        **rewards,
    }
