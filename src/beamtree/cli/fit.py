"""Learn a tree from a table."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beamtree._engine.signals import Stop
from beamtree.cli._command import command, print_json, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from beamtree.result import Result
    from beamtree.search import Search

EXAMPLES = """Examples:

  beamtree fit data.csv --target y --depth 3 --time 10
  beamtree fit data.csv --target y --save model.json --report page.html
  beamtree fit data.csv --target y --leaf-penalty 0.01 --plot tree.svg --json"""


@dataclass(frozen=True)
class _Options:
    """What was asked for, beside the data."""

    target: str
    depth: int
    time: float
    min_samples_leaf: float
    leaf_penalty: float
    threads: int | None
    memory: str | None
    save: Path | None
    plot: Path | None
    report: Path | None
    checkpoint: Path | None
    json: bool


@command
def fit(
    data: Path,
    /,
    *,
    target: str,
    depth: int = 4,
    time: float = 60.0,
    min_samples_leaf: float = 1,
    leaf_penalty: float = 0.0,
    threads: int | None = None,
    memory: str | None = None,
    save: Path | None = None,
    plot: Path | None = None,
    report: Path | None = None,
    checkpoint: Path | None = None,
    json: bool = False,
) -> int:
    r"""Learn a tree from a csv file, and print it.

    A column has numbers if all its values are finite ones, and text otherwise.
    What is empty is missing.
    Ctrl-C ends the search with its best tree, which is printed and saved.
    So does SIGTERM. A live line shows how far it is, if the standard error is a terminal.

    Parameters
    ----------
    data : Path
        A csv file with a line of names.
    target : str
        Name of the column of labels.
    depth : int
        Largest depth of the tree.
    time : float
        Seconds after which the search stops with its best tree.
    min_samples_leaf : float
        Smallest number of rows in a leaf, or a share of the rows between 0 and 1.
    leaf_penalty : float
        Price of every leaf but the first, as a share of the rows.
    threads : int, optional
        Threads that search together; -1 for all cores. One by default.
    memory : str, optional
        The most memory that the search takes, such as 2GB or 512MB.
    save : Path, optional
        File for the model, in JSON.
    plot : Path, optional
        File for a picture of the tree: .png, .svg or .pdf.
    report : Path, optional
        File for a page about the tree and the search, in HTML.
    checkpoint : Path, optional
        File in which the search is saved; if it is there, the search goes on from it.
    json : bool
        Print one object of JSON in place of text.

    Returns
    -------
    int
        The exit status: 0, or 130 after Ctrl-C, 143 after SIGTERM, 2 if something is wrong.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree.cli.fit import fit
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data = Path(folder) / "data.csv"
    ...     _ = data.write_text("left,right,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,yes\n")
    ...     fit(data, target="y", depth=2)
    optimal: objective 0, lower bound 0, gap 0.0%
    optimal over 2 tests: every distinct value of 2 columns
    left?
      yes: yes (2 rows, 100%)
      no: right?
        yes: yes (1 row, 100%)
        no: no (1 row, 100%)
    0
    """
    options = _Options(
        target=target,
        depth=depth,
        time=time,
        min_samples_leaf=_whole(min_samples_leaf),
        leaf_penalty=leaf_penalty,
        threads=threads,
        memory=memory,
        save=save,
        plot=plot,
        report=report,
        checkpoint=checkpoint,
        json=json,
    )
    with Stop() as stop:  # before all that takes long, be it only imports
        failures = _fit(data, options, stop)
    for failure in failures:
        say(failure)
    if failures:
        return 2
    return 0 if stop.number is None else 128 + stop.number


def _whole(number: float) -> float:
    """Return a number that is whole as an integer: leaves have so many rows, not such a share."""
    return int(number) if float(number).is_integer() else number


def _fit(data: Path, options: _Options, stop: Stop) -> list[Exception]:
    """Print the tree, and return what went wrong when it was saved at the end."""
    from beamtree._engine.progress import live_line
    from beamtree._resume.checkpoint_file import CheckpointError
    from beamtree._table import csv as csv_file

    _check(options)
    X, y = csv_file.read_table(data, options.target, "--target")
    search = _search(X, y, options, stop)
    failures: list[Exception] = []
    try:
        with live_line(search._engine, 1, sys.stderr):
            result = search.run(options.time)
    except (OSError, CheckpointError) as error:  # the tree is worth more than the file
        failures, result = [error], search.result()
    try:
        _tell(search, result, options)
    finally:  # also if nobody reads what is printed
        failures += _write(search, result, options, stop, data.name)
    return failures


def _check(options: _Options) -> None:
    """Refuse what is not allowed, before anything else is done."""
    from beamtree._resume.parameters import CONTROL_PARAMETERS, PROBLEM_PARAMETERS
    from beamtree._util.atomic_files import check_folder
    from beamtree._util.validation import SECONDS_OR_NONE
    from beamtree.cli._page import check_page
    from beamtree.cli._picture import check_picture

    PROBLEM_PARAMETERS["max_depth"].check("--depth", options.depth)
    SECONDS_OR_NONE.check("--time", options.time)
    PROBLEM_PARAMETERS["min_samples_leaf"].check("--min-samples-leaf", options.min_samples_leaf)
    PROBLEM_PARAMETERS["leaf_penalty"].check("--leaf-penalty", options.leaf_penalty)
    CONTROL_PARAMETERS["n_jobs"].check("--threads", options.threads)
    CONTROL_PARAMETERS["memory_limit"].check("--memory", options.memory)
    if options.save is not None:
        check_folder("--save", options.save)
    if options.plot is not None:
        check_picture("--plot", options.plot)
    if options.report is not None:
        check_page(options.report)


def _search(X: Any, y: Any, options: _Options, stop: Stop) -> Search:
    """Return a new search, or that of the checkpoint."""
    from beamtree.search import Search

    path = options.checkpoint
    control: dict[str, Any] = {
        "cancel": stop.token,
        "checkpoint": path,
        "n_jobs": options.threads,
        "memory_limit": options.memory,
    }
    problem: dict[str, Any] = {
        "max_depth": options.depth,
        "min_samples_leaf": options.min_samples_leaf,
        "leaf_penalty": options.leaf_penalty,
    }
    if path is None or not path.exists():
        return Search(X, y, **problem, **control)
    search = Search.load(path, X, y, **control)
    names = ("--depth", "--min-samples-leaf", "--leaf-penalty")
    for (name, ours), option in zip(problem.items(), names, strict=True):
        if (theirs := search.parameters[name]) != ours:
            msg = f"{option} must be that of the checkpoint, {theirs}, got {ours}"
            raise ValueError(msg)
    return search


def _tell(search: Search, result: Result, options: _Options) -> None:
    """Print the tree."""
    from beamtree.cli._model import summary
    from beamtree.export.text import tree_text

    text = tree_text(result.tree, search.columns, search.classes.tolist())
    numbers = {
        "status": result.status,
        "objective": float(result.objective),
        "lower_bound": float(result.lower_bound),
        "gap": float(result.gap),
    }
    if options.json:
        more = {
            "n_errors": int(result.n_errors),
            "rows": int(result.tree.n_node_samples[0]),
            "depth": int(result.tree.max_depth),
            "leaves": int(result.tree.n_leaves),
            "classes": search.classes.tolist(),
            "search_space": str(search.search_space),
            "tree": text,
        }
        print_json(numbers | more)
    else:
        print(summary(numbers))
        if result.status == "optimal":
            print(search.search_space)
        print(text)
    sys.stdout.flush()


def _write(
    search: Search, result: Result, options: _Options, stop: Stop, title: str
) -> list[Exception]:
    """Write the files that were asked for, and return what went wrong."""
    from beamtree._util.atomic_files import write_whole
    from beamtree.cli._model import model_of
    from beamtree.cli._page import write_page
    from beamtree.cli._picture import write_picture

    save, plot, report = options.save, options.plot, options.report
    if save is None and plot is None and report is None:
        return []
    model = model_of(search, result, options.target, in_a_hurry=stop.number is not None)
    failures: list[Exception] = []
    writers: list[tuple[Path | None, Callable[[Path], None]]] = [
        (save, lambda path: write_whole(path, f"{model.to_json(indent=1)}\n".encode())),
        (plot, lambda path: write_picture(model, path)),
        (report, lambda path: write_page(model, path, f"{options.target} in {title}")),
    ]
    for path, write in writers:
        if path is not None:
            try:
                write(path)
            except OSError as error:  # the others may go well
                failures.append(error)
    return failures
