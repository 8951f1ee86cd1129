"""Run the benchmarks of docs/benchmarks.md, and write the page and the table of the README.

    python benchmarks/page.py run --data CP4IM --numbers NUMERIC --regression REGRESSION
    python benchmarks/page.py write

The first command runs the scripts one after the other, and keeps what they print and their JSON
files in ``build/benchmarks``; ``--only`` runs some of them. The folders are those that the scripts
take as ``--data``; ``beamtree datasets fetch`` fetches the first. The second command writes the
page.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from _pages import fill, made

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"


@dataclass(frozen=True)
class Benchmark:
    """A part of the page.

    Parameters
    ----------
    about : str
        What is compared, for the table of the README.
    command : str
        The script and its options.
    data : str
        The option of this script that has the folder for ``--data``, if the benchmark needs one.
    """

    about: str
    command: str
    data: str = ""


BENCHMARKS = {
    "proofs": Benchmark(
        "0/1 columns, depths 4 and 5",
        "proof_time.py --depths 4 5 --peers pystreed pytrees-pass --limit 60",
        "data",
    ),
    "thresholds": Benchmark(
        "numbers, all thresholds, depths 2 and 3",
        "thresholds.py --depths 2 3 --limit 60",
        "numbers",
    ),
    "prices": Benchmark(
        "0/1 columns, price per leaf, any depth",
        "small_trees.py --limit 10",
    ),
    "regression": Benchmark(
        "squared error, 0/1 columns, depths 3 to 5",
        "regression.py --depths 3 4 5 --limit 60",
        "regression",
    ),
}


def run(name, options):
    """Run a benchmark; keep its JSON file and what it prints."""
    benchmark = BENCHMARKS[name]
    script, *given = shlex.split(benchmark.command)
    if benchmark.data:
        folder = getattr(options, benchmark.data)
        if folder is None:
            print(f"{name} needs the option --{benchmark.data}, and was not run")
            return
        given += ["--data", folder]
    print(f"{name}: python benchmarks/{benchmark.command}", flush=True)
    target = options.out / f"{name}.json"
    command = [sys.executable, HERE / script, *given, "--json", target]
    printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    target.with_suffix(".txt").write_text(printed)


def part(name, folder):
    """Return a part of the page: the command, the tables, and the lines under them as a list."""
    environment = json.loads((folder / f"{name}.json").read_text())["environment"]
    versions = ", ".join(f"{key} {number}" for key, number in environment["versions"].items())
    command = re.sub(r" --json FILE$", "", environment["command"])
    command = re.sub(r"\S*/(?=\w+\.py )", "benchmarks/", command)
    lines = [made(environment), "", f"    {command}", ""]
    for line in (folder / f"{name}.txt").read_text().splitlines():
        if line.startswith("|") or not line:
            text = line
        elif line == versions:
            continue
        else:
            text = f"- {line}"
        lines += [text] if text or lines[-1] else []
    return "\n".join(lines).rstrip()


def readme_table(folder):
    """Return the table of the README: one row per benchmark and peer."""
    lines = [
        "| problems | compared with | times as long | least of them | number | script |",
        "| :-- | :-- | --: | --: | --: | :-- |",
    ]
    for name, benchmark in BENCHMARKS.items():
        content = json.loads((folder / f"{name}.json").read_text())
        versions = content["environment"]["versions"]
        for found in filter(None, content.get("comparisons", [])):
            peer = found["peer"]
            stopped = f" ({found['stopped']} stopped)" if found["stopped"] else ""
            lines.append(
                f"| {benchmark.about} | {NAMES.get(peer, peer)} {versions[peer]} "
                f"| {found['times']:.0f} | {found['smallest']:.1f} "
                f"| {found['problems']}{stopped} | `{benchmark.command.split()[0]}` |"
            )
    return "\n".join(lines)


NAMES = {"contree": "pycontree", "pytrees-pass": "pytrees-rs", "gosdt": "GOSDT"}
"""How the README calls a solver, where it differs."""


def write(folder):
    """Write the page and the table of the README."""
    fill(DOCS / "benchmarks.md", "page.py", {name: part(name, folder) for name in BENCHMARKS})
    fill(HERE.parent / "README.md", "page.py", {"speed": readme_table(folder)})


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["run", "write"])
    parser.add_argument("--data", metavar="DIR", help="*.txt: class, then 0/1 features")
    parser.add_argument("--numbers", metavar="DIR", help="numeric-*.txt*: class, then numbers")
    parser.add_argument("--regression", metavar="DIR", help="*.csv: features, then target")
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, default=list(BENCHMARKS))
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"))
    options = parser.parse_args(argv)
    if options.task == "write":
        write(options.out)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.only:
        run(name, options)


if __name__ == "__main__":
    main()
