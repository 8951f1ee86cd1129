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
    Rewards,
    check_labels,
    class_weight_of,
    reading_of,
    rewards_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from beamtree.classifier import OptimalTreeClassifier
    from beamtree.policy import OptimalPolicyTree
    from beamtree.tree import Tree

EXAMPLES = """Examples:

  beamtree verify model.json data.csv
  beamtree verify model.json data.csv --target y --json
  beamtree verify model.json data.csv --certificate proof.gz"""

# Relative error that an objective may have: sums in another order are rounded differently.
TOLERANCE = 1e-9


class _Count(NamedTuple):
    """A number in the model, and the same number counted from the rows; None if unknown.

    The numbers that were added up have at most the size `scale`, all together.
    """

    name: str
    said: float
    counted: float | None
    scale: float = 1.0

    @property
    def agrees(self) -> bool:
        """Whether the two numbers are equal, or the second is unknown."""
        return self.counted is None or abs(self.said - self.counted) <= TOLERANCE * max(
            self.scale, abs(self.said)
        )


class _Recount(NamedTuple):
    """What was counted from the rows.

    Parameters
    ----------
    leaf_rows : list of int
        The numbers of rows of the leaves.
    error : float
        The objective without penalties.
    priced : float
        Of what a leaf penalty is a share.
    what : str
        What the leaves have: labels, means or rewards.
    same : bool
        Whether they have the same as in the model.
    counts : list of _Count
        Further numbers.
    scale : float
        The scale of the objective, as in `_Count`.
    """

    leaf_rows: list[int]
    error: float
    priced: float
    what: str
    same: bool
    counts: list[_Count]
    scale: float = 1.0


@command
def verify(
    model: Path,
    data: Data,
    /,
    *,
    target: str | None = None,
    rewards: Rewards = None,
    leaf_penalty: float | None = None,
    weight: str | None = None,
    class_weight: list[str] | None = None,
    delimiter: Delimiter = None,
    na: Na = None,
    certificate: Path | None = None,
    json: bool = False,
) -> int:
    r"""Recount a model from the rows that it was learned from.

    The rows and labels, means or rewards of every leaf, the errors or the total reward, and the
    objective are compared with the model. With a certificate, the lower bound is proved, too, by a
    program that has no part in the search.
    The exit status is 0 if they agree, 1 if they differ, and 2 for an error.

    Parameters
    ----------
    model : Path
        File with the model, which fit --save has written.
    data : Path
        File with the table from which the model was learned.
    target : str, optional
        Name of the column that has the labels; by default the one in the model.
    rewards : str, optional
        Names of the columns that have the rewards; cli/_reading.py describes it.
    leaf_penalty : float, optional
        The leaf penalty, if the model does not contain it.
    weight : str, optional
        Name of the column of weights, if the model does not contain it.
    class_weight : str, optional
        Weights of the labels, as in fit, if the model does not contain them.
    delimiter, na
        How the file is read; cli/_reading.py describes it. The default of --na is that of fit.
    certificate : Path, optional
        File with the proof of the lower bound, which fit --certificate has written.
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
    from beamtree.cli._certificate import check_certificate
    from beamtree.cli._model import (
        codes_of,
        leaves_of,
        load_model,
        predicted_columns,
        problem_of,
        refuse_option,
        rows_for,
    )
    from beamtree.policy import OptimalPolicyTree

    if leaf_penalty is not None:
        check_option("--leaf-penalty", "leaf_penalty", leaf_penalty)
    given, named = class_weight_of(class_weight), rewards_of(rewards)
    fitted = load_model(model)
    problem = problem_of(fitted)
    columns = predicted_columns(fitted, model, target, named)
    weight = problem.get("weight") if weight is None else weight
    leaf_penalty = problem.get("leaf_penalty") if leaf_penalty is None else leaf_penalty
    given = problem.get("class_weight") if given is None else given
    if given is not None and not isinstance(fitted, OptimalTreeClassifier):
        refuse_option("--class-weight", fitted, model)
    reading = reading_of(delimiter, na, problem)
    if certificate is not None and isinstance(fitted, OptimalPolicyTree):
        refuse_option("--certificate", fitted, model)
    file = rows_for(fitted, data, reading, weight=weight, every=certificate is not None, **columns)
    tree, leaves = fitted.tree_, leaves_of(fitted, file.table)
    # Weights that are not known cannot be recounted.
    has_weights = bool((tree.weighted_n_node_samples != tree.n_node_samples).any())
    known = file.weight is not None or given is not None or not has_weights
    if isinstance(fitted, OptimalTreeClassifier):
        codes = codes_of(file.labels.tolist(), fitted.classes_)
        found = _labels(fitted, _Rows(leaves, codes, file.weight).weighed(given, fitted.classes_))
    elif isinstance(fitted, OptimalPolicyTree):
        found = _rewards(fitted, *_weighed(leaves, file.labels, file.weight))
    else:
        found = _means(tree, *_weighed(leaves, file.labels, file.weight))
    same = found.same if known else None
    said = tree.n_node_samples[tree.feature < 0].tolist()
    objective = None
    if known and leaf_penalty is not None:
        objective = found.error + leaf_penalty * found.priced * (tree.n_leaves - 1)
    counts = [
        _Count("rows", int(tree.n_node_samples[0]), sum(found.leaf_rows)),
        *(
            count if known or count.name == "errors" else count._replace(counted=None)
            for count in found.counts
        ),
        _Count("objective", float(fitted.objective_), objective, found.scale),
    ]
    verdict = None
    if certificate is not None and not isinstance(fitted, OptimalPolicyTree):
        verdict = check_certificate(
            certificate, fitted, file, total=found.priced, leaf_penalty=leaf_penalty
        )
    agrees = said == found.leaf_rows and same is not False and all(c.agrees for c in counts)
    proved = verdict is None or verdict.agrees
    if json:
        numbers: dict[str, Any] = {
            count.name.replace(" ", "_"): {"said": count.said, "counted": count.counted}
            for count in counts
        }
        leaf = {"said": said, "counted": found.leaf_rows, f"same_{found.what}": same}
        proof = {} if verdict is None else {"certificate": verdict._asdict()}
        print_json({"agrees": agrees and proved} | numbers | {"leaves": leaf} | proof)
    else:
        _print(counts, said, found.leaf_rows, same, found.what)
        if verdict is not None:
            print(f"certificate: {verdict.words}")
        print(
            "the model agrees with the rows" if agrees else "the model does not agree with the rows"
        )
        if not proved:
            print("the lower bound of the model is not verified")
    return 0 if agrees and proved else 1


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


def _weighed(
    leaves: NDArray[np.intp], y: NDArray[np.float64], weight: NDArray[np.float64] | None
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Return the rows of positive weight: their leaves, their numbers or rewards, their weights."""
    import numpy as np

    if weight is None:
        return leaves, y, np.ones(len(y))
    kept = weight > 0
    return leaves[kept], y[kept], weight[kept]


def _labels(classifier: OptimalTreeClassifier, rows: _Rows) -> _Recount:
    """Recount a tree that predicts labels."""
    tree = classifier.tree_
    wrong = rows.codes != tree.prediction[rows.leaves]
    errors = _Count("errors", int(classifier.n_errors_), int(wrong.sum()))
    counted, same = _leaf_rows(tree, rows.leaves), _same_labels(classifier, rows)
    return _Recount(counted, rows.sum(wrong), rows.sum(), "labels", same, [errors])


def _means(
    tree: Tree, leaves: NDArray[np.intp], y: NDArray[np.float64], weight: NDArray[np.float64]
) -> _Recount:
    """Recount a tree that predicts numbers."""
    import numpy as np

    from beamtree._engine.integer_squares import mean_and_squares

    error, same = 0.0, True
    single = mean_and_squares(y, weight)[1]
    for leaf in np.unique(leaves).tolist():
        inside = leaves == leaf
        mean, squares = mean_and_squares(y[inside], weight[inside])
        error += squares
        said = float(tree.value[leaf, 0, 0])
        same = same and abs(said - mean) <= TOLERANCE * max(float(np.abs(y).max()), abs(said))
    return _Recount(_leaf_rows(tree, leaves), error, single, "means", same, [])


def _rewards(
    policy: OptimalPolicyTree,
    leaves: NDArray[np.intp],
    rewards: NDArray[np.float64],
    weight: NDArray[np.float64],
) -> _Recount:
    """Recount a tree that chooses actions."""
    import numpy as np

    tree = policy.tree_
    assert tree.reward is not None
    taken = np.take_along_axis(rewards, tree.prediction[leaves][:, np.newaxis], axis=1)[:, 0]
    regret = float(weight @ (rewards.max(axis=1) - taken))
    sizes = np.abs(rewards).max(axis=1)
    scale = float(weight @ sizes)
    means = [
        np.average(rewards[leaves == leaf], axis=0, weights=weight[leaves == leaf])
        for leaf in np.unique(leaves)
    ]
    said = tree.reward[np.unique(leaves)]
    same = bool(np.allclose(said, means, rtol=TOLERANCE, atol=TOLERANCE * float(sizes.max())))
    reward = _Count("total reward", float(policy.reward_), float(weight @ taken), scale)
    counted, total = _leaf_rows(tree, leaves), float(weight.sum())
    return _Recount(counted, regret, total, "rewards", same, [reward], scale)


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
    _print_one(rows.name, str(rows.said), str(rows.counted), agrees=rows.agrees)
    leaves = (" ".join(map(str, each)) for each in (said, counted))
    _print_one("rows of the leaves", *leaves, agrees=said == counted)
    # If the rows had weights, neither the labels nor the objective can be recounted without them.
    options = "--weight or --class-weight" if what == "labels" else "--weight"
    why = f"the rows had weights; give {options}" if same_labels is None else "give --leaf-penalty"
    if same_labels is not None:
        print(f"{what} of the leaves: {'' if same_labels else 'not '}as the model says")
    for count in others:
        if count.counted is None:
            print(f"{count.name}: {count.said:g} cannot be recounted: {why}")
        else:
            numbers = f"{count.said:.12g}", f"{count.counted:.12g}"
            _print_one(count.name, *numbers, agrees=count.agrees)


def _print_one(name: str, said: str, counted: str, *, agrees: bool) -> None:
    verdict = "as the model says" if agrees else f"but the model says {said}"
    print(f"{name}: {counted}, {verdict}")
