"""List datasets, and write them to files."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from beamtree.cli._command import command, print_json

EXAMPLES = """Examples:

  beamtree datasets
  beamtree datasets export tic-tac-toe boards.csv
  beamtree datasets export monks-2 monks.txt.gz"""

app = App(
    name="datasets",
    help="List the datasets, write them to files, and download those of the paper.",
    help_epilogue=EXAMPLES,
)
ENDINGS = (".csv", ".txt", ".txt.gz")


@app.default
@command
def datasets(*, json: bool = False) -> int:
    """List the datasets with their numbers of rows, features and classes, and their source.

    Parameters
    ----------
    json : bool
        Print one JSON object instead of a table.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> from beamtree.cli.datasets import datasets
    >>> datasets(json=True)  # doctest: +ELLIPSIS
    {"datasets": [{"name": "balance-scale", "rows": 625, ...
    0
    """
    from beamtree.datasets import catalogue

    entries = catalogue()
    if json:
        print_json({"datasets": [entry._asdict() for entry in entries]})
        return 0
    widest = max(len(entry.name) for entry in entries)
    print(f"{'name':{widest}}  {'rows':>6}  {'features':>8}  {'classes':>7}  from")
    for name, *sizes, source in entries:
        rows, features, classes = ("?" if size is None else str(size) for size in sizes)
        print(f"{name:{widest}}  {rows:>6}  {features:>8}  {classes:>7}  {source}")
    return 0


@app.command
@command
def export(
    name: str,
    out: Path,
    /,
    *,
    target: str = "class",
    data_home: Path | None = None,
    json: bool = False,
) -> int:
    """Write a dataset to a file.

    Parameters
    ----------
    name : str
        Name of the dataset.
    out : Path
        The file: .csv with column names, or .txt or .txt.gz with the class before zeros and ones.
    target : str
        Name of the column that has the labels in a csv file.
    data_home : Path, optional
        Folder in which downloads are kept; by default that of scikit-learn.
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
    >>> from beamtree.cli.datasets import export
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export("parity", Path(folder) / "parity.csv", json=True)  # doctest: +ELLIPSIS
    {"name": "parity", "rows": 32, "features": 5, "classes": 2, "out": ...}
    0
    """
    from beamtree._util.atomic_files import check_folder
    from beamtree.datasets import load, save_csv, save_dl8

    if not out.name.endswith(ENDINGS):
        msg = f"OUT must end with one of {', '.join(ENDINGS)}, got {str(out)!r}"
        raise ValueError(msg)
    check_folder("OUT", out)
    data = load(name, data_home=data_home)
    if out.suffix == ".csv":
        save_csv(data, out, target)
    else:
        save_dl8(data, out)
    rows, features = data.X.shape
    if json:
        sizes = {"rows": rows, "features": features, "classes": len(data.class_names)}
        print_json({"name": name, **sizes, "out": str(out)})
    else:
        print(f"{out}: {rows} rows, {features} features, {len(data.class_names)} classes")
    return 0


@app.command
@command
def fetch(
    *names: str,
    data_home: Path | None = None,
    address: str | None = None,
    timeout: float = 60.0,
    json: bool = False,
) -> int:
    """Download the datasets of the paper (CP4IM), and keep them on this machine.

    Parameters
    ----------
    names : str
        Names of datasets, such as anneal; all by default.
    data_home : Path, optional
        Folder in which the datasets are kept; by default that of scikit-learn.
    address : str, optional
        Web address of the datasets; by default that in the paper.
    timeout : float
        Largest number of seconds for one download.
    json : bool
        Print one JSON object instead of text.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> from beamtree.cli.datasets import fetch
    >>> fetch("anneal", timeout=-1)
    2
    """
    from beamtree.datasets import fetch_cp4im
    from beamtree.datasets.cp4im import ADDRESS

    chosen = [name.removeprefix("cp4im/") for name in names] or None
    found = fetch_cp4im(data_home, names=chosen, address=address or ADDRESS, timeout=timeout)
    if json:
        sizes = {name: list(data.X.shape) for name, data in found.items()}
        print_json({"datasets": sizes})
    else:
        for name, data in found.items():
            print(f"{name}: {data.X.shape[0]} rows, {data.X.shape[1]} features")
    return 0
