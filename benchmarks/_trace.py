"""What a solver had at a given time, from the traces of its runs.

A trace has rows of seconds since the call of ``fit``, errors, and the lower
bound or None. When a run ends, its last tree counts, rescored with
``predict``. Where that tree makes more errors than the solver reported on the
way, the reports are not believed: no error counts as less than that tree's.
"""

import statistics
from math import inf


def row_at(trace, seconds):
    """The last row that is not later; None before the first."""
    return next((row for row in reversed(trace) if row[0] <= seconds), None)


def ended(run, seconds, limit):
    """Whether the run was over; at the limit it is, whatever it still took."""
    return seconds >= min(run["seconds"], limit)


def run_error(run, seconds, limit):
    """The error of one run; infinite before its first tree."""
    if ended(run, seconds, limit):
        return run["found"]
    row = row_at(run["trace"], seconds)
    return inf if row is None else max(row[1], run["found"])


def run_share(run, seconds, limit):
    """The lower bound as a share of the error, 1 where both are 0."""
    if run["optimal"] and ended(run, seconds, limit):
        return 1.0
    error = run_error(run, seconds, limit)
    row = row_at(run["trace"], seconds)
    if row is None or row[2] is None:
        return 0.0
    return row[2] / error if error else 1.0


def error_at(measured, seconds):
    """The error after so many seconds, the median of the runs; None without a tree."""
    values = [run_error(run, seconds, measured.limit) for run in measured.runs]
    value = statistics.median_high(values) if values else inf
    return None if value == inf else value


def share_at(measured, seconds):
    """The lower bound as a share of the error, the median of the runs; None of none."""
    values = [run_share(run, seconds, measured.limit) for run in measured.runs]
    return statistics.median_low(values) if values else None


def first_tree(measured):
    """Seconds until there was a tree, the largest of the runs."""
    return max(run["trace"][0][0] if run["trace"] else run["seconds"] for run in measured.runs)


def reported(run):
    """The least error that a run told of, contradicted or not."""
    return min([row[1] for row in run["trace"]] + [run["found"]])


def contradicted(measured):
    """Whether the last tree of some run is worse than what was reported on the way."""
    return any(reported(run) < run["found"] for run in measured.runs)


def contradictions(where, measured):
    """A line for each run whose last tree is worse than what was reported on the way."""
    return sorted(
        {
            f"{where}: {measured.solver} reported {reported(run):g} errors, "
            f"its last tree makes {run['found']:g}"
            for run in measured.runs
            if reported(run) < run["found"]
        }
    )
