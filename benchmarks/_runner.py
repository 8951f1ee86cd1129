"""Runs solves side by side: each in its own process, all on the same core."""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

WORKER = Path(__file__).with_name("_worker.py")
ALL = "all"
"""The core of a `Runner` that pins nothing: for what runs on several."""
SINGLE = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMEXPR")}


@dataclass
class Measured:
    """The runs of one solver on one problem; seconds and peak are medians."""

    solver: str
    limit: float
    runs: list = field(default_factory=list)
    failure: str | None = None

    @property
    def seconds(self):
        return statistics.median(run["seconds"] for run in self.runs) if self.runs else None

    @property
    def peak_mb(self):
        peaks = [run["peak_mb"] for run in self.runs if run["peak_mb"] is not None]
        return statistics.median(peaks) if peaks else None

    @property
    def optimal(self):
        return bool(self.runs) and all(run["optimal"] for run in self.runs)

    @property
    def stopped(self):
        """Whether the limit ended it, so that its seconds are a lower bound."""
        return bool(self.runs) and not self.optimal and self.seconds >= 0.9 * self.limit

    @property
    def found(self):
        """Errors of the tree, rescored with ``predict``."""
        return min(run["found"] for run in self.runs) if self.runs else None

    def as_json(self):
        return asdict(self) | {
            "seconds": self.seconds,
            "peak_mb": self.peak_mb,
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
    executable: str | None = None
    trace: bool = False
    python: str | None = None
    """An interpreter of its own: the solver is then what is installed there."""
    spend: float = 0.0
    """Seconds over which a short solve is repeated in its process; the shortest counts."""


class Runner:
    """Measures jobs.

    Parameters
    ----------
    limit : float
        Seconds that each solver is given.
    repeats : int
        Runs of each; a run that hits the limit is not repeated.
    core : int, `ALL` or None
        The core that all are pinned to; None: the last one allowed.
    """

    def __init__(self, limit=60.0, repeats=3, core=None):
        self.limit, self.repeats = limit, repeats
        if core is None and hasattr(os, "sched_getaffinity"):
            core = max(os.sched_getaffinity(0))
        self.core = None if core == ALL else core

    def compare(self, jobs, data, depth):
        """Run the jobs in turn, repeatedly, so that noise meets all alike.

        Every second repeat goes through them backwards: none is always the first.
        """
        measured = {job.name: Measured(job.name, self.limit) for job in jobs}
        for repeat in range(self.repeats):
            for job in jobs if repeat % 2 == 0 else reversed(jobs):
                done = measured[job.name]
                if not (done.failure or done.stopped):
                    self._run(job, data, depth, done)
        return measured

    def _run(self, job, data, depth, done):
        ask = self._execute if job.executable else self._solve
        try:
            done.runs.append(ask(job, data, depth))
        except subprocess.TimeoutExpired as late:
            done.failure = f"killed after {late.timeout:.0f} s"
        except subprocess.CalledProcessError as failed:
            last = (failed.stderr or "").strip().splitlines()[-1:] or [""]
            done.failure = f"exit code {failed.returncode}: {last[0]}"

    def _solve(self, job, data, depth):
        with stored(data, job.weight) as folder:
            request = {
                "solver": job.solver or job.name,
                "data": folder,
                "weighted": job.weight is not None,
                "depth": depth,
                "limit": self.limit,
                "options": job.options,
                "trace": job.trace,
                "spend": job.spend,
                "core": self.core,
            }
            command = [job.python or sys.executable, str(WORKER), json.dumps(request)]
            output = self._output(command, without_paths() if job.python else os.environ)
        return json.loads(output.splitlines()[-1])

    def _execute(self, job, data, depth):
        """Run an executable that reads a text file; its last line has ``t= err= opt=``."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "data.txt")
            np.savetxt(file, np.column_stack([data.y, data.X]), fmt="%d")
            settings = [f"d={depth}", f"t={self.limit:g}", "mode=0", "order=4", "arch=1024"]
            output = self._output([job.executable, str(file), *settings])
        said = dict(re.findall(r"\b(t|err|opt)=(\S+)", output.strip().splitlines()[-1]))
        errors = int(said["err"])
        return {
            "seconds": float(said["t"]),
            "peak_mb": None,
            "found": float(errors),
            "errors": errors,
            "optimal": said["opt"] == "1",
        }

    def _output(self, command, variables=os.environ):
        pin = None
        if self.core is not None and hasattr(os, "sched_setaffinity"):
            pin = lambda: os.sched_setaffinity(0, {self.core})  # noqa: E731
        return subprocess.run(
            command,
            env=variables | SINGLE,
            preexec_fn=pin,
            timeout=3 * self.limit + 60,
            capture_output=True,
            text=True,
            check=True,
        ).stdout


def without_paths():
    """The environment variables, but for those that make an interpreter import from elsewhere."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH")
    }


@contextmanager
def stored(data, weight=None):
    """A folder with the data in it, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "X.npy"), data.X)
        np.save(Path(folder, "y.npy"), data.y)
        if weight is not None:
            np.save(Path(folder, "weight.npy"), weight)
        yield folder
