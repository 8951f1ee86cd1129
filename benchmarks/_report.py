"""Tables, ratios, disagreements and the JSON file."""

import json
import platform
import sys
from importlib.metadata import version
from math import exp, log
from pathlib import Path

from _solvers import SOLVERS, installed

FAST = 0.05
"""Seconds; ratios of problems that take a peer less are noise."""


class Table:
    """A Markdown table that is printed row by row, as the results come."""

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
    """Seconds, or that the limit was hit, or that the solver failed."""
    if measured is None or not measured.runs:
        return "failed" if measured is not None and measured.failure else "-"
    return f">{measured.limit:g}" if measured.stopped else f"{measured.seconds:.4f}"


def megabytes(measured):
    """The peak of the solve in MB."""
    if measured is None or measured.peak_mb is None:
        return "-"
    return f"{max(measured.peak_mb, 0):.1f}"


def ratio(ours, theirs):
    """How many times longer the peer took; None where that says nothing.

    A peer that stopped at its limit counts with the seconds it had: the ratio
    is then too small. Where we did not prove and it did, too large.
    """
    if not ours.runs or theirs is None or not theirs.runs:
        return None
    proved = ours.optimal and theirs.optimal
    bound = (ours.optimal and theirs.stopped) or (ours.stopped and theirs.optimal)
    if not (proved or bound):
        return None
    return theirs.seconds / ours.seconds


def ratio_cell(ours, theirs, digits=1):
    """The ratio, marked where it is only a bound."""
    value = ratio(ours, theirs)
    if value is None:
        return "-"
    mark = ">" if not theirs.optimal else "<" if not ours.optimal else ""
    return f"{mark}{value:.{digits}f}"


def geometric_mean(values):
    """The geometric mean of positive numbers, nan of none."""
    return exp(sum(map(log, values)) / len(values)) if values else float("nan")


def optimum(measured):
    """The smallest proved error, or the smallest found, marked as such."""
    proved = [m.found for m in measured.values() if m.optimal]
    found = [m.found for m in measured.values() if m.runs]
    if proved:
        return f"{min(proved):g}"
    return f"<={min(found):g}" if found else "-"


def disagreements(where, measured, tolerance=1e-6):
    """Every claim that another tree, or the solver's own tree, contradicts."""
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


def summary(name, pairs, least=FAST):
    """The geometric mean and the smallest ratio against one peer.

    Parameters
    ----------
    pairs : list of (where, ours, theirs)
    least : float
        Problems that take the peer fewer seconds are left out.
    """
    slow = [
        (ratio(ours, theirs), where, theirs.optimal)
        for where, ours, theirs in pairs
        if ratio(ours, theirs) is not None and theirs.seconds >= least
    ]
    if not slow:
        return f"{name}: no problem took it {least * 1000:.0f} ms or more"
    bounds = sum(not proved for _, _, proved in slow)
    smallest, where, _ = min(slow)
    return (
        f"{name}: beamtree is {geometric_mean([r for r, *_ in slow]):.1f} times faster "
        f"(geometric mean of {len(slow)} problems that take {name} {least * 1000:.0f} ms or more, "
        f"{bounds} of them stopped by the limit); smallest {smallest:.1f} ({where})"
    )


def environment(solvers):
    """Versions of everything, for the JSON file and the last line."""
    return {
        "versions": {name: installed(name) for name in solvers if name in SOLVERS}
        | {name: version(name) for name in ("numpy", "scikit-learn")},
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": _processor(),
        "system": platform.platform(),
        "command": " ".join(["python", *_without_paths(sys.argv)]),
    }


def _without_paths(arguments):
    """The command as others would give it: DIR, EXE and FILE for what is local."""
    names = {"--data": "DIR", "--sketch": "EXE", "--json": "FILE", "--out": "FILE"}
    names |= {"--against": "ENVIRONMENT"}
    before = [None, *arguments[:-1]]
    return [names.get(b, a) for b, a in zip(before, arguments, strict=True)]


def _processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if "model name" in line), "")


def write_json(path, content):
    """Write the results where asked for."""
    if path:
        Path(path).write_text(json.dumps(content, indent=1) + "\n")
