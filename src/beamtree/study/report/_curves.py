"""The curves of the page, as data for its script."""

from __future__ import annotations

from math import inf
from typing import Any

from beamtree.study.report._styles import OURS, style
from beamtree.study.report._summary import Group, Summary, curve

Points = list[list[float]]


def styles(summary: Summary) -> dict[str, dict[str, Any]]:
    """Return the label and the line style of each system."""
    return {
        system: style(system)._asdict() | {"label": style(system).label}
        for system in summary.systems
    }


def solved_curves(group: Group) -> dict[str, Any]:
    """Return the number of datasets that each system has proved, over time."""
    lines = {system: [[0.0, 0.0], *map(_rounded, group.proofs(system))] for system in group.systems}
    return {
        "kind": "solved",
        "unit": f"proved, of {len(group.datasets)}",
        "start": group.start(rows[1][0] for rows in lines.values() if len(rows) > 1),
        "end": group.budget,
        "panels": [{"name": "", "lines": lines, "top": len(group.datasets)}],
    }


def error_curves(group: Group) -> dict[str, Any]:
    """Return the objective over time, with one panel per dataset."""
    return {
        "kind": "error",
        "unit": "objective",
        "start": group.start(group.first_trees()),
        "end": group.budget,
        "panels": [_panel(group, dataset) for dataset in group.datasets],
    }


def _panel(group: Group, dataset: str) -> dict[str, Any]:
    lines, bound = {}, []
    for system in group.systems:
        if (system, dataset) not in group.runs:
            continue
        rows = curve(group.runs[system, dataset][0])
        lines[system] = _steps([(row[0], row[1]) for row in rows])
        if system == OURS:
            bound = _steps([(row[0], row[2]) for row in rows])
    best = group.best[dataset]
    values = [point[1] for points in lines.values() for point in points]
    return {
        "name": dataset,
        "lines": lines,
        "bound": bound,
        "best": None if best == inf else best,
        "top": max([1.0, *values]),
    }


def _steps(rows: list[tuple[float, float]]) -> Points:
    """Return the points at which the value changes."""
    kept = [row for i, row in enumerate(rows) if i == 0 or row[1] != rows[i - 1][1]]
    return [_rounded(row) for row in kept]


def _rounded(point: tuple[float, float]) -> list[float]:
    return [float(f"{point[0]:.6g}"), float(f"{point[1]:.10g}")]
