"""Fit rows that are in Parquet files with Dask, and measure time and memory as their number grows.

    python benchmarks/dask_rows.py --rows 100000 1000000 10000000 --in-memory 1000000

The tables have 20 columns of random floats, nearly all of which are different, and a noisy label
that follows from three of them. 16 thresholds per column are searched. Every fit runs in a process
of its own, which reads the files partition by partition in threads, without a cluster; the peak is
the largest resident size of this process, libraries included, so that it is the peak of all
processes. Up to a number of rows, the same rows are fitted in memory, too, and must give the same
tree. A MB has 10^6 bytes.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from _report import Table, environment, write_json
from _runner import last_core

COLUMNS, THRESHOLDS = 20, 16
ROWS = [100_000, 1_000_000, 10_000_000]
MOST_MB = 4000
"""The most that a fit may take."""


def write_rows(folder, rows, of_file, *, noise=0.05):
    """Write the rows as Parquet files."""
    import pandas as pd

    for start in range(0, rows, of_file):
        rng = np.random.default_rng([1, start])
        X = rng.random((min(of_file, rows - start), COLUMNS))
        y = np.where(X[:, 0] > 0.37, X[:, 3] > 0.55, X[:, 7] < 0.21)
        table = pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)])
        table["y"] = (y ^ (rng.random(len(X)) < noise)).astype(np.int8)
        table.to_parquet(folder / f"{start:012}.parquet", index=False)


def fit(folder, depth, limit, *, in_memory):
    """Fit the rows in a folder, and return what was found and measured."""
    from beamtree import OptimalTreeClassifier
    from beamtree.dask import DaskOptimalTreeClassifier

    settings = {"max_depth": depth, "max_thresholds": THRESHOLDS, "time_limit": limit}
    begin = perf_counter()
    if in_memory:
        import pandas as pd

        table, model = pd.read_parquet(folder), OptimalTreeClassifier(**settings)
    else:
        import dask.dataframe as dd

        table, model = dd.read_parquet(folder), DaskOptimalTreeClassifier(**settings)
    model.fit(table.drop(columns="y"), table["y"])
    seconds = perf_counter() - begin
    status = Path("/proc/self/status").read_text().split("VmHWM:")[1]
    return {
        "seconds": seconds,
        "passes_seconds": model.statistics_["preparation_seconds"],
        "peak_mb": int(status.split()[0]) * 1024 / 1e6,
        "proof": model.proof_,
        "status": model.status_,
        "objective": model.objective_,
        "tree": json.loads(model.to_json())["nodes"],
    }


def measured(folder, options, *, in_memory=False):
    """Return what `fit` returns, from a process of its own."""
    command = [sys.executable, __file__, "--fit", str(folder), "--depth", str(options.depth)]
    if options.limit is not None:
        command += ["--limit", str(options.limit)]
    if in_memory:
        command += ["--as-table"]
    core = last_core(options.core)
    if core is not None:
        command = ["taskset", "-c", str(core), *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the fit of {folder.name} rows failed: {done.stderr}")
    return json.loads(done.stdout)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=ROWS)
    parser.add_argument("--rows-of-file", type=int, default=100_000, metavar="N")
    parser.add_argument("--in-memory", type=int, default=1_000_000, metavar="N", help="at most")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--limit", type=float, help="seconds of a fit; by default none")
    parser.add_argument("--core", type=int)
    parser.add_argument("--data", type=Path, help="folder for the files; by default temporary")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--as-table", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.fit is not None:
        found = fit(options.fit, options.depth, options.limit, in_memory=options.as_table)
        print(json.dumps(found))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        return compare(Path(temporary) if options.data is None else options.data, options)


def compare(base, options):
    """Print a line for every number of rows, and return the exit status."""
    columns = "passes s", "search s", "growth", "peak MB", "in memory s", "MB", "tree", "result"
    table = Table("rows", *columns, widest=10)
    last, violations, rows = None, [], []
    for size in options.rows:
        folder = base / f"{size}"
        if not folder.exists():
            folder.mkdir(parents=True)
            write_rows(folder, size, options.rows_of_file)
        found = measured(folder, options)
        local = measured(folder, options, in_memory=True) if size <= options.in_memory else None
        same = "-" if local is None else "same" if local["tree"] == found["tree"] else "differs"
        search = found["seconds"] - found["passes_seconds"]
        table.row(
            f"{size:,}", f"{found['passes_seconds']:.1f}", f"{search:.1f}",
            "-" if last is None else f"{found['seconds'] / last:.1f}", f"{found['peak_mb']:.0f}",
            "-" if local is None else f"{local['seconds']:.1f}",
            "-" if local is None else f"{local['peak_mb']:.0f}", same, found["proof"],
        )  # fmt: skip
        last = found["seconds"]
        if same == "differs" and found["status"] == "optimal":
            violations.append(f"{size} rows: the tree differs from that of a fit in memory")
        if found["peak_mb"] > MOST_MB:
            violations.append(f"{size} rows: the peak is {found['peak_mb']:.0f} MB")
        rows.append({"rows": size, "dask": found, "in_memory": local})
    print()
    print(
        *(violations or ["All trees are the same, and all peaks are within the limit."]), sep="\n"
    )
    if options.out is not None:
        write_json(options.out, {"environment": environment([]), "rows": rows})
    return len(violations) > 0


if __name__ == "__main__":
    sys.exit(main())
