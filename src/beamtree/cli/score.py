"""The command ``beamtree score``: measure a model on rows with labels, numbers or rewards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from beamtree.cli._command import command, print_json
from beamtree.cli._reading import Data, Delimiter, Na, Rewards, reading_of, rewards_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from beamtree.classifier import OptimalTreeClassifier
    from beamtree.policy import OptimalPolicyTree

EXAMPLES = """Examples:

  beamtree score model.json data.csv
  beamtree score model.json data.csv --target y --json"""

# The largest number of labels whose confusion matrix is printed.
MOST_LABELS = 30


@command
def score(
    model: Path,
    data: Data,
    /,
    *,
    target: str | None = None,
    rewards: Rewards = None,
    weight: str | None = None,
    delimiter: Delimiter = None,
    na: Na = None,
    json: bool = False,
) -> int:
    r"""Measure a model on rows with labels, numbers or rewards, such as a test set.

    Prints the accuracy, the balanced accuracy (the mean over the labels of the share of their
    rows that is predicted right), the log loss, and how often each label was predicted for each
    label. For a model that predicts numbers: R², the root of the mean squared error, and the mean
    absolute error. For a model that chooses actions: the mean reward of its actions, and what each
    action earns if all rows get it.

    Parameters
    ----------
    model : Path
        File with the model, which fit --save has written.
    data : Path
        File with the table.
    target : str, optional
        Name of the column that has the labels; by default the one in the model.
    rewards : str, optional
        Names of the columns that have the rewards; cli/_reading.py describes it.
    weight : str, optional
        Name of a column with weights of the rows; by default all rows weigh the same.
    delimiter, na
        How the file is read; cli/_reading.py describes it. The default of --na is that of fit.
    json : bool
        Print one JSON object instead of text.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.cli.score import score
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [0], [0], [1]], list("ddww"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model, data = Path(folder) / "model.json", Path(folder) / "data.csv"
    ...     _ = model.write_text(clf.to_json()), data.write_text("x0,y\n0,d\n0,w\n1,w\n")
    ...     score(model, data, target="y")
    accuracy: 0.6667 (1 error in 3 rows)
    balanced accuracy: 0.7500
    log loss: 0.6109
    <BLANKLINE>
    label \ predicted  d  w
    d                  1  0
    w                  1  1
    0
    """
    from beamtree.classifier import OptimalTreeClassifier
    from beamtree.cli._model import leaves_of, load_model, predicted_columns, problem_of, rows_for
    from beamtree.policy import OptimalPolicyTree

    named = rewards_of(rewards)
    fitted = load_model(model)
    reading = reading_of(delimiter, na, problem_of(fitted))
    columns = predicted_columns(fitted, model, target, named)
    rows = rows_for(fitted, data, reading, weight=weight, **columns)
    leaves = leaves_of(fitted, rows.table)
    if isinstance(fitted, OptimalTreeClassifier):
        numbers, show = _measured(fitted, leaves, rows.labels, rows.weight), _print
    elif isinstance(fitted, OptimalPolicyTree):
        numbers, show = _measured_rewards(fitted, leaves, rows.labels, rows.weight), _print_rewards
    else:
        predicted = fitted.tree_.value[leaves, 0, 0]
        numbers, show = _measured_numbers(rows.labels, predicted, rows.weight), _print_numbers
    (print_json if json else show)(numbers)
    return 0


def _measured_rewards(
    policy: OptimalPolicyTree,
    leaves: NDArray[np.intp],
    rewards: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
) -> dict[str, Any]:
    """Return the measures of a policy, in the form that ``--json`` prints."""
    import numpy as np

    taken = np.take_along_axis(rewards, policy.tree_.prediction[leaves][:, np.newaxis], axis=1)
    return {
        "rows": len(rewards),
        "mean_reward": float(np.average(taken[:, 0], weights=weight)),
        "actions": policy.actions_.tolist(),
        "mean_rewards_of_actions": np.average(rewards, axis=0, weights=weight).tolist(),
    }


def _print_rewards(numbers: dict[str, Any]) -> None:
    rows = numbers["rows"]
    print(f"mean reward: {numbers['mean_reward']:.6g} ({rows} row{'' if rows == 1 else 's'})")
    for action, mean in zip(numbers["actions"], numbers["mean_rewards_of_actions"], strict=True):
        print(f"mean reward of {action} for all rows: {mean:.6g}")


def _measured_numbers(
    y: NDArray[np.float64], predicted: NDArray[np.float64], weight: NDArray[np.float64] | None
) -> dict[str, Any]:
    """Return the measures of predicted numbers, in the form that ``--json`` prints."""
    import numpy as np
    from sklearn.metrics import r2_score

    r2 = float(r2_score(y, predicted, sample_weight=weight)) if len(y) > 1 else None
    squared = float(np.average((y - predicted) ** 2, weights=weight))
    return {
        "rows": len(y),
        "r2": r2,
        "root_mean_squared_error": squared**0.5,
        "mean_absolute_error": float(np.average(np.abs(y - predicted), weights=weight)),
    }


def _print_numbers(numbers: dict[str, Any]) -> None:
    rows, r2 = numbers["rows"], numbers["r2"]
    shown = "needs at least two rows" if r2 is None else f"{r2:.4f}"
    print(f"R²: {shown} ({rows} row{'' if rows == 1 else 's'})")
    print(f"root mean squared error: {numbers['root_mean_squared_error']:.6g}")
    print(f"mean absolute error: {numbers['mean_absolute_error']:.6g}")


def _measured(
    classifier: OptimalTreeClassifier,
    leaves: NDArray[np.intp],
    labels: NDArray[Any],
    weight: NDArray[np.float64] | None,
) -> dict[str, Any]:
    """Return the measures, in the form that ``--json`` prints."""
    import numpy as np
    from sklearn.metrics import accuracy_score, confusion_matrix, log_loss

    from beamtree.cli._model import codes_of, probabilities_of

    # Labels that the model does not know follow those that it knows, with probability 0.
    codes = codes_of(labels.tolist(), classifier.classes_)
    known = len(classifier.classes_)
    others, positions = np.unique(labels[codes < 0], return_inverse=True)
    codes[codes < 0] = known + positions
    names = [*map(str, classifier.classes_.tolist()), *others.tolist()]
    predicted = classifier.tree_.prediction[leaves]
    probabilities = np.zeros((len(codes), len(names)))
    probabilities[:, :known] = probabilities_of(classifier, leaves)
    every = np.arange(len(names))
    matrix = confusion_matrix(codes, predicted, labels=every, sample_weight=weight)
    of_label = matrix.sum(axis=1)
    right = matrix.diagonal()[of_label > 0] / of_label[of_label > 0]
    return {
        "rows": len(codes),
        "errors": int((codes != predicted).sum()),
        "accuracy": float(accuracy_score(codes, predicted, sample_weight=weight)),
        "balanced_accuracy": float(right.mean()),
        "log_loss": float(log_loss(codes, probabilities, labels=every, sample_weight=weight)),
        "labels": names,
        "unknown_labels": others.tolist(),
        "confusion_matrix": matrix.tolist(),
    }


def _print(numbers: dict[str, Any]) -> None:
    errors, rows = numbers["errors"], numbers["rows"]
    counted = f"{errors} error{'' if errors == 1 else 's'} in {rows} row{'' if rows == 1 else 's'}"
    print(f"accuracy: {numbers['accuracy']:.4f} ({counted})")
    print(f"balanced accuracy: {numbers['balanced_accuracy']:.4f}")
    print(f"log loss: {numbers['log_loss']:.4f}")
    if numbers["unknown_labels"]:
        print(f"labels that the model does not know: {', '.join(numbers['unknown_labels'])}")
    print()
    labels = numbers["labels"]
    if len(labels) > MOST_LABELS:
        print(f"there are {len(labels)} labels; --json prints how often each was predicted")
        return
    table = [["label \\ predicted", *labels]]
    for label, row in zip(labels, numbers["confusion_matrix"], strict=True):
        table.append([label, *(f"{count:.10g}" for count in row)])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for first, *others in table:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join([f"{first:<{widths[0]}}", *cells]))
