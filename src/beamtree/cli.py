"""The command line: ``python -m beamtree fit data.csv --target y --depth 4 --time 60``."""

from __future__ import annotations

import sys
from pathlib import Path

from cyclopts import App

from beamtree._signals import Stop

app = App(name="beamtree", help="Decision trees that are provably the best of their depth.")


@app.command
def fit(
    data: Path,
    *,
    target: str,
    depth: int = 4,
    time: float = 60.0,
    checkpoint: Path | None = None,
) -> int:
    r"""Learn a tree from a csv file, and print it.

    Ctrl-C ends the search with its best tree, and so does SIGTERM. The checkpoint is saved first.
    Errors go to the standard error.

    Parameters
    ----------
    data : Path
        A csv file with a line of names. A column has numbers if all its values are finite ones,
        and text otherwise; what is empty is missing.
    target : str
        Name of the column of labels.
    depth : int
        Largest depth of the tree.
    time : float
        Seconds after which the search stops with its best tree.
    checkpoint : Path, optional
        File in which the search is saved; if it is there, the search goes on from it.

    Returns
    -------
    int
        The exit status: 0, or 130 after Ctrl-C, 143 after SIGTERM, 2 if something is wrong.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree.cli import fit
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
    try:
        with Stop() as stop:  # before all that takes long, be it only imports
            failure = _fit(data, target, depth, time, checkpoint, stop)
    except KeyboardInterrupt:  # pressed again
        return 130
    except (ValueError, OSError) as error:
        failure = error
    if failure is not None:
        print(f"beamtree: {failure}", file=sys.stderr)
        return 2
    return 0 if stop.number is None else 128 + stop.number


def _fit(
    data: Path, target: str, depth: int, time: float, checkpoint: Path | None, stop: Stop
) -> Exception | None:
    """Print the tree, and return what went wrong when it was saved at the end."""
    from beamtree._parameters import PROBLEM_PARAMETERS
    from beamtree._table import read_table
    from beamtree._validation import SECONDS_OR_NONE
    from beamtree.checkpoint import CheckpointError
    from beamtree.export.text import tree_text
    from beamtree.search import Search

    PROBLEM_PARAMETERS["max_depth"].check("--depth", depth)
    SECONDS_OR_NONE.check("--time", time)
    X, y = read_table(data, target)
    if checkpoint is not None and checkpoint.exists():
        search = Search.load(checkpoint, X, y, cancel=stop.token, checkpoint=checkpoint)
        if (theirs := search.parameters["max_depth"]) != depth:
            msg = f"--depth must be that of the checkpoint, {theirs}, got {depth}"
            raise ValueError(msg)
    else:
        search = Search(X, y, max_depth=depth, cancel=stop.token, checkpoint=checkpoint)
    failure = None
    try:
        result = search.run(time)
    except (OSError, CheckpointError) as error:  # the tree is worth more than the file
        failure, result = error, search.result()
    print(
        f"{result.status}: objective {result.objective:g}, lower bound {result.lower_bound:g}, "
        f"gap {result.gap:.1%}"
    )
    if result.status == "optimal":
        print(search.search_space)
    print(tree_text(result.tree, search.columns, search.classes.tolist()), flush=True)
    return failure
