"""The command ``beamtree predict``: predict labels or numbers, or choose actions, with a model."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from beamtree.cli._command import command, print_json
from beamtree.cli._reading import Data, Delimiter, Na, reading_of

EXAMPLES = """Examples:

  beamtree predict model.json new.csv
  beamtree predict model.json new.csv --proba --out predictions.csv"""


@command
def predict(
    model: Path,
    data: Data,
    /,
    *,
    proba: bool = False,
    out: Path | None = None,
    delimiter: Delimiter = None,
    na: Na = None,
    json: bool = False,
) -> int:
    r"""Predict the labels or numbers of the rows of a table in a file, or choose their actions.

    The columns that the tree uses are found by their names. Other columns are ignored,
    and need not be there.

    Parameters
    ----------
    model : Path
        File with the model, which fit --save has written.
    data : Path
        File with the table.
    proba : bool
        Add one column per label with its probability.
    out : Path, optional
        Csv file for the predictions; by default they are printed.
    delimiter, na
        How the file is read; cli/_reading.py describes it. The default of --na is that of fit.
    json : bool
        Print one JSON object instead of csv.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.cli.predict import predict
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model, data = Path(folder) / "model.json", Path(folder) / "data.csv"
    ...     _ = model.write_text(clf.to_json()), data.write_text("x0\n1\n0\n")
    ...     predict(model, data)
    prediction
    wet
    dry
    0
    """
    from beamtree._util.atomic_files import check_folder, write_whole
    from beamtree.classifier import OptimalTreeClassifier
    from beamtree.cli._model import (
        classes_of,
        leaves_of,
        load_model,
        probabilities_of,
        problem_of,
        refuse_option,
        rows_for,
    )

    if out is not None:
        check_folder("--out", out)
    fitted = load_model(model)
    if proba and not isinstance(fitted, OptimalTreeClassifier):
        refuse_option("--proba", fitted, model)
    reading = reading_of(delimiter, na, problem_of(fitted))
    leaves = leaves_of(fitted, rows_for(fitted, data, reading).table)
    tree, known = fitted.tree_, classes_of(fitted)
    classes = known.tolist()
    predicted = tree.value[:, 0, 0] if tree.predicts_numbers else known[tree.prediction]
    labels = predicted[leaves].tolist()
    shares = probabilities_of(fitted, leaves).tolist() if proba else None
    text = _csv(labels, classes, shares)
    if out is not None:
        write_whole(out, text.encode())
    if json:
        content: dict[str, Any] = {"rows": len(labels), "classes": classes, "predictions": labels}
        if shares is not None:
            content["probabilities"] = shares
        print_json(content | {"out": None if out is None else str(out)})
    else:
        print(text if out is None else f"{out}: {len(labels)} rows\n", end="")
    return 0


def _csv(labels: list[Any], classes: list[Any], shares: list[list[float]] | None) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if shares is None:
        writer.writerow(["prediction"])
        writer.writerows([label] for label in labels)
    else:
        writer.writerow(["prediction", *(f"probability of {label}" for label in classes)])
        writer.writerows([label, *row] for label, row in zip(labels, shares, strict=True))
    return text.getvalue()
