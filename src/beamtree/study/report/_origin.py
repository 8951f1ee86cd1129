"""The machines and versions of the runs, and the commands that repeat them."""

from __future__ import annotations

from collections.abc import Iterable

from beamtree.study._command_line import command_line
from beamtree.study.report._styles import order
from beamtree.study.report._summary import Summary
from beamtree.study.store import Run

# The folder that the commands write to. In that of the campaign they would find all runs done.
REPEATED = "repeated"


def origin(summary: Summary) -> list[tuple[str, list[str]]]:
    """Return the machines, versions, budgets and times of the runs, each distinct value once."""
    runs = summary.runs
    started = sorted(run.started for run in runs if run.started)
    return [
        ("Machine", _distinct(_machine(run) for run in runs)),
        ("Versions", _distinct(_versions(run) for run in runs)),
        ("Budget", _distinct(f"{run.budget:g} s per run" for run in runs)),
        ("Time", [f"{started[0]} to {started[-1]}"] if started else []),
    ]


def commands(summary: Summary) -> list[str]:
    """Return the commands that did the runs, with another folder for the results.

    Runs that were recorded by an older version do not name their command. For these there is one
    command for each budget and seed, with DIR in place of the data, and without other options.
    """
    lines = [run.command for run in summary.runs if run.command]
    unnamed = [run for run in summary.runs if not run.command]
    for budget, seed in sorted({(run.budget, run.seed) for run in unnamed}):
        runs = [run for run in unnamed if (run.budget, run.seed) == (budget, seed)]
        depths = sorted({run.depth for run in runs})
        systems = sorted({run.system for run in runs}, key=order)
        lines.append(command_line(["DIR"], depths, budget, systems=systems, seed=seed))
    return [f"{line} --out {REPEATED}" for line in dict.fromkeys(lines)]


def _machine(run: Run) -> str:
    machine = run.machine
    memory = machine.get("memory")
    parts = [
        machine.get("cpu"),
        f"{machine['cores']} cores" if "cores" in machine else None,
        f"{memory / 2**30:.0f} GiB" if memory else None,
        machine.get("system"),
    ]
    return ", ".join(str(part) for part in parts if part)


def _versions(run: Run) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(run.versions.items()))


def _distinct(words: Iterable[str]) -> list[str]:
    return sorted({word for word in words if word})
