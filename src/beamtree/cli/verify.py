"""Recount a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beamtree.cli._command import command, print_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from beamtree.classifier import OptimalTreeClassifier

EXAMPLES = """Examples:

  beamtree verify model.json data.csv
  beamtree verify model.json data.csv --target y --json"""

# By how much an objective may be off: sums of numbers that are rounded in another order.
TOLERANCE = 1e-9


class _Count(NamedTuple):
    """A number that the model says, and what the rows give; None if they do not tell."""

    name: str
    said: float
    counted: float | None

    @property
    def agrees(self) -> bool:
        """Whether nothing speaks against it."""
        return self.counted is None or abs(self.said - self.counted) <= TOLERANCE * max(
            1.0, abs(self.said)
        )


@command
def verify(
    model: Path,
    data: Path,
    /,
    *,
    target: str | None = None,
    leaf_penalty: float | None = None,
    json: bool = False,
) -> int:
    r"""Recount a model from the rows that it was learned from.

    The rows of every leaf, their labels, the errors and the objective must be what the model says.
    Exit status 0 if they are, 1 if not, 2 if something is wrong.

    Parameters
    ----------
    model : Path
        The model, as fit --save wrote it.
    data : Path
        The csv file that it was learned from.
    target : str, optional
        Name of the column of labels; by default the one that the model names.
    leaf_penalty : float, optional
        Price of a leaf, if the model does not say it.
    json : bool
        Print one object of JSON in place of text.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.cli.verify import verify
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model, data = Path(folder) / "model.json", Path(folder) / "data.csv"
    ...     _ = model.write_text(clf.to_json()), data.write_text("x0,y\n1,wet\n0,wet\n")
    ...     verify(model, data, target="y", leaf_penalty=0)
    rows: 2, as the model says
    rows of the leaves: 1 1, as the model says
    labels in the leaves: not as the model says
    errors: 1, but the model says 0
    objective: 1, but the model says 0
    the model is not that of these rows
    1
    """
    from beamtree._engine.settings import SETTINGS
    from beamtree._table.csv import read_csv_columns
    from beamtree.cli._model import codes_of, leaves_of, load_model, target_of

    if leaf_penalty is not None:
        SETTINGS["leaf_penalty"].allowed.check("--leaf-penalty", leaf_penalty)
    classifier = load_model(model)
    target = target_of(classifier) if target is None else target
    if target is None:
        msg = f"--target must be given: {str(model)!r} does not name the column of labels"
        raise ValueError(msg)
    table, labels = read_csv_columns(data, classifier.columns_, target, "--target")
    leaves = leaves_of(classifier, table)
    codes = codes_of(labels, classifier.classes_)
    wrong = codes != classifier.tree_.prediction[leaves]
    said, counted = _leaf_rows(classifier, leaves)
    same_labels = _same_labels(classifier, leaves, codes)
    counts = [
        _Count("rows", int(classifier.tree_.n_node_samples[0]), len(labels)),
        _Count("errors", int(classifier.n_errors_), int(wrong.sum())),
        _Count(
            "objective",
            float(classifier.objective_),
            _objective(classifier, int(wrong.sum()), len(labels), leaf_penalty),
        ),
    ]
    agrees = said == counted and same_labels is not False and all(c.agrees for c in counts)
    if json:
        numbers: dict[str, Any] = {
            count.name: {"said": count.said, "counted": count.counted} for count in counts
        }
        numbers["leaves"] = {"said": said, "counted": counted, "same_labels": same_labels}
        print_json({"agrees": agrees} | numbers)
    else:
        _tell(counts, said, counted, same_labels)
        print("the model agrees with the rows" if agrees else "the model is not that of these rows")
    return 0 if agrees else 1


def _leaf_rows(
    classifier: OptimalTreeClassifier, leaves: NDArray[np.intp]
) -> tuple[list[int], list[int]]:
    """Return how many rows the leaves have, as the model says and as counted."""
    import numpy as np

    tree = classifier.tree_
    is_leaf = tree.feature < 0
    counted = np.bincount(leaves, minlength=tree.node_count)
    return tree.n_node_samples[is_leaf].tolist(), counted[is_leaf].tolist()


def _same_labels(
    classifier: OptimalTreeClassifier, leaves: NDArray[np.intp], codes: NDArray[np.intp]
) -> bool | None:
    """Tell whether the leaves have the shares of labels that the model says; None with weights."""
    import numpy as np

    tree = classifier.tree_
    if (tree.weighted_n_node_samples != tree.n_node_samples).any():
        return None
    counted = np.zeros((tree.node_count, len(classifier.classes_)))
    known = codes >= 0
    np.add.at(counted, (leaves[known], codes[known]), 1.0)
    is_leaf = tree.feature < 0
    said = tree.value[is_leaf, 0] * tree.n_node_samples[is_leaf, np.newaxis]
    return bool(np.allclose(said, counted[is_leaf], rtol=TOLERANCE, atol=TOLERANCE))


def _objective(
    classifier: OptimalTreeClassifier, errors: int, rows: int, leaf_penalty: float | None
) -> float | None:
    """Return the objective from the rows; None if they had weights, or the price is not known."""
    tree = classifier.tree_
    if leaf_penalty is None:
        leaf_penalty = getattr(classifier, "problem_", {}).get("leaf_penalty")
    if leaf_penalty is None or (tree.weighted_n_node_samples != tree.n_node_samples).any():
        return None
    return errors + leaf_penalty * rows * (tree.n_leaves - 1)


def _tell(
    counts: list[_Count],
    said: list[int],
    counted: list[int],
    same_labels: bool | None,  # noqa: FBT001
) -> None:
    rows, *others = counts
    _tell_one(rows.name, f"{rows.said:g}", f"{rows.counted:g}")
    _tell_one("rows of the leaves", " ".join(map(str, said)), " ".join(map(str, counted)))
    # With weights the labels are not known to be those of the rows; nor is the objective then.
    why = "rows had weights" if same_labels is None else "give --leaf-penalty"
    if same_labels is not None:
        print(f"labels in the leaves: {'' if same_labels else 'not '}as the model says")
    for count in others:
        if count.counted is None:
            print(f"{count.name}: {count.said:g} is not recounted; {why}")
        else:
            _tell_one(count.name, f"{count.said:.12g}", f"{count.counted:.12g}")


def _tell_one(name: str, said: str, counted: str) -> None:
    verdict = "as the model says" if said == counted else f"but the model says {said}"
    print(f"{name}: {counted}, {verdict}")
