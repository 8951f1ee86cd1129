"""Draw the result of anytime.py: errors and lower bound over time.

    python benchmarks/plot_anytime.py anytime.json anytime.svg

It shows the problems that take us longest to prove, or those that are named.
"""

import argparse
import json
import sys
from pathlib import Path

from plot import COLOURS, plt, save

GREEDY = "#888888"
COLUMNS = 3


def steps(points, start, end, last):
    """Return the points of a step function from its first point to the end of the axis."""
    shown = [(max(x, start), y) for x, y in points if x <= end]
    return [*shown, (end, last)] if shown else []


def panel(axes, problem, limit, start=0.002):
    """Draw one problem: the errors of all solvers, and our lower bound."""
    for name, solver in problem["solvers"].items():
        if not solver["runs"]:
            continue
        run = solver["runs"][0]
        if name == "greedy":
            axes.axhline(run["found"], color=GREEDY, linewidth=1.2, linestyle=":")
            continue
        points = [(row[0], max(row[1], run["found"])) for row in run["trace"]]
        errors = steps(points, start, limit, run["found"])
        if not errors:
            continue
        width = 2.2 if name == "beamtree" else 1.6
        axes.step(*zip(*errors, strict=True), where="post", color=COLOURS[name], linewidth=width)
        if name == "beamtree":
            bound(axes, run, errors, start, limit)
    axes.set_xscale("log")
    axes.set_xlim(start, limit)
    axes.set_ylim(0, 1.15 * top(problem["solvers"]))
    axes.set_title(f"{problem['dataset']}, depth {problem['depth']}", fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(color="#eeeeee")
    axes.spines[["top", "right"]].set_visible(False)


def top(solvers):
    """Return the largest errors to show: of the greedy tree and our first tree."""
    ours = solvers["beamtree"]["runs"][0]
    greedy = solvers.get("greedy", {}).get("found") or 0
    return max(greedy, *(row[1] for row in ours["trace"][:1]), ours["found"], 1)


def bound(axes, run, errors, start, limit):
    """Draw our lower bound, dashed, and a dot where it meets the errors."""
    last = run["found"] if run["optimal"] else run["lower"]
    lower = steps([(row[0], row[2]) for row in run["trace"]], start, limit, last)
    colour = COLOURS["beamtree"]
    axes.step(*zip(*lower, strict=True), where="post", color=colour, linewidth=1.4, linestyle="--")
    if run["optimal"]:
        end = min(max(run["seconds"], start), limit)
        axes.plot(end, errors[-1][1], "o", color=colour, markersize=5, clip_on=False, zorder=3)


def selected(content, names, depth, count):
    """Return the problems to show: those named, or those that are hardest to prove."""
    problems = [
        problem
        for problem in content["problems"]
        if (not names or problem["dataset"] in names)
        and (depth is None or problem["depth"] == depth)
        and problem["solvers"]["beamtree"]["runs"]
    ]
    hardest = sorted(
        problems, key=lambda p: (-p["solvers"]["beamtree"]["seconds"], p["dataset"], p["depth"])
    )
    kept = problems if names else hardest[:count]
    return kept or sys.exit("no such problem in the file")


def draw(content, problems):
    """Draw one panel per problem, with one legend for all."""
    columns = min(COLUMNS, len(problems))
    rows = -(-len(problems) // columns)
    size = (3.2 * columns, 2.3 * rows + 0.6)
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")
    for axes in grid.flat[len(problems) :]:
        axes.set_visible(False)
    for axes, problem in zip(grid.flat, problems, strict=False):
        panel(axes, problem, content["limit"])
    for axes in grid[:, 0]:
        axes.set_ylabel("errors", fontsize=8)
    for axes in grid[-1]:
        axes.set_xlabel("seconds", fontsize=8)
    figure.legend(handles=legend(problems), loc="outside upper center", ncols=6, frameon=False,
                  fontsize=8)  # fmt: skip
    return figure


def legend(problems):
    """Return the lines of the legend: one per solver, and our bound."""
    names = [name for name in COLOURS if any(name in p["solvers"] for p in problems)]
    lines = [plt.Line2D([], [], color=COLOURS[name], linewidth=2, label=name) for name in names]
    ours = COLOURS["beamtree"]
    lines.insert(1, plt.Line2D([], [], color=ours, linestyle="--", label="beamtree's lower bound"))
    lines.insert(2, plt.Line2D([], [], color=ours, marker="o", linestyle="", label="proved"))
    if any("greedy" in p["solvers"] for p in problems):
        lines.append(plt.Line2D([], [], color=GREEDY, linestyle=":", label="greedy"))
    return lines


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", help="written by anytime.py --json")
    parser.add_argument("picture", help="the file to write, .svg or .png")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these datasets")
    parser.add_argument("--depth", type=int, default=None, help="only this depth")
    parser.add_argument("--count", type=int, default=6, help="number of problems without --only")
    options = parser.parse_args(argv)
    content = json.loads(Path(options.json).read_text())
    problems = selected(content, options.only, options.depth, options.count)
    save(draw(content, problems), options.picture)


if __name__ == "__main__":
    main()
