"""The commands ``beamtree study run`` and ``beamtree study report``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from beamtree.cli._command import command, print_json

EXAMPLES = """Examples:

  beamtree study run --out results --depths 3 4 --budget 1 --jobs 2
  beamtree study run --out results --depths 3 --budget 1 --systems c45 'ca-*'
  beamtree study report results"""

app = App(
    name="study", help="Compare the systems of the paper on your data.", help_epilogue=EXAMPLES
)


@app.command
@command
def run(
    *,
    out: Path,
    data: Annotated[list[Path] | None, Parameter(consume_multiple=True)] = None,
    depths: Annotated[list[int], Parameter(consume_multiple=True)],
    budget: float,
    target: str | None = None,
    systems: Annotated[list[str] | None, Parameter(consume_multiple=True)] = None,
    jobs: int = 1,
    dask: str | None = None,
    seed: int = 0,
    json: bool = False,
) -> int:
    """Run systems on datasets, each run in its own process.

    If the command is stopped and started again, it does only the missing runs.

    Parameters
    ----------
    out : Path
        Folder for the results.
    data : Path, optional
        Folders or files (.txt, .txt.gz, .csv) whose first column is the class.
        The packaged datasets by default.
    depths : int
        Largest depths of the trees.
    budget : float
        Largest number of seconds for one run.
    target : str, optional
        Name of the column that has the labels in csv files; by default the first column.
    systems : str, optional
        Names of systems, or patterns such as 'ca-*'; all by default.
    jobs : int
        Number of runs at the same time; -1 for one per core.
    dask : str, optional
        Address of the scheduler of a Dask cluster that does the runs.
    seed : int
        Seed of the systems that use random numbers.
    json : bool
        Print one JSON object instead of text, and no progress.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> from pathlib import Path
    >>> from beamtree.cli.study import run
    >>> run(out=Path("no such folder/results"), depths=[3], budget=0.0)
    2
    """
    place = import_module("beamtree.study").run(
        data,
        out=out,
        depths=depths,
        budget=budget,
        target=target,
        systems=systems,
        jobs=jobs,
        dask=dask,
        seed=seed,
        progress=not json,
    )
    if json:
        print_json({"out": str(place)})
    else:
        print(f"the runs are in {place}")
    return 0


@app.command
@command
def report(folder: Path, /, *, out: Path | None = None, json: bool = False) -> int:
    """Make tables, pictures and a page from the results of a study.

    Parameters
    ----------
    folder : Path
        Folder with the results of study run.
    out : Path, optional
        Folder for the report; by default a folder inside the results.
    json : bool
        Print one JSON object instead of text.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> from pathlib import Path
    >>> from beamtree.cli.study import report
    >>> report(Path("no such folder"))
    2
    """
    if not folder.is_dir():
        msg = f"FOLDER must be a folder with the results of a study, got {str(folder)!r}"
        raise ValueError(msg)
    page = import_module("beamtree.study").report(folder, out=out)
    if json:
        print_json({"page": str(page)})
    else:
        print(f"the report is {page}")
    return 0
