"""The command ``beamtree fit``: learn a tree from a table in a file."""

from __future__ import annotations

import signal
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from beamtree._engine.settings import SETTINGS, Settings
from beamtree._engine.signals import Stop
from beamtree._util.validation import integer
from beamtree.cli._command import (
    check_option,
    command,
    options_in_errors,
    print_json,
    say,
    with_options,
)
from beamtree.cli._reading import (
    Data,
    Delimiter,
    Na,
    check_labels,
    class_weight_of,
    reading_of,
    rewards_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from beamtree._table.files import FileRows, Reading
    from beamtree._table.training_data import Predicted
    from beamtree.cli._choose_size import Sizes
    from beamtree.result import Result
    from beamtree.search import Search

EXAMPLES = """Examples:

  beamtree fit data.csv --target y --depth 3 --time 10
  beamtree fit data.csv --target y --save model.json --report page.html
  beamtree fit data.csv --target y --leaf-penalty 0.01 --plot tree.svg --json
  beamtree fit data.csv --target y --leaves 8 --depth none
  beamtree fit data.csv --target y --depth 3 --cv 5
  beamtree fit data.csv --target y --save model.json --certificate proof.gz
  beamtree fit data.csv --target y --class-weight no=1 --class-weight yes=5
  beamtree fit houses.csv --target price --regression --depth 3
  beamtree fit patients.csv --rewards none,treat --depth 2"""

# A target with more different numbers than this may have been meant for a regression.
MOST_NUMBERS = 20


def _option(name: str) -> Parameter:
    """Return the option of a setting, with its meaning as the help text."""
    setting = SETTINGS[name]
    how = " 'balanced', or LABEL=NUMBER; may be repeated." if name == "class_weight" else ""
    meaning = with_options(setting.meaning.replace("`", ""))
    return Parameter(name=setting.option, help=f"{meaning}{how}")


@dataclass(frozen=True)
class _Task:
    """The values of the options, apart from the data.

    `begin` is the value of ``perf_counter`` when the command began.
    """

    begin: float
    target: str | None
    rewards: list[str]
    weight: str | None
    drop: list[str]
    reading: Reading
    settings: dict[str, Any]
    cv: int | None
    checkpoint: Path | None
    save: Path | None
    plot: Path | None
    report: Path | None
    certificate: Path | None
    json: bool
    regression: bool

    @property
    def predicted(self) -> Predicted:
        """What the leaves of the tree are."""
        if self.rewards:
            return "actions"
        return "numbers" if self.regression else "labels"


@command
def fit(
    data: Data,
    /,
    *,
    target: str | None = None,
    rewards: Annotated[list[str] | None, Parameter(allow_leading_hyphen=True)] = None,
    drop: Annotated[list[str] | None, Parameter(allow_leading_hyphen=True)] = None,
    weight: str | None = None,
    regression: bool = False,
    depth: Annotated[int | None, _option("max_depth")] = SETTINGS["max_depth"].default,
    time: Annotated[float | None, _option("time_limit")] = SETTINGS["time_limit"].default,
    min_samples_leaf: Annotated[float, _option("min_samples_leaf")] = SETTINGS[
        "min_samples_leaf"
    ].default,
    leaf_penalty: Annotated[float, _option("leaf_penalty")] = SETTINGS["leaf_penalty"].default,
    leaves: Annotated[int | None, _option("max_leaf_nodes")] = SETTINGS["max_leaf_nodes"].default,
    class_weight: Annotated[list[str] | None, _option("class_weight")] = SETTINGS[
        "class_weight"
    ].default,
    max_thresholds: Annotated[int | None, _option("max_thresholds")] = SETTINGS[
        "max_thresholds"
    ].default,
    tie_break: Annotated[str, _option("tie_break")] = SETTINGS["tie_break"].default,
    cv: int | None = None,
    threads: Annotated[int | None, _option("n_jobs")] = SETTINGS["n_jobs"].default,
    memory: Annotated[str | None, _option("memory_limit")] = SETTINGS["memory_limit"].default,
    save: Path | None = None,
    plot: Path | None = None,
    report: Path | None = None,
    certificate: Path | None = None,
    checkpoint: Path | None = None,
    delimiter: Delimiter = None,
    na: Na = None,
    json: bool = False,
) -> int:
    r"""Learn a tree from a table in a file, and print it.

    A column in which all values are finite numbers or missing is a column of
    numbers, one with only ISO dates a column of dates; other columns are
    text. A notice says if a few values are the reason.
    Ctrl-C and SIGTERM end the search; its best tree is printed and saved.
    A live line shows the progress if the standard error is a terminal.

    Parameters
    ----------
    data : Path
        File with the table.
    target : str, optional
        Name of the column that has the labels, or the numbers to predict.
    rewards : str, optional
        Names of the columns that have the rewards of actions, with commas between them, instead of
        a target: the tree chooses the best action for each row.
    drop : str, optional
        Name of a column to leave out; may be repeated.
    weight : str, optional
        Name of the column that has the weights of the rows.
    regression : bool
        Predict the numbers of the target by their means, with the least squared error.
    depth, time, min_samples_leaf, leaf_penalty, leaves, class_weight, max_thresholds, tie_break
        Settings of the search, which _engine/settings.py declares.
    cv : int, optional
        Number of folds of a cross validation that chooses the leaf penalty or, with --leaves, the
        number of leaves. It takes at most three quarters of --time.
    threads, memory
        Settings of the search, too.
    save : Path, optional
        File for the model, in JSON.
    plot : Path, optional
        File for a picture of the tree: .png, .svg or .pdf.
    report : Path, optional
        File for an HTML page about the tree and the search.
    certificate : Path, optional
        File for a proof of the lower bound, which programs other than beamtree can check.
    checkpoint : Path, optional
        File in which the search is saved; if it exists, the search continues from it.
    delimiter, na
        How the file is read; cli/_reading.py describes it.
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
    begin = perf_counter()
    settings = {
        "max_depth": depth,
        "time_limit": time,
        "min_samples_leaf": _whole(min_samples_leaf),
        "leaf_penalty": leaf_penalty,
        "max_leaf_nodes": leaves,
        "class_weight": class_weight_of(class_weight),
        "max_thresholds": max_thresholds,
        "tie_break": tie_break,
        "n_jobs": threads,
        "memory_limit": memory,
    }
    with Stop() as stop:  # before everything that takes long, such as the imports
        columns = target, rewards_of(rewards), weight, drop or []
        reading = reading_of(delimiter, na)
        task = _Task(
            begin,
            *columns,
            reading,
            settings,
            cv,
            checkpoint,
            save,
            plot,
            report,
            certificate,
            json,
            regression,
        )
        try:
            with options_in_errors():
                failures = _fit(data, task, stop)
        except KeyboardInterrupt:
            return 128 + (stop.number or signal.SIGINT)
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
    from beamtree._engine.limits import seconds_of
    from beamtree._engine.progress import live_line
    from beamtree._resume.checkpoint_file import CheckpointError
    from beamtree._table import files
    from beamtree._table.text_values import number_of

    _check(task)
    rows = files.read_training_rows(
        data,
        task.target,
        rewards=task.rewards,
        weight=task.weight,
        drop=task.drop,
        reading=task.reading,
        numbers=task.regression,
    )
    for notice in rows.notices:
        say(notice)
    if task.predicted == "labels":
        labels = sorted({*rows.labels.tolist()})
        check_labels(task.settings["class_weight"], labels)
        if len(labels) > MOST_NUMBERS and all(number_of(label) is not None for label in labels):
            say(
                f"--target {task.target!r} has {len(labels):,} different numbers, each of which is "
                "taken for a label; --regression predicts numbers instead"
            )
            # scikit-learn would say the same in other words.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
    sizes = None
    if task.cv is not None:
        sizes = _sizes(rows, task, stop)
        task = replace(task, settings=task.settings | {sizes.setting: sizes.value})
    search = _search(rows, task, stop)
    failures: list[Exception] = []
    limit: float | None = task.settings["time_limit"]
    try:
        with live_line(search, 1, sys.stderr):
            search.run(_left(task))
    except (OSError, CheckpointError) as error:  # without the checkpoint there is still a tree
        failures = [error]
    search._engine.limits.seconds = seconds_of(limit)  # the limit of which the proof speaks
    try:
        _print(search, search.result(), sizes, task)
    finally:  # even if nobody reads the output any more
        name = "the standard input" if str(data) == files.STANDARD_INPUT else data.name
        failures += _write(search, task, stop, name)
    return failures


def _left(task: _Task) -> float | None:
    """Return the seconds that are left; reading the file has taken some."""
    limit = task.settings["time_limit"]
    return None if limit is None else max(0.0, limit - (perf_counter() - task.begin))


def _sizes(rows: FileRows, task: _Task, stop: Stop) -> Sizes:
    """Return the sizes of trees that a cross validation has tried, and print them."""
    from rich.console import Console

    from beamtree.cli._choose_size import choose_size

    assert task.cv is not None
    given = rows.table, rows.labels, rows.weight, task.settings, task.cv
    with Console(stderr=True).status("Cross validation"):
        sizes = choose_size(*given, _left(task), stop.token, task.predicted)
    if stop.number is not None:
        say("stopped before the cross validation was complete, so there is no tree")
        raise KeyboardInterrupt
    if not task.json:
        print(sizes)
        sys.stdout.flush()
    return sizes


def _check(task: _Task) -> None:
    """Raise an error for values that are not allowed, before any work is done."""
    from beamtree._certificate.certificate import check_certifiable
    from beamtree._util.atomic_files import check_folder
    from beamtree.cli._page import check_page
    from beamtree.cli._picture import check_picture

    for name, value in task.settings.items():
        check_option(_name_of(name), name, value)
    _check_predicted(task)
    if task.cv is None:
        Settings(**task.settings).check()
    else:
        _check_cv(task)
    if task.save is not None:
        check_folder("--save", task.save)
    if task.plot is not None:
        check_picture("--plot", task.plot)
    if task.report is not None:
        check_page(task.report)
    if task.certificate is not None:
        check_folder("--certificate", task.certificate)
        check_certifiable(Settings(**task.settings), actions=bool(task.rewards))


def _check_predicted(task: _Task) -> None:
    """Raise an error unless the options say clearly what the tree predicts."""
    if task.target is None and not task.rewards:
        msg = "--target must be the name of a column, unless there are --rewards, got none"
        raise ValueError(msg)
    if task.target is not None and task.rewards:
        msg = f"--target must be left out with --rewards, got {task.target!r} (see --drop)"
        raise ValueError(msg)
    if task.regression and task.rewards:
        msg = "--regression must be left out with --rewards, by which actions are chosen"
        raise ValueError(msg)
    if task.settings["class_weight"] is not None and task.predicted != "labels":
        other = "--rewards, which have" if task.rewards else "--regression, which has"
        msg = f"--class-weight must be left out with {other} no labels"
        raise ValueError(msg)


def _check_cv(task: _Task) -> None:
    """Raise an error if a cross validation has nothing to choose, or more than it can choose."""
    integer(2).check("--cv", task.cv)
    if task.checkpoint is not None:
        msg = f"--checkpoint must be left out with --cv, got {str(task.checkpoint)!r}"
        raise ValueError(msg)
    if task.settings["max_leaf_nodes"] is not None:
        Settings(**task.settings).check()
    elif task.settings["leaf_penalty"] > 0:
        msg = (
            "--leaf-penalty must be left out with --cv, which chooses it, unless there are "
            f"--leaves, got {task.settings['leaf_penalty']!r}"
        )
        raise ValueError(msg)
    elif task.settings["max_depth"] is None:
        msg = "--depth must be an integer with --cv, unless there are --leaves, got none"
        raise ValueError(msg)


def _name_of(name: str) -> str:
    """Return the option that sets a setting."""
    option = SETTINGS[name].option
    assert option is not None
    return option


def _search(rows: FileRows, task: _Task, stop: Stop) -> Search:
    """Return a new search, or the one in the checkpoint."""
    from beamtree.search import Search

    path = task.checkpoint
    given = {name: value for name, value in task.settings.items() if name != "time_limit"}
    control = {name: given.pop(name) for name in [*given] if SETTINGS[name].part == "control"}
    control |= {"cancel": stop.token, "checkpoint": path}
    control |= {"regression": task.regression, "policy": task.predicted == "actions"}
    if path is None or not path.exists():
        given["actions"] = task.rewards or None
        return Search(rows.table, rows.labels, rows.weight, **given, **control)
    search = Search.load(path, rows.table, rows.labels, rows.weight, **control)
    if task.rewards and (theirs := search.classes.tolist()) != task.rewards:
        names = ",".join(map(str, theirs)), ",".join(task.rewards)
        msg = f"--rewards must be those of the checkpoint, {names[0]}, got {names[1]}"
        raise ValueError(msg)
    for name, ours in given.items():
        if (theirs := search.parameters[name]) != ours:
            msg = f"{_name_of(name)} must be that of the checkpoint, {theirs}, got {ours}"
            raise ValueError(msg)
    return search


def _print(search: Search, result: Result, sizes: Sizes | None, task: _Task) -> None:
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
            "n_errors": None if search.policy else result.n_errors,
            "rows": int(result.tree.n_node_samples[0]),
            "depth": int(result.tree.max_depth),
            "leaves": int(result.tree.n_leaves),
            "classes": search.classes.tolist(),
            "search_space": str(search.search_space),
            "tree": text,
        }
        if result.reward is not None:
            numbers |= {"reward": result.reward, "reward_bound": result.reward_bound}
        if sizes is not None:
            numbers["cv"] = {
                "folds": sizes.folds,
                "setting": sizes.setting,
                "chosen": sizes.value,
                "tried": sizes.rows,
            }
        print_json(numbers)
    else:
        print(result.proof)
        print(f"Searched {search.search_space}")
        print(text)
    sys.stdout.flush()


def _problem(task: _Task) -> dict[str, Any]:
    """Return what the other commands have to know about the problem."""
    from beamtree._table.text_values import MISSING_TEXTS

    # The columns of rewards are known by the names of the actions.
    problem: dict[str, Any] = {} if task.target is None else {"target": task.target}
    problem["leaf_penalty"] = float(task.settings["leaf_penalty"])
    if task.weight is not None:
        problem["weight"] = task.weight
    if task.settings["class_weight"] is not None:
        problem["class_weight"] = task.settings["class_weight"]
    if task.reading.na != MISSING_TEXTS:
        problem["na"] = list(task.reading.na)
    return problem


def _write(search: Search, task: _Task, stop: Stop, title: str) -> list[Exception]:
    """Write the files that the options name, and return the errors that occurred."""
    from beamtree._util.atomic_files import write_whole
    from beamtree.cli._model import model_of
    from beamtree.cli._page import write_page
    from beamtree.cli._picture import write_picture

    failures: list[Exception] = []
    if task.certificate is not None:
        failures += _certify(search, task, task.certificate, stop)
    if task.save is None and task.plot is None and task.report is None:
        return failures
    model = model_of(search, _problem(task), in_a_hurry=stop.number is not None)
    page_title = f"{'policy' if task.target is None else task.target} in {title}"
    writers: list[tuple[Path | None, Callable[[Path], None]]] = [
        (task.save, lambda path: write_whole(path, f"{model.to_json(indent=1)}\n".encode())),
        (task.plot, lambda path: write_picture(model, path)),
        (task.report, lambda path: write_page(model, path, page_title)),
    ]
    for path, write in writers:
        if path is not None:
            try:
                write(path)
            except OSError as error:  # go on with the other files
                failures.append(error)
    return failures


def _certify(search: Search, task: _Task, path: Path, stop: Stop) -> list[Exception]:
    """Write the proof of the lower bound, and return the error that occurred, if there was one."""
    from rich.console import Console

    from beamtree._certificate.claims import NotProvedError

    missing = ["", *task.reading.na]
    written = False
    try:
        if stop.number is None:
            with Console(stderr=True).status("Certificate"):
                search.certificate(path, target=task.target, weight=task.weight, missing=missing)
            written = True
    except NotProvedError as error:
        if stop.number is None:
            return [error]
    except (OSError, ValueError) as error:
        return [error]
    if not written:
        say("stopped before the certificate was complete, so none was written")
    return []
