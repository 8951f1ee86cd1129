"""The command ``beamtree verify``: recount a model from the rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beamtree.cli._command import check_option, command, print_json
from beamtree.cli._reading import (
    Data,
    Delimiter,
    Na,
    check_labels,
    class_weight_of,
    reading_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from beamtree.classifier import OptimalTreeClassifier
    from beamtree.tree import Tree

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
    data: Data,
    /,
    *,
    target: str | None = None,
    leaf_penalty: float | None = None,
    weight: str | None = None,
    class_weight: list[str] | None = None,
    delimiter: Delimiter = None,
    na: Na = None,
    json: bool = False,
) -> int:
    r"""Recount a model from the rows that it was learned from.

    The rows and labels, or means, of every leaf, the errors and the objective are compared with
    the model.
    The exit status is 0 if they agree, 1 if they differ, and 2 for an error.

    Parameters
    ----------
    model : Path
        File with the model, which fit --save has written.
    data : Path
        File with the table from which the model was learned.
    target : str, optional
        Name of the column that has the labels; by default the one in the model.
    leaf_penalty : float, optional
        The leaf penalty, if the model does not contain it.
    weight : str, optional
        Name of the column of weights, if the model does not contain it.
    class_weight : str, optional
        Weights of the labels, as in fit, if the model does not contain them.
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
    from beamtree.classifier import OptimalTreeClassifier
    from beamtree.cli._model import (
        codes_of,
        labels_column,
        leaves_of,
        load_model,
        problem_of,
        rows_for,
    )

    if leaf_penalty is not None:
        check_option("--leaf-penalty", "leaf_penalty", leaf_penalty)
    given = class_weight_of(class_weight)
    fitted = load_model(model)
    problem = problem_of(fitted)
    target = labels_column(fitted, model, target)
    weight = problem.get("weight") if weight is None else weight
    leaf_penalty = problem.get("leaf_penalty") if leaf_penalty is None else leaf_penalty
    given = problem.get("class_weight") if given is None else given
    reading = reading_of(delimiter, na, problem)
    file = rows_for(fitted, data, reading, target, weight)
    tree, leaves = fitted.tree_, leaves_of(fitted, file.table)
    has_weights = bool((tree.weighted_n_node_samples != tree.n_node_samples).any())
    if isinstance(fitted, OptimalTreeClassifier):
        codes = codes_of(file.labels.tolist(), fitted.classes_)
        rows = _Rows(leaves, codes, file.weight).weighed(given, fitted.classes_)
        # Weights that are not known cannot be recounted.
        known = rows.weight is not None or not has_weights
        wrong = rows.codes != tree.prediction[rows.leaves]
        counted = _leaf_rows(tree, rows.leaves)
        same_labels = _same_labels(fitted, rows) if known else None
        error, single = rows.sum(wrong), rows.sum()
        errors = [_Count("errors", int(fitted.n_errors_), int(wrong.sum()))]
        n_rows = len(rows.leaves)
    else:
        if given is not None:
            msg = f"--class-weight must be left out: {str(model)!r} predicts numbers"
            raise ValueError(msg)
        known = file.weight is not None or not has_weights
        means = _means(tree, leaves, file.labels, file.weight)
        counted, error, single, same = means
        same_labels = same if known else None
        errors, n_rows = [], sum(counted)
    said = tree.n_node_samples[tree.feature < 0].tolist()
    objective = None
    if known and leaf_penalty is not None:
        objective = error + leaf_penalty * single * (tree.n_leaves - 1)
    counts = [
        _Count("rows", int(tree.n_node_samples[0]), n_rows),
        *errors,
        _Count("objective", float(fitted.objective_), objective),
    ]
    agrees = said == counted and same_labels is not False and all(c.agrees for c in counts)
    if json:
        numbers: dict[str, Any] = {
            count.name: {"said": count.said, "counted": count.counted} for count in counts
        }
        same_name = "same_means" if tree.predicts_numbers else "same_labels"
        numbers["leaves"] = {"said": said, "counted": counted, same_name: same_labels}
        print_json({"agrees": agrees} | numbers)
    else:
        what = "means" if tree.predicts_numbers else "labels"
        _print(counts, said, counted, same_labels, what)
        print(
            "the model agrees with the rows" if agrees else "the model does not agree with the rows"
        )
    return 0 if agrees else 1


@dataclass(frozen=True)
class _Rows:
    """The rows that count: their leaves, the positions of their labels, and their weights.

    A label that the model does not know has the position -1. The weights are None if all are 1.
    """

    leaves: NDArray[np.intp]
    codes: NDArray[np.intp]
    weight: NDArray[np.float64] | None

    def weighed(self, class_weight: dict[str, float] | str | None, classes: NDArray[Any]) -> _Rows:
        """Multiply the weights by those of the labels, and leave out rows of weight 0."""
        import numpy as np

        from beamtree._engine.class_weight import weigh_classes
        from beamtree.cli._model import codes_of

        weight = self.weight
        if isinstance(class_weight, dict):
            check_labels(class_weight, [str(label) for label in classes.tolist()])
            at = codes_of(list(class_weight), classes)
            by_label = dict(zip(classes[at].tolist(), class_weight.values(), strict=True))
        if class_weight is not None:
            known = self.codes >= 0
            weight = np.ones(len(known)) if weight is None else weight.copy()
            factors: Any = class_weight if isinstance(class_weight, str) else by_label
            weight[known] = weigh_classes(
                factors, self.codes[known].astype(np.int32), classes, weight[known]
            )
        if weight is None:
            return self
        kept = weight > 0
        return _Rows(self.leaves[kept], self.codes[kept], weight[kept])

    def sum(self, chosen: NDArray[np.bool_] | None = None) -> float:
        """Return the weight of all rows, or of the chosen ones."""
        if self.weight is None:
            return float(len(self.leaves) if chosen is None else chosen.sum())
        return float(self.weight.sum() if chosen is None else self.weight[chosen].sum())


def _leaf_rows(tree: Tree, leaves: NDArray[np.intp]) -> list[int]:
    """Return the numbers of rows of the leaves, as counted."""
    import numpy as np

    counted: list[int] = np.bincount(leaves, minlength=tree.node_count)[tree.feature < 0].tolist()
    return counted


def _means(
    tree: Tree,
    leaves: NDArray[np.intp],
    y: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
) -> tuple[list[int], float, float, bool]:
    """Return the rows of the leaves, the squared error, that of a single leaf, and a comparison.

    The last value says whether the leaves predict the means of their rows.
    """
    import numpy as np

    from beamtree._engine.integer_squares import mean_and_squares

    if weight is None:
        weight = np.ones(len(y))
    kept = weight > 0
    leaves, y, weight = leaves[kept], y[kept], weight[kept]
    error, same = 0.0, True
    single = mean_and_squares(y, weight)[1]
    for leaf in np.unique(leaves).tolist():
        inside = leaves == leaf
        mean, squares = mean_and_squares(y[inside], weight[inside])
        error += squares
        said = float(tree.value[leaf, 0, 0])
        same = same and abs(said - mean) <= TOLERANCE * max(float(np.abs(y).max()), abs(said))
    return _leaf_rows(tree, leaves), error, single, same


def _same_labels(classifier: OptimalTreeClassifier, rows: _Rows) -> bool:
    """Return whether the labels have the same weights in the leaves as in the model."""
    import numpy as np

    tree = classifier.tree_
    counted = np.zeros((tree.node_count, len(classifier.classes_)))
    known = rows.codes >= 0
    weight = np.ones(len(known)) if rows.weight is None else rows.weight
    np.add.at(counted, (rows.leaves[known], rows.codes[known]), weight[known])
    is_leaf = tree.feature < 0
    said = tree.value[is_leaf, 0] * tree.weighted_n_node_samples[is_leaf, np.newaxis]
    scale = max(1.0, float(tree.weighted_n_node_samples[0]))
    return bool(np.allclose(said, counted[is_leaf], rtol=TOLERANCE, atol=TOLERANCE * scale))


def _print(
    counts: list[_Count],
    said: list[int],
    counted: list[int],
    same_labels: bool | None,  # noqa: FBT001
    what: str,
) -> None:
    rows, *others = counts
    _print_one(rows.name, str(rows.said), str(rows.counted))
    _print_one("rows of the leaves", " ".join(map(str, said)), " ".join(map(str, counted)))
    # If the rows had weights, neither the labels nor the objective can be recounted without them.
    why = (
        "the rows had weights; give --weight or --class-weight"
        if same_labels is None
        else "give --leaf-penalty"
    )
    if same_labels is not None:
        print(f"{what} of the leaves: {'' if same_labels else 'not '}as the model says")
    for count in others:
        if count.counted is None:
            print(f"{count.name}: {count.said:g} cannot be recounted: {why}")
        else:
            _print_one(count.name, f"{count.said:.12g}", f"{count.counted:.12g}")


def _print_one(name: str, said: str, counted: str) -> None:
    verdict = "as the model says" if said == counted else f"but the model says {said}"
    print(f"{name}: {counted}, {verdict}")
