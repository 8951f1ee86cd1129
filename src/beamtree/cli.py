"""The command line: ``python -m beamtree fit data.csv --target y --depth 4 --time 60``."""

from __future__ import annotations

import csv
import signal
from pathlib import Path
from typing import Any

import numpy as np
from cyclopts import App
from numpy.typing import NDArray

from beamtree.cancel import CancelToken
from beamtree.export.text import _lines
from beamtree.search import Search

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

    Ctrl-C ends the search with its best tree. So does SIGTERM, which saves the checkpoint first.

    Parameters
    ----------
    data : Path
        A csv file with a line of names; all columns but the target are 0 or 1.
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
    left?
      yes: yes (2 rows, 100%)
      no: right?
        yes: yes (1 row, 100%)
        no: no (1 row, 100%)
    0
    """
    token = CancelToken()
    before = signal.signal(signal.SIGTERM, lambda *_: token.cancel())
    try:
        names, X, y = _read_table(data, target)
        control: dict[str, Any] = {"cancel": token, "checkpoint": checkpoint}
        if checkpoint is not None and checkpoint.exists():
            search = Search.load(checkpoint, X, y, **control)
            if (theirs := search._values["max_depth"]) != depth:
                msg = f"depth must be that of the checkpoint, {theirs}, got {depth}"
                raise ValueError(msg)
        else:
            search = Search(X, y, max_depth=depth, **control)
        result = search.run(time)
    except (ValueError, OSError) as error:
        print(f"beamtree: {error}")
        return 2
    finally:
        signal.signal(signal.SIGTERM, before)
    print(
        f"{result.status}: objective {result.objective:g}, lower bound {result.lower_bound:g}, "
        f"gap {result.gap:.1%}"
    )
    print("\n".join(_lines(result.tree, names, search.classes.tolist())), flush=True)
    if token.cancelled:
        return 128 + signal.SIGTERM
    return 128 + signal.SIGINT if result.status == "interrupted" else 0


def _read_table(path: Path, target: str) -> tuple[list[str], NDArray[np.uint8], NDArray[Any]]:
    """Read names and values of the features, and the labels as text, from a csv file."""
    with path.open(newline="") as file:
        lines = list(csv.reader(file))
    names = lines[0] if lines else []
    if target not in names:
        msg = f"target must be a column of {str(path)!r}, got {target!r}"
        raise ValueError(msg)
    at = names.index(target)
    features = names[:at] + names[at + 1 :]
    rows, labels = [], []
    for number, row in enumerate(lines[1:], 2):
        if len(row) != len(names):
            msg = f"line {number} of {str(path)!r} must have {len(names)} values, got {len(row)}"
            raise ValueError(msg)
        labels.append(row.pop(at))
        for name, value in zip(features, row, strict=True):
            if value not in ("0", "1"):
                msg = f"column {name!r} must be 0 or 1, got {value!r} in line {number}"
                raise ValueError(msg)
        rows.append([value == "1" for value in row])
    return (
        features,
        np.array(rows, dtype=np.uint8).reshape(len(rows), len(features)),
        np.array(labels),
    )
