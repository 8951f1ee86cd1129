"""Invented runs of a study, whose results can be computed by hand."""

from beamtree.study.store import Run, Store

MACHINE = {"cpu": "A processor", "cores": 2, "memory": 2**34, "system": "Linux 6.1"}
VERSIONS = {"beamtree": "0.1.0", "python": "3.11.7"}


def made(dataset, system, status, objective, seconds, trace=(), **more):
    """Return a run at depth 3 with a budget of 10 s."""
    fields = {"depth": 3, "budget": 10.0, "seed": 0, "lower_bound": 0.0, "data_hash": dataset}
    fields |= {"rows": 100, "features": 20, "classes": 2, "cpu_seconds": seconds}
    fields |= {"memory": 100_000_000, "machine": MACHINE, "versions": VERSIONS}
    fields |= {"started": "2026-11-16T10:00:00+00:00", "trace": [list(row) for row in trace]}
    if status == "optimal":
        fields["lower_bound"] = objective
    fields |= {"status": status, "objective": objective, "seconds": seconds} | more
    return Run(dataset=dataset, system=system, **fields)


def small_campaign():
    """Return the runs of four systems on two datasets. dl85 proves "easy" in half a second.

    The best objective of "hard" is 6, and the primal gaps are
        c45           1 until 1 s, 2/8 = 0.25 from then on
        dl85          1 until 2 s, 6/12 = 0.5 until 4 s, 0.25 from then on
        ca-gain-luby  1 until 1 s, 0.25 until 2 s, then 0
        beamtree      1 until 0.5 s, then 0
    The best objective of "easy" is 0, so that a gap is 1 or 0:
        c45           always 1
        dl85          1 until 0.25 s
        ca-gain-luby  1 until 0.5 s
        beamtree      1 until 0.0625 s
    """
    return [
        made("hard", "c45", "finished", 8.0, 1.0),
        made("hard", "dl85", "time_limit", 8.0, 10.02, [(2, 12, 0), (4, 8, 0)]),
        made("hard", "ca-gain-luby", "optimal", 6.0, 4.0, [(1, 8, 0), (2, 6, 0)]),
        made("hard", "beamtree", "optimal", 6.0, 1.0, [(0.5, 6, 0), (0.75, 6, 5), (1, 6, 6)]),
        made("easy", "c45", "finished", 3.0, 0.25),
        made("easy", "dl85", "optimal", 0.0, 0.5, [(0.25, 0, 0)]),
        made("easy", "ca-gain-luby", "optimal", 0.0, 0.5, [(0.5, 0, 0)]),
        made("easy", "beamtree", "optimal", 0.0, 0.125, [(0.0625, 0, 0)]),
    ]


def stored(runs, folder):
    """Write runs to a folder, and return it."""
    store = Store(folder)
    for run in runs:
        assert store.append(run)
    return folder
