"""Measure solvers on a problem: each solve has its own process, and all run on the same core.

A job runs a solver of ``_solvers.py`` in a process of the study (`beamtree.study`), or another
program. Anything with a name and a method ``measure`` is a job.
"""

import io
import os
import re
import statistics
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from beamtree.study._cores import Core, allowed_cores
from beamtree.study._process import SINGLE, Process
from beamtree.study.worker import pin

ALL = "all"
"""The core of a `Runner` that does not pin its processes, for solvers with several threads."""


class Failed(Exception):  # noqa: N818
    """Raised when a solve has no result; the text is the reason."""


@dataclass
class Measured:
    """The runs of one solver on one problem; seconds and growth are medians."""

    solver: str
    limit: float
    runs: list = field(default_factory=list)
    failure: str | None = None

    @property
    def seconds(self):
        return statistics.median(run["seconds"] for run in self.runs) if self.runs else None

    @property
    def growth_mb(self):
        grown = [run["growth_bytes"] for run in self.runs if run["growth_bytes"] is not None]
        return statistics.median(grown) / (1 << 20) if grown else None

    @property
    def optimal(self):
        return bool(self.runs) and all(run["optimal"] for run in self.runs)

    @property
    def stopped(self):
        """Whether the limit ended the runs, so that the seconds are a lower bound."""
        return bool(self.runs) and not self.optimal and self.seconds >= 0.9 * self.limit

    @property
    def found(self):
        """Errors of the best tree, rescored with ``predict``."""
        return min(run["found"] for run in self.runs) if self.runs else None

    def as_json(self):
        return asdict(self) | {
            "seconds": self.seconds,
            "growth_mb": self.growth_mb,
            "optimal": self.optimal,
            "found": self.found,
        }


@dataclass(frozen=True)
class Job:
    """A solver with its options, under the name that the table shows."""

    name: str
    solver: str = ""
    options: dict = field(default_factory=dict)
    weight: np.ndarray | None = None
    trace: bool = False

    def measure(self, data, depth, limit, core):
        """Run the solver once; return what ``_worker.py`` has measured."""
        request = {"solver": self.solver or self.name, "options": self.options}
        request |= {"depth": depth, "limit": limit, "trace": self.trace}
        pinned = None if core is None else Core(core, None)
        process = Process(request, self._packed(data), pinned, most_seconds(limit), "_worker")
        try:
            process.communicate()
        finally:
            process.close()
        if process.end is None:
            raise Failed(process.reason())
        return process.end

    def _packed(self, data):
        arrays = {} if self.weight is None else {"weight": self.weight}
        file = io.BytesIO()
        np.savez(file, X=data.X, y=data.y, **arrays)
        return file.getvalue()


@dataclass(frozen=True)
class Executable:
    """A program that reads a text file, and whose last line has ``t= err= opt=``."""

    name: str
    path: str

    def measure(self, data, depth, limit, core):
        """Run the program once; return what it has printed."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "data.txt")
            np.savetxt(file, np.column_stack([data.y, data.X]), fmt="%d")
            settings = [f"d={depth}", f"t={limit:g}", "mode=0", "order=4", "arch=1024"]
            printed = output([self.path, str(file), *settings], limit, core)
        said = dict(re.findall(r"\b(t|err|opt)=(\S+)", printed.strip().splitlines()[-1]))
        errors = int(said["err"])
        return {
            "seconds": float(said["t"]),
            "growth_bytes": None,
            "found": float(errors),
            "errors": errors,
            "optimal": said["opt"] == "1",
        }


class Runner:
    """Measures jobs.

    Parameters
    ----------
    limit : float
        Seconds that each solver may take.
    repeats : int
        Number of runs of each job; a job that hits the limit is not repeated.
    core : int, `ALL` or None
        The core that all processes are pinned to; None for the last core that is allowed.
    """

    def __init__(self, limit=60.0, repeats=3, core=None):
        self.limit, self.repeats = limit, repeats
        self.core = None if core == ALL else last_core(core)

    def compare(self, jobs, data, depth):
        """Run the jobs in turn, repeatedly, so that noise affects all of them alike.

        Every second repeat goes backwards, so that no job is always the first.
        """
        measured = {job.name: Measured(job.name, self.limit) for job in jobs}
        for repeat in range(self.repeats):
            for job in jobs if repeat % 2 == 0 else reversed(jobs):
                done = measured[job.name]
                if done.failure or done.stopped:
                    continue
                try:
                    done.runs.append(job.measure(data, depth, self.limit, self.core))
                except Failed as failed:
                    done.failure = str(failed)
        return measured


def last_core(asked=None):
    """Return the core that is asked for, or else the last one that this process may use."""
    return max(allowed_cores()) if asked is None else asked


def most_seconds(limit):
    """Return the seconds after which a solve is killed: solvers may overshoot their limit."""
    return 3 * limit + 60


def output(command, limit, core, variables=os.environ):
    """Run a program with one thread on a core, and return what it prints."""
    try:
        done = subprocess.run(
            command,
            env=variables | SINGLE,
            preexec_fn=partial(pin, core),
            timeout=most_seconds(limit),
            capture_output=True,
            text=True,
            check=True,
        )
    except subprocess.TimeoutExpired as late:
        raise Failed(f"killed after {late.timeout:.0f} s") from late
    except subprocess.CalledProcessError as failed:
        last = (failed.stderr or "").strip().splitlines()[-1:] or [""]
        raise Failed(f"exit code {failed.returncode}: {last[0]}") from failed
    return done.stdout


@contextmanager
def stored(data):
    """Store the data in a temporary folder, for a process that reads them from there."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "X.npy"), data.X)
        np.save(Path(folder, "y.npy"), data.y)
        yield folder
