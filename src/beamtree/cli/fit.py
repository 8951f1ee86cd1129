"""The command ``beamtree fit``: learn a tree from a csv file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from beamtree._engine.settings import SETTINGS
from beamtree._engine.signals import Stop
from beamtree.cli._command import check_option, command, print_json, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from beamtree.result import Result
    from beamtree.search import Search

EXAMPLES = """Examples:

  beamtree fit data.csv --target y --depth 3 --time 10
  beamtree fit data.csv --target y --save model.json --report page.html
  beamtree fit data.csv --target y --leaf-penalty 0.01 --plot tree.svg --json
  beamtree fit data.csv --target y --leaf-penalty 0.01 --depth none
  beamtree fit data.csv --target y --leaves 8 --depth none"""


def _option(name: str) -> Parameter:
    """Return the option of a setting, with its meaning as the help text."""
    setting = SETTINGS[name]
    return Parameter(name=setting.option, help=setting.meaning)


@dataclass(frozen=True)
class _Task:
    """The values of the options, apart from the data."""

    target: str
    settings: dict[str, Any]
    checkpoint: Path | None
    save: Path | None
    plot: Path | None
    report: Path | None
    json: bool


@command
def fit(
    data: Path,
    /,
    *,
    target: str,
    depth: Annotated[int | None, _option("max_depth")] = SETTINGS["max_depth"].default,
    time: Annotated[float, _option("time_limit")] = SETTINGS["time_limit"].default,
    min_samples_leaf: Annotated[float, _option("min_samples_leaf")] = SETTINGS[
        "min_samples_leaf"
    ].default,
    leaf_penalty: Annotated[float, _option("leaf_penalty")] = SETTINGS["leaf_penalty"].default,
    leaves: Annotated[int | None, _option("max_leaf_nodes")] = SETTINGS["max_leaf_nodes"].default,
    threads: Annotated[int | None, _option("n_jobs")] = SETTINGS["n_jobs"].default,
    memory: Annotated[str | None, _option("memory_limit")] = SETTINGS["memory_limit"].default,
    save: Path | None = None,
    plot: Path | None = None,
    report: Path | None = None,
    checkpoint: Path | None = None,
    json: bool = False,
) -> int:
    r"""Learn a tree from a csv file, and print it.

    A column in which all values are finite numbers is a column of numbers;
    other columns are text. Empty fields are missing values.
    Ctrl-C and SIGTERM end the search; its best tree is printed and saved.
    A live line shows the progress if the standard error is a terminal.

    Parameters
    ----------
    data : Path
        Csv file whose first line has the names of the columns.
    target : str
        Name of the column that has the labels.
    depth, time, min_samples_leaf, leaf_penalty, leaves, threads, memory
        Settings of the search, which _engine/settings.py declares.
    save : Path, optional
        File for the model, in JSON.
    plot : Path, optional
        File for a picture of the tree: .png, .svg or .pdf.
    report : Path, optional
        File for an HTML page about the tree and the search.
    checkpoint : Path, optional
        File in which the search is saved; if it exists, the search continues from it.
    json : bool
        Print one JSON object instead of text.

    Returns
    -------
    int
        The exit status: 0 for success, 2 for an error, 130 after Ctrl-C, 143 after SIGTERM.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree.cli.fit import fit
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data = Path(folder) / "data.csv"
    ...     _ = data.write_text("left,right,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,yes\n")
    ...     fit(data, target="y", depth=2)
    Proved optimal: 0 errors
    Searched 2 tests: every threshold and category of 2 columns
    left?
      yes: yes (2 rows, 100%)
      no: right?
        yes: yes (1 row, 100%)
        no: no (1 row, 100%)
    0
    """
    settings = {
        "max_depth": depth,
        "time_limit": time,
        "min_samples_leaf": _whole(min_samples_leaf),
        "leaf_penalty": leaf_penalty,
        "max_leaf_nodes": leaves,
        "n_jobs": threads,
        "memory_limit": memory,
    }
    task = _Task(target, settings, checkpoint, save, plot, report, json)
    with Stop() as stop:  # before everything that takes long, such as the imports
        failures = _fit(data, task, stop)
    for failure in failures:
        say(failure)
    if failures:
        return 2
    return 0 if stop.number is None else 128 + stop.number


def _whole(number: float) -> float:
    """Return whole numbers as integers, which count rows; other numbers are shares of the rows."""
    return int(number) if float(number).is_integer() else number


def _fit(data: Path, task: _Task, stop: Stop) -> list[Exception]:
    """Learn and print the tree, and return the errors that occurred while files were written."""
    from beamtree._engine.progress import live_line
    from beamtree._resume.checkpoint_file import CheckpointError
    from beamtree._table import csv as csv_file

    _check(task)
    X, y = csv_file.read_csv(data, task.target, "--target")
    search = _search(X, y, task, stop)
    failures: list[Exception] = []
    try:
        with live_line(search, 1, sys.stderr):
            result = search.run(task.settings["time_limit"])
    except (OSError, CheckpointError) as error:  # without the checkpoint there is still a tree
        failures, result = [error], search.result()
    try:
        _print(search, result, task)
    finally:  # even if nobody reads the output any more
        failures += _write(search, task, stop, data.name)
    return failures


def _check(task: _Task) -> None:
    """Raise an error for values that are not allowed, before any work is done."""
    from beamtree._util.atomic_files import check_folder
    from beamtree.cli._page import check_page
    from beamtree.cli._picture import check_picture

    for name, value in task.settings.items():
        check_option(_name_of(name), name, value)
    if task.save is not None:
        check_folder("--save", task.save)
    if task.plot is not None:
        check_picture("--plot", task.plot)
    if task.report is not None:
        check_page(task.report)


def _name_of(name: str) -> str:
    """Return the option that sets a setting."""
    option = SETTINGS[name].option
    assert option is not None
    return option


def _search(X: Any, y: Any, task: _Task, stop: Stop) -> Search:
    """Return a new search, or the one in the checkpoint."""
    from beamtree.search import Search

    path = task.checkpoint
    given = {name: value for name, value in task.settings.items() if name != "time_limit"}
    control = {name: given.pop(name) for name in [*given] if SETTINGS[name].part == "control"}
    control |= {"cancel": stop.token, "checkpoint": path}
    if path is None or not path.exists():
        return Search(X, y, **given, **control)
    search = Search.load(path, X, y, **control)
    for name, ours in given.items():
        if (theirs := search.parameters[name]) != ours:
            msg = f"{_name_of(name)} must be that of the checkpoint, {theirs}, got {ours}"
            raise ValueError(msg)
    return search


def _print(search: Search, result: Result, task: _Task) -> None:
    """Print what is proved, the tests that were searched, and the tree."""
    from beamtree.export.text import tree_text

    text = tree_text(result.tree, search.columns, search.classes.tolist())
    if task.json:
        numbers = {
            "status": result.status,
            "proof": result.proof,
            "objective": float(result.objective),
            "lower_bound": float(result.lower_bound),
            "gap": float(result.gap),
            "n_errors": int(result.n_errors),
            "rows": int(result.tree.n_node_samples[0]),
            "depth": int(result.tree.max_depth),
            "leaves": int(result.tree.n_leaves),
            "classes": search.classes.tolist(),
            "search_space": str(search.search_space),
            "tree": text,
        }
        print_json(numbers)
    else:
        print(result.proof)
        print(f"Searched {search.search_space}")
        print(text)
    sys.stdout.flush()


def _write(search: Search, task: _Task, stop: Stop, title: str) -> list[Exception]:
    """Write the files that the options name, and return the errors that occurred."""
    from beamtree._util.atomic_files import write_whole
    from beamtree.cli._model import model_of
    from beamtree.cli._page import write_page
    from beamtree.cli._picture import write_picture

    if task.save is None and task.plot is None and task.report is None:
        return []
    model = model_of(search, task.target, in_a_hurry=stop.number is not None)
    failures: list[Exception] = []
    writers: list[tuple[Path | None, Callable[[Path], None]]] = [
        (task.save, lambda path: write_whole(path, f"{model.to_json(indent=1)}\n".encode())),
        (task.plot, lambda path: write_picture(model, path)),
        (task.report, lambda path: write_page(model, path, f"{task.target} in {title}")),
    ]
    for path, write in writers:
        if path is not None:
            try:
                write(path)
            except OSError as error:  # go on with the other files
                failures.append(error)
    return failures
