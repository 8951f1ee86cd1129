"""Read the errors and the bound of a solver at a given time from the traces of its runs.

A trace has rows of seconds since the call of ``fit``, errors, and the lower bound or None. From the
end of a run, its last tree counts, rescored with ``predict``. If that tree makes more errors than
were reported, the reports are not believed: no value is less than the errors of that tree.
"""

import statistics
from math import inf


def row_at(trace, seconds):
    """Return the last row that is not later than a time, or None before the first row."""
    return next((row for row in reversed(trace) if row[0] <= seconds), None)


def ended(run, seconds, limit):
    """Return whether a run has ended; at the limit every run has, even if it took longer."""
    return seconds >= min(run["seconds"], limit)


def run_error(run, seconds, limit):
    """Return the errors of one run at a time, infinity before its first tree."""
    if ended(run, seconds, limit):
        return run["found"]
    row = row_at(run["trace"], seconds)
    return inf if row is None else max(row[1], run["found"])


def run_share(run, seconds, limit):
    """Return the lower bound of one run as a share of the errors, 1 if both are 0."""
    if run["optimal"] and ended(run, seconds, limit):
        return 1.0
    error = run_error(run, seconds, limit)
    row = row_at(run["trace"], seconds)
    if row is None or row[2] is None:
        return 0.0
    return row[2] / error if error else 1.0


def error_at(measured, seconds):
    """Return the errors at a time as the median of the runs, or None without a tree."""
    values = [run_error(run, seconds, measured.limit) for run in measured.runs]
    value = statistics.median_high(values) if values else inf
    return None if value == inf else value


def share_at(measured, seconds):
    """Return the lower bound as a share of the errors, as the median of the runs, or None."""
    values = [run_share(run, seconds, measured.limit) for run in measured.runs]
    return statistics.median_low(values) if values else None


def first_tree(measured):
    """Return the seconds until the first tree, the largest value of the runs."""
    return max(run["trace"][0][0] if run["trace"] else run["seconds"] for run in measured.runs)


def reported(run):
    """Return the least errors that a run reported, contradicted or not."""
    return min([row[1] for row in run["trace"]] + [run["found"]])


def contradicted(measured):
    """Return whether the last tree of some run is worse than an earlier report."""
    return any(reported(run) < run["found"] for run in measured.runs)


def contradictions(where, measured):
    """Return a line for each run whose last tree is worse than an earlier report."""
    return sorted(
        {
            f"{where}: {measured.solver} reported {reported(run):g} errors, "
            f"its last tree makes {run['found']:g}"
            for run in measured.runs
            if reported(run) < run["found"]
        }
    )
