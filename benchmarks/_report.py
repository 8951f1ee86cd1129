"""Print tables, compute ratios, find disagreements, and write the JSON file."""

import json
import platform
import sys
from datetime import date
from importlib.metadata import version
from math import exp, log
from pathlib import Path

from _solvers import SOLVERS, installed

from beamtree.study._machine import processor_name

FAST = 0.05
"""If a peer takes fewer seconds than this, the ratio is mostly noise."""


class Table:
    """A Markdown table, whose rows are printed as soon as the results are there."""

    def __init__(self, *columns, widest=None):
        self.columns = columns
        self.widths = [max(len(name), 8) for name in columns]
        if widest:
            self.widths[0] = max(self.widths[0], widest)
        self._print(columns)
        ends = [":" + "-" * (w - 1) if i == 0 else "-" * (w - 1) + ":" for i, w in self._cells()]
        self._print(ends)

    def row(self, *cells):
        self._print(cells)

    def _cells(self):
        return enumerate(self.widths)

    def _print(self, cells):
        padded = [
            str(cell).ljust(width) if i == 0 else str(cell).rjust(width)
            for i, (cell, width) in enumerate(zip(cells, self.widths, strict=True))
        ]
        print("| " + " | ".join(padded) + " |", flush=True)


def seconds(measured):
    """Return the seconds, or that the limit was hit, or that the solver failed."""
    if measured is None or not measured.runs:
        return "failed" if measured is not None and measured.failure else "-"
    return f">{measured.limit:g}" if measured.stopped else f"{measured.seconds:.4f}"


def megabytes(measured):
    """Return the memory that the solve added, in MB."""
    if measured is None or measured.growth_mb is None:
        return "-"
    return f"{max(measured.growth_mb, 0):.1f}"


def ratio(ours, theirs):
    """Return the seconds of the peer divided by ours, or None if the ratio has no meaning.

    A solver that was stopped by its limit counts with the seconds until then. So the ratio is a
    lower bound if the peer was stopped, and an upper bound if only the peer has a proof.
    """
    if not ours.runs or theirs is None or not theirs.runs:
        return None
    proved = ours.optimal and theirs.optimal
    bound = (ours.optimal and theirs.stopped) or (ours.stopped and theirs.optimal)
    if not (proved or bound):
        return None
    return theirs.seconds / ours.seconds


def ratio_cell(ours, theirs, digits=1):
    """Return the text of the ratio, with a mark if it is only a bound."""
    value = ratio(ours, theirs)
    if value is None:
        return "-"
    mark = ">" if not theirs.optimal else "<" if not ours.optimal else ""
    return f"{mark}{value:.{digits}f}"


def geometric_mean(values):
    """Return the geometric mean of positive numbers, nan if there are none."""
    return exp(sum(map(log, values)) / len(values)) if values else float("nan")


def optimum(measured):
    """Return the smallest proved error, or the smallest error found with the mark ``<=``."""
    proved = [m.found for m in measured.values() if m.optimal]
    found = [m.found for m in measured.values() if m.runs]
    if proved:
        return f"{min(proved):g}"
    return f"<={min(found):g}" if found else "-"


def disagreements(where, measured, tolerance=1e-6):
    """Return the claims that another tree, or the solver's own tree, contradicts."""
    found = {name: m.found for name, m in measured.items() if m.runs}
    said = []
    for name, m in measured.items():
        if m.failure:
            said.append(f"{where}: {name} failed: {m.failure}")
        for run in m.runs:
            claimed = run.get("errors")
            wrong = run.get("wrong", run["found"])
            if claimed is not None and claimed != wrong:
                said.append(f"{where}: {name} claims {claimed} errors, its tree makes {wrong:g}")
            for other, errors in found.items():
                if run["optimal"] and errors < run["found"] - tolerance:
                    said.append(
                        f"{where}: {name} claims that {run['found']:g} is optimal, "
                        f"{other} has {errors:g}"
                    )
                lower = run.get("lower")
                if lower is not None and errors < lower - tolerance:
                    said.append(
                        f"{where}: {name} claims at least {lower:g}, {other} has {errors:g}"
                    )
    return sorted(set(said))


def faster(peer, ratios, least=FAST):
    """Return by how much we are faster than a peer, or None if no problem took it long enough.

    Parameters
    ----------
    ratios : list of (float, str, bool)
        One for each problem: the peer's seconds divided by ours, the name of the problem, and
        whether the peer has a proof.
    least : float
        The list has only problems that take the peer as many seconds.
    """
    if not ratios:
        return None
    smallest, where, _ = min(ratios)
    return {
        "peer": peer,
        "times": geometric_mean([times for times, *_ in ratios]),
        "problems": len(ratios),
        "stopped": sum(not proved for *_, proved in ratios),
        "least": least,
        "smallest": smallest,
        "where": where,
    }


def compared(peer, pairs, least=FAST):
    """Return `faster` of pairs: the problem, and the measurements of beamtree and of the peer."""
    ratios = [(ratio(ours, theirs), where, theirs) for where, ours, theirs in pairs]
    return faster(
        peer,
        [
            (times, where, theirs.optimal)
            for times, where, theirs in ratios
            if times is not None and theirs.seconds >= least
        ],
        least,
    )


def summary(peer, found, least=FAST):
    """Return what `faster` found as a sentence."""
    milliseconds = f"{least * 1000:.0f} ms"
    if found is None:
        return f"{peer}: no problem took it {milliseconds} or more"
    return (
        f"{peer}: beamtree is {found['times']:.1f} times faster (geometric mean of "
        f"{found['problems']} problems that take {peer} {milliseconds} or more, "
        f"{found['stopped']} of them stopped by the limit); "
        f"smallest {found['smallest']:.1f} ({found['where']})"
    )


def environment(solvers):
    """Return the versions and the machine, for the JSON file and the last line."""
    return {
        "versions": {name: installed(name) for name in solvers if name in SOLVERS}
        | {name: version(name) for name in ("numpy", "scikit-learn")},
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": processor_name(),
        "system": platform.platform(),
        "command": " ".join(["python", *_without_paths(sys.argv)]),
    }


def _without_paths(arguments):
    """Return the command with DIR, EXE and FILE in place of local paths."""
    names = {"--data": "DIR", "--sketch": "EXE", "--json": "FILE", "--out": "FILE"}
    names |= {"--against": "ENVIRONMENT"}
    before = [None, *arguments[:-1]]
    return [names.get(b, a) for b, a in zip(before, arguments, strict=True)]


def write_json(path, content):
    """Write the results to a JSON file, if a path is given."""
    if path:
        Path(path).write_text(json.dumps(content, indent=1) + "\n")
