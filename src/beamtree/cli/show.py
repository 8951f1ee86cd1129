"""The command ``beamtree show``: print the tree of a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from beamtree.cli._command import command, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from beamtree.cli._model import Model
    from beamtree.export._fitted import EstimatorLike

EXAMPLES = """Examples:

  beamtree show model.json
  beamtree show model.json --format sql
  beamtree show model.json --format rules --plot tree.png"""

Format = Literal["text", "rules", "dot", "sql", "python", "json"]


@command
def show(
    model: Path,
    /,
    *,
    format: Format = "text",  # noqa: A002 (the name of the option)
    plot: Path | None = None,
    json: bool = False,
) -> int:
    """Print the tree of a model.

    Parameters
    ----------
    model : Path
        File with the model, which fit --save has written.
    format : str
        Format of the tree; rules are sentences, dot is for Graphviz, json is the model itself.
    plot : Path, optional
        File for a picture of the tree: .png, .svg or .pdf.
    json : bool
        Print one JSON object with the tree, its objective and its bound.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree import OptimalTreeClassifier
    >>> from beamtree.cli.show import show
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([[0], [1]], ["dry", "wet"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = Path(folder) / "model.json"
    ...     _ = model.write_text(clf.to_json())
    ...     show(model)
    Proved optimal: 0 errors
    x0?
      yes: wet (1 row, 100%)
      no: dry (1 row, 100%)
    0
    """
    from beamtree.cli._model import load_model, numbers_of
    from beamtree.cli._picture import check_picture, write_picture

    if plot is not None:
        check_picture("--plot", plot)
    fitted = load_model(model)
    text = _text(fitted, format)
    if plot is not None:
        write_picture(fitted, plot)
    if json:
        print_json(numbers_of(fitted) | {"format": format, "text": text})
        return 0
    if format == "text":
        print(fitted.proof_)
    print(text)
    return 0


def _text(fitted: Model, form: Format) -> str:
    from beamtree.export import export_graphviz, export_text, leaf_rules, to_json, to_python, to_sql

    if form == "rules":
        return "\n".join(leaf_rules(fitted))
    if form == "json":
        return to_json(fitted, indent=1)
    forms: dict[str, Callable[[EstimatorLike], str]] = {
        "text": export_text,
        "dot": export_graphviz,
        "sql": to_sql,
        "python": to_python,
    }
    return forms[form](fitted)
