"""Runs a job in a process of its own, on a core of its own, and stops it when its time is over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Event, Lock, Timer
from time import perf_counter
from typing import IO, Any

from beamtree.study._cores import Core, allowed_cores, taken_core
from beamtree.study._machine import peak_bytes, processor_seconds
from beamtree.study._problems import Problem
from beamtree.study.store import Identity, Run

# Seconds beyond the budget after which a run is killed: at least so many, and this share of it.
GRACE, GRACE_SHARE = 2.0, 0.1
# Seconds for imports and the first fit of four rows.
START = 120.0
# One thread a run, whatever a library would like.
SINGLE = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "RAYON")}


class Stopped(Exception):  # noqa: N818 (no error)
    """Raised where a run ends because the campaign does: there is no record of it.

    Examples
    --------
    >>> from beamtree.study.runner import Stopped
    >>> issubclass(Stopped, Exception)
    True
    """


@dataclass(frozen=True, eq=False)
class Job:
    """A run that is to be done, with all that another machine needs for it.

    Parameters
    ----------
    identity : Identity
        What is to be run.
    shape : tuple of int
        Rows, features and classes.
    data_hash : str
        SHA-256 of the data.
    packed : bytes
        The data.

    Examples
    --------
    >>> from beamtree.datasets import monks
    >>> from beamtree.study._problems import Problem
    >>> from beamtree.study.runner import Job
    >>> Job.of(Problem.of("monks-1", *monks(1)[:2]), 3, "dl85", 10.0, 0).shape
    (432, 17, 2)
    """

    identity: Identity
    shape: tuple[int, int, int]
    data_hash: str
    packed: bytes

    @classmethod
    def of(cls, problem: Problem, depth: int, system: str, budget: float, seed: int) -> Job:
        """Return the job of running a system on a problem."""
        identity = Identity(problem.name, depth, system, budget, seed)
        shape = (*problem.X.shape, problem.n_classes)
        return cls(identity, shape, problem.data_hash, problem.packed)

    def record(self, **values: Any) -> Run:
        """Return the record of the run."""
        rows, features, classes = self.shape
        return Run(
            **self.identity._asdict(),
            rows=rows,
            features=features,
            classes=classes,
            data_hash=self.data_hash,
            **values,
        )


class Runner:
    """Runs jobs, from any number of threads.

    Parameters
    ----------
    at_once : int, default=1
        How many run at the same time on this machine, and share its memory.

    Examples
    --------
    >>> from beamtree.datasets import monks
    >>> from beamtree.study._problems import Problem
    >>> from beamtree.study.runner import Job, Runner
    >>> job = Job.of(Problem.of("monks-1", *monks(1)[:2]), 3, "dl85", 10.0, 0)
    >>> run = Runner().run(job)
    >>> run.status, run.objective, run.trace[-1][1:]
    ('optimal', 48.0, [48.0, 48.0])
    """

    def __init__(self, at_once: int = 1) -> None:
        from beamtree._memory import SHARE, available_bytes

        free = available_bytes()
        self._memory = None if free is None else int(SHARE * free / at_once)
        self._stop = Event()
        self._lock = Lock()
        self._live: set[_Process] = set()

    def run(self, job: Job) -> Run:
        """Do a job.

        Parameters
        ----------
        job : Job
            The job.

        Returns
        -------
        Run
            Its record, whatever happened to the run.

        Raises
        ------
        Stopped
            If `stop` was called.
        """
        with taken_core(self._stop) as core:
            if core is None:
                raise Stopped
            process = _Process(job, core, self._memory)
            try:
                with self._lock:
                    self._live.add(process)
                if not self._stop.is_set():
                    process.communicate()
            finally:
                with self._lock:
                    self._live.discard(process)
                process.close()
        if self._stop.is_set() and process.end is None:
            raise Stopped
        return process.record()

    def stop(self) -> None:
        """Kill what runs, and begin nothing more."""
        self._stop.set()
        with self._lock:
            for process in self._live:
                process.kill()


class _Process:
    """The process of a run, and what it said."""

    def __init__(self, job: Job, core: Core, memory: int | None) -> None:
        self._job = job
        self._header = job.identity._asdict() | {
            "size": len(job.packed),
            "core": core.number,
            "memory": memory,
        }
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self._late: str | None = None
        self._usage: dict[str, Any] = {}
        self._timer: Timer | None = None
        self._began = perf_counter()
        self.begin: dict[str, Any] = {}
        self.found: list[list[float]] = []
        self.end: dict[str, Any] | None = None
        self.failure: str | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "beamtree.study.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | SINGLE | {"PYTHONPATH": os.pathsep.join(_path())},
            start_new_session=True,
            pass_fds=(core.descriptor,) if os.name == "posix" else (),
        )

    def communicate(self) -> None:
        """Send the job, and hear of the run until its end."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        self._kill_after(START, "failed")
        with suppress(BrokenPipeError):
            stdin.write(json.dumps(self._header).encode() + b"\n" + self._job.packed)
            stdin.flush()
        for line in stdout:
            if not line.endswith(b"\n"):  # killed while it wrote
                break
            ((word, value),) = json.loads(line).items()
            if word == "begin":
                self.begin = value
                self._began = perf_counter()
                budget = self._job.identity.budget
                self._kill_after(budget + max(GRACE, GRACE_SHARE * budget), "killed")
            elif word == "found":
                self.found.append(value)
            elif word == "failed":
                self.failure = value
            else:
                self.end = value
                break
        self._seconds = perf_counter() - self._began

    def _kill_after(self, seconds: float, status: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = Timer(seconds, self._kill_late, (status,))
        self._timer.daemon = True
        self._timer.start()

    def _kill_late(self, status: str) -> None:
        self._late = status
        self._usage = {"memory": peak_bytes(self._process.pid)}
        spent = processor_seconds(self._process.pid)
        if spent is not None and self.begin:
            # the system counts in ticks
            self._usage["cpu_seconds"] = max(spent - self.begin["cpu_seconds"], 0.0)
        self.kill()

    def kill(self) -> None:
        """End the process, and all that it may have started."""
        if self._process.returncode is not None:
            return  # its number may be another's by now
        with suppress(ProcessLookupError, PermissionError):  # it has ended, or is about to
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def close(self) -> None:
        """End the process, wait for it, and close its pipes."""
        if self._timer is not None:
            self._timer.cancel()
        self.kill()
        self._code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        self._last_words = said[-1] if said else ""
        self._errors.close()

    def record(self) -> Run:
        """Return the record of what the process said."""
        about = {name: value for name, value in self.begin.items() if name != "cpu_seconds"}
        if self.end is not None:
            end = self.end
            trace = _whole_trace(self.found, end)
            return self._job.record(**about | end | {"trace": trace})
        last = self.found[-1] if self.found else [0.0, None, 0.0]
        values = {
            "objective": last[1],
            "lower_bound": max((row[2] for row in self.found), default=0.0),
            "seconds": self._seconds,
            "trace": self.found,
            "status": self._late or "failed",
            "failure": self._failure(),
        }
        return self._job.record(**about | self._usage | values)

    def _failure(self) -> str:
        if self._late == "killed":
            return f"killed after {self._seconds:.1f} s"
        if self._late:
            return f"did not begin within {START:g} s"
        if self.failure is not None:
            return self.failure
        code = self._code
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}: {self._last_words}" if self._last_words else how


def _whole_trace(found: list[list[float]], end: dict[str, Any]) -> list[list[float]]:
    """Return the trace as it ends, in which no tree is better than the last one, rescored."""
    objective, bound = end["objective"], min(end["lower_bound"], end["objective"])
    trace = [[seconds, max(cost, objective), min(low, bound)] for seconds, cost, low in found]
    if not trace or trace[-1][1:] != [objective, bound]:
        trace.append([end["seconds"], objective, bound])
    return trace


def _path() -> list[str]:
    """Return where modules are found here, so that the worker finds the same."""
    return [place or str(Path.cwd()) for place in sys.path]


@cache
def _runner_here() -> Runner:
    return Runner(len(allowed_cores()))


def run_here(job: Job) -> Run:
    """Do a job on this machine, on which as many run as it has cores.

    Parameters
    ----------
    job : Job
        The job.

    Returns
    -------
    Run
        Its record.

    Examples
    --------
    >>> from beamtree.datasets import monks
    >>> from beamtree.study._problems import Problem
    >>> from beamtree.study.runner import Job, run_here
    >>> run_here(Job.of(Problem.of("monks-1", *monks(1)[:2]), 1, "c45", 10.0, 0)).objective
    108.0
    """
    return _runner_here().run(job)
