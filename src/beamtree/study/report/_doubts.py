"""Find contradictions between the runs of a campaign, and runs that failed or were killed."""

from __future__ import annotations

from math import inf

from beamtree.study.report._summary import Summary, final, less, rescored
from beamtree.study.store import Run


def named(run: Run) -> str:
    """Return a text that identifies a run."""
    seed = f", seed {run.seed}" if run.seed else ""
    return f"{run.dataset}, depth {run.depth}: {run.system} ({run.budget:g} s{seed})"


def contradictions(summary: Summary) -> list[str]:
    """Return the claims that cannot be true, one sentence each.

    Parameters
    ----------
    summary : Summary
        The campaign.

    Returns
    -------
    list of str
        Runs that claim to be optimal although another run has a better tree, lower bounds above the
        objective of a tree that was found, reports that the last tree refutes, and datasets whose
        rows differ between runs.
    """
    best = {
        problem: min(
            (run for run in summary.runs if (run.dataset, run.depth) == problem), key=rescored
        )
        for problem in summary.best
    }
    found = []
    for run in summary.runs:
        found += _against_others(run, best[run.dataset, run.depth])
        found += _against_itself(run)
    return found + _different_data(summary)


def _against_others(run: Run, best: Run) -> list[str]:
    least = rescored(best)
    if least == inf:
        return []
    if run.status == "optimal" and less(least, final(run)):
        claim = "claims optimal with " + ("no tree" if final(run) == inf else f"{final(run):g}")
        return [f"{named(run)} {claim}, but {best.system} has a tree of {least:g}"]
    bound = max([run.lower_bound, *(row[2] for row in run.trace)])
    if less(least, bound):
        claim = f"has the lower bound {bound:g}"
        return [f"{named(run)} {claim}, but {best.system} has a tree of {least:g}"]
    return []


def _against_itself(run: Run) -> list[str]:
    reported = min((row[1] for row in run.trace), default=inf)
    if run.objective is None or run.status == "failed" or not less(reported, run.objective):
        return []
    return [f"{named(run)} reported {reported:g}, but its last tree has {run.objective:g}"]


def _different_data(summary: Summary) -> list[str]:
    hashes: dict[str, set[str]] = {}
    for run in summary.runs:
        hashes.setdefault(run.dataset, set()).add(run.data_hash)
    return [
        f"{dataset}: {len(found)} different tables have this name"
        for dataset, found in sorted(hashes.items())
        if len(found) > 1
    ]


def unfinished(summary: Summary) -> list[str]:
    """Return the runs that failed or were killed, one sentence each."""
    words = {
        "failed": "failed and counts as a gap of 1",
        "killed": "was killed after its budget and counts with its last report, which is not "
        "rescored",
    }
    return [
        f"{named(run)} {words[run.status]}" + (f": {run.failure}" if run.failure else "")
        for run in summary.runs
        if run.status in words
    ]
