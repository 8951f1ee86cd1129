"""Draw the result of proof_time.py: the seconds to the proof of each solver on each problem.

python benchmarks/plot.py proof_time.json proof_time.svg
"""

import argparse
import json
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
mpl.rcParams["svg.hashsalt"] = "beamtree"  # equal numbers give equal files
from matplotlib import pyplot as plt  # noqa: E402

COLOURS = {"beamtree": "#0b6e4f", "pystreed": "#c1666b", "pytrees": "#d4b483"}


def draw(content, least=0.05):
    """Draw one row per problem that takes some solver `least` seconds, the slowest on top."""
    names = [name for name in COLOURS if name in content["problems"][0]["solvers"]]
    problems = [
        problem
        for problem in content["problems"]
        if max(solver["seconds"] for solver in problem["solvers"].values()) >= least
    ]
    problems.sort(key=lambda problem: problem["solvers"][names[-1]]["seconds"])
    figure, axes = plt.subplots(figsize=(8, 0.24 * len(problems) + 1.2))
    rows = range(len(problems))
    seconds = {
        name: [problem["solvers"][name]["seconds"] for problem in problems] for name in names
    }
    lowest = [min(values) for values in zip(*seconds.values(), strict=True)]
    highest = [max(values) for values in zip(*seconds.values(), strict=True)]
    axes.hlines(rows, lowest, highest, color="#cccccc", linewidth=2, zorder=1)
    for name in names:
        axes.scatter(seconds[name], rows, color=COLOURS[name], label=name, zorder=2, s=28)
    axes.set_yticks(rows, [f"{p['dataset']}, depth {p['depth']}" for p in problems], fontsize=8)
    axes.set_xscale("log")
    axes.set_xlabel("seconds until the optimum is proved, one core (limit "
                    f"{content['limit']:g} s)")  # fmt: skip
    axes.grid(axis="x", color="#eeeeee")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False)
    figure.tight_layout()
    return figure


def save(figure, path):
    """Write the picture without a date, so that equal numbers give equal files."""
    undated = {"Date": None} if path.endswith("svg") else {}
    figure.savefig(path, metadata=undated)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", help="written by proof_time.py --json")
    parser.add_argument("picture", help="the file to write, .svg or .png")
    options = parser.parse_args(argv)
    save(draw(json.loads(Path(options.json).read_text())), options.picture)


if __name__ == "__main__":
    main()
