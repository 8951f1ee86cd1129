"""The command ``beamtree verify``: recount a model from the rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beamtree.cli._command import check_option, command, print_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from beamtree.classifier import OptimalTreeClassifier

EXAMPLES = """Examples:

  beamtree verify model.json data.csv
  beamtree verify model.json data.csv --target y --json"""

# Relative error that an objective may have: sums in another order are rounded differently.
TOLERANCE = 1e-9


class _Count(NamedTuple):
    """A number in the model, and the same number counted from the rows; None if unknown."""

    name: str
    said: float
    counted: float | None

    @property
    def agrees(self) -> bool:
        """Whether the two numbers are equal, or the second is unknown."""
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

    The rows and labels of every leaf, the errors and the objective are compared with the model.
    The exit status is 0 if they agree, 1 if they differ, and 2 for an error.

    Parameters
    ----------
    model : Path
        File with the model, which fit --save has written.
    data : Path
        Csv file from which the model was learned.
    target : str, optional
        Name of the column that has the labels; by default the one in the model.
    leaf_penalty : float, optional
        The leaf penalty, if the model does not contain it.
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
    >>> from beamtree.cli.verify import verify
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model, data = Path(folder) / "model.json", Path(folder) / "data.csv"
    ...     _ = model.write_text(clf.to_json()), data.write_text("x0,y\n1,wet\n0,wet\n")
    ...     verify(model, data, target="y", leaf_penalty=0)
    rows: 2, as the model says
    rows of the leaves: 1 1, as the model says
    labels of the leaves: not as the model says
    errors: 1, but the model says 0
    objective: 1, but the model says 0
    the model does not agree with the rows
    1
    """
    from beamtree._table.csv import read_csv_columns
    from beamtree.cli._model import codes_of, leaves_of, load_model, target_of

    if leaf_penalty is not None:
        check_option("--leaf-penalty", "leaf_penalty", leaf_penalty)
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
        _print(counts, said, counted, same_labels)
        print(
            "the model agrees with the rows" if agrees else "the model does not agree with the rows"
        )
    return 0 if agrees else 1


def _leaf_rows(
    classifier: OptimalTreeClassifier, leaves: NDArray[np.intp]
) -> tuple[list[int], list[int]]:
    """Return the numbers of rows of the leaves, in the model and as counted."""
    import numpy as np

    tree = classifier.tree_
    is_leaf = tree.feature < 0
    counted = np.bincount(leaves, minlength=tree.node_count)
    return tree.n_node_samples[is_leaf].tolist(), counted[is_leaf].tolist()


def _same_labels(
    classifier: OptimalTreeClassifier, leaves: NDArray[np.intp], codes: NDArray[np.intp]
) -> bool | None:
    """Return whether the leaves have the shares of labels in the model; None if unknown.

    They are unknown if the rows had weights, which are not in the file.
    """
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
    """Return the objective, recounted from the rows.

    It is None if the rows had weights, or if the leaf penalty is not known.
    """
    tree = classifier.tree_
    if leaf_penalty is None:
        leaf_penalty = getattr(classifier, "problem_", {}).get("leaf_penalty")
    if leaf_penalty is None or (tree.weighted_n_node_samples != tree.n_node_samples).any():
        return None
    return errors + leaf_penalty * rows * (tree.n_leaves - 1)


def _print(
    counts: list[_Count],
    said: list[int],
    counted: list[int],
    same_labels: bool | None,  # noqa: FBT001
) -> None:
    rows, *others = counts
    _print_one(rows.name, str(rows.said), str(rows.counted))
    _print_one("rows of the leaves", " ".join(map(str, said)), " ".join(map(str, counted)))
    # If the rows had weights, neither the labels nor the objective can be recounted.
    why = "the rows had weights" if same_labels is None else "give --leaf-penalty"
    if same_labels is not None:
        print(f"labels of the leaves: {'' if same_labels else 'not '}as the model says")
    for count in others:
        if count.counted is None:
            print(f"{count.name}: {count.said:g} cannot be recounted: {why}")
        else:
            _print_one(count.name, f"{count.said:.12g}", f"{count.counted:.12g}")


def _print_one(name: str, said: str, counted: str) -> None:
    verdict = "as the model says" if said == counted else f"but the model says {said}"
    print(f"{name}: {counted}, {verdict}")
