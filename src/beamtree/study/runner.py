"""Run jobs, each in its own process and on its own core, and kill those that are late."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

from beamtree.study._cores import taken_core
from beamtree.study._problems import Problem
from beamtree.study._process import Process, with_grace
from beamtree.study.store import Identity, Run


class Stopped(Exception):  # noqa: N818 (no error)
    """Raised when a run is ended because the campaign ends; such a run has no record.

    Examples
    --------
    >>> from beamtree.study.runner import Stopped
    >>> issubclass(Stopped, Exception)
    True
    """


@dataclass(frozen=True, eq=False)
class Job:
    """A run to be done, with everything that another machine needs for it.

    Parameters
    ----------
    identity : Identity
        The dataset, depth, system, budget and seed.
    shape : tuple of int
        Numbers of rows, features and classes.
    data_hash : str
        SHA-256 of the data.
    packed : bytes
        The data, as `Problem.packed` gives them.
    command : str, default=""
        The command of the campaign.

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
    command: str = ""

    @classmethod
    def of(
        cls,
        problem: Problem,
        depth: int,
        system: str,
        budget: float,
        seed: int,
        command: str = "",
    ) -> Job:
        """Make the job that runs a system on a problem."""
        identity = Identity(problem.name, depth, system, budget, seed)
        shape = (*problem.X.shape, problem.n_classes)
        return cls(identity, shape, problem.data_hash, problem.packed, command)

    def record(self, **values: Any) -> Run:
        """Return the record of the run, with the given values for its other fields."""
        rows, features, classes = self.shape
        return Run(
            **self.identity._asdict(),
            rows=rows,
            features=features,
            classes=classes,
            data_hash=self.data_hash,
            command=self.command,
            **values,
        )


class Runner:
    """Runs jobs. Several threads may use it at the same time.

    Parameters
    ----------
    at_once : int, default=1
        Number of runs at the same time on this machine, which share its memory.

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
        from beamtree._engine.memory import SHARE, available_bytes

        free = available_bytes()
        self._memory = None if free is None else int(SHARE * free / at_once)
        self._stop = Event()
        self._lock = Lock()
        self._live: set[Process] = set()

    def run(self, job: Job) -> Run:
        """Run a job.

        Parameters
        ----------
        job : Job
            The job.

        Returns
        -------
        Run
            The record of the run, also if the run failed or was killed.

        Raises
        ------
        Stopped
            If `stop` was called.
        """
        with taken_core(self._stop) as core:
            if core is None:
                raise Stopped
            request = job.identity._asdict() | {"memory": self._memory}
            process = Process(request, job.packed, core, with_grace(job.identity.budget))
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
        return job.record(**process.outcome())

    def stop(self) -> None:
        """Kill all processes of the runner, and start no more."""
        self._stop.set()
        with self._lock:
            for process in self._live:
                process.kill()
