"""The records of a campaign: one finished run a line of ``runs.jsonl``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, Self
from warnings import warn

from beamtree.study._locks import locked

FORMAT = 1
FILE = "runs.jsonl"


class Identity(NamedTuple):
    """What makes a run the same as another.

    Examples
    --------
    >>> from beamtree.study.store import Identity
    >>> Identity("anneal", 6, "dl85", 10.0, 0).system
    'dl85'
    """

    dataset: str
    depth: int
    system: str
    budget: float
    seed: int


@dataclass(frozen=True)
class Run:
    """A finished run.

    Parameters
    ----------
    dataset, depth, system, budget, seed
        Its `Identity`.
    rows, features, classes : int
        Shape of the data.
    data_hash : str
        SHA-256 of X and y.
    status : str
        As in `Result`; ``"finished"`` for systems that prove nothing, ``"killed"`` after the hard
        stop, ``"failed"`` after an error.
    objective : float or None
        Errors of the last tree, rescored; the last that was told if the run was killed; None
        without a tree.
    lower_bound : float
        No tree has a smaller objective; 0 where a system has no bound.
    seconds : float
        From the call of the system to its end.
    preparation : float
        The part of it in which data were checked and packed.
    cpu_seconds : float or None
        Time of the processor meanwhile; None where it is not known.
    memory : int or None
        The most that the process had, in bytes; None if it crashed.
    trace : list of [float, float, float]
        Seconds, objective and lower bound of every improvement, as the system told it; the last
        is that of the last tree, rescored. The report does not believe what that one refutes.
    failure : str or None
        What went wrong.
    started : str
        When, in UTC.
    core : int or None
        The core that it was pinned to; None where that cannot be done.
    machine, versions : dict
        Where it ran, and with what.

    Examples
    --------
    >>> from beamtree.study import Run
    >>> run = Run("anneal", 3, "c45", 10.0, 0, 812, 93, 2, "0" * 64, "finished", 121.0)
    >>> run.identity
    Identity(dataset='anneal', depth=3, system='c45', budget=10.0, seed=0)
    """

    dataset: str
    depth: int
    system: str
    budget: float
    seed: int
    rows: int
    features: int
    classes: int
    data_hash: str
    status: str
    objective: float | None = None
    lower_bound: float = 0.0
    seconds: float = 0.0
    preparation: float = 0.0
    cpu_seconds: float | None = None
    memory: int | None = None
    trace: list[list[float]] = field(default_factory=list)
    failure: str | None = None
    started: str = ""
    core: int | None = None
    machine: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def identity(self) -> Identity:
        """What makes it the same as another."""
        return Identity(self.dataset, self.depth, self.system, self.budget, self.seed)

    def as_line(self) -> str:
        """Return the run as a line of the file, with its end."""
        record = {"format": FORMAT} | {name: getattr(self, name) for name in _NAMES}
        return json.dumps(record, allow_nan=False) + "\n"

    @classmethod
    def from_line(cls, line: str) -> Self:
        """Return the run of a line; what later formats add is left out.

        Raises
        ------
        ValueError
            If it is no run, or one of another format.
        """
        record = json.loads(line)
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            msg = f"must be an object of format {FORMAT}"
            raise ValueError(msg)
        try:
            return cls(**{name: record[name] for name in _NAMES})
        except KeyError as error:
            msg = f"must have {error}"
            raise ValueError(msg) from error


_NAMES = [one.name for one in fields(Run)]


def read_runs(folder: str | os.PathLike[str]) -> list[Run]:
    """Return the runs of a campaign, in the order in which they ended.

    A last line that is cut off, by a kill in the middle of writing, is left out with a warning.

    Parameters
    ----------
    folder : path
        The folder of the campaign.

    Returns
    -------
    list of Run
        Of two of the same identity, which no campaign writes, the first.

    Raises
    ------
    ValueError
        If a line is no run; the error names the file and the line.

    Examples
    --------
    >>> import tempfile
    >>> from beamtree.study import Run, read_runs
    >>> from beamtree.study.store import Store
    >>> run = Run("anneal", 3, "c45", 10.0, 0, 812, 93, 2, "0" * 64, "finished", 121.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(folder).append(run), Store(folder).append(run), read_runs(folder) == [run]
    (True, False, True)
    """
    path = Path(folder) / FILE
    with path.open("rb") as file, locked(file.fileno(), shared=True):
        data = file.read()
    runs, rest = _parse(path, data, 1)
    if rest:
        warn(f"the last line of {str(path)!r} is cut off, and left out", stacklevel=2)
    first: dict[Identity, Run] = {}
    for run in runs:
        first.setdefault(run.identity, run)
    return list(first.values())


def _parse(path: Path, data: bytes, first: int) -> tuple[list[Run], int]:
    """Return the runs of some lines, and the length of a last line that is cut off."""
    lines = data.split(b"\n")
    runs = []
    for number, line in enumerate(lines, first):
        last = number == first + len(lines) - 1
        if last and not line:
            break
        try:
            runs.append(Run.from_line(line.decode()))
        except ValueError as error:
            if last:
                return runs, len(line)
            msg = f"line {number} of {str(path)!r} is no run of a study: {error}"
            raise ValueError(msg) from error
    return runs, 0


class Store:
    """The file of a campaign, to which any number of processes append.

    A line is written at once, under a lock, and is on the disk before the lock is given up. Lines
    are never changed; one that is cut off is taken away by the next append.

    Parameters
    ----------
    folder : path
        The folder of the campaign, which is made if it is not there.

    Examples
    --------
    >>> import tempfile
    >>> from beamtree.study.store import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(folder).runs
    []
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / FILE
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._runs: dict[Identity, Run] = {}
        self._read = self._lines = 0
        with self._open() as descriptor:
            self._catch_up(descriptor)

    @property
    def runs(self) -> list[Run]:
        """The runs that were there when it was looked at last, in their order."""
        return list(self._runs.values())

    def __contains__(self, identity: Identity) -> bool:
        """Tell whether a run was there when it was looked at last."""
        return identity in self._runs

    def append(self, run: Run) -> bool:
        """Append a run, unless one of the same identity is there by now; tell whether it was.

        Parameters
        ----------
        run : Run
            The run.

        Returns
        -------
        bool
            False if it was there.
        """
        with self._open() as descriptor:
            self._catch_up(descriptor)
            if run.identity in self._runs:
                return False
            line = run.as_line().encode()
            if os.write(descriptor, line) != len(line):
                msg = f"{str(self.path)!r} could not be written to: no space is left"
                raise OSError(msg)
            os.fsync(descriptor)
            self._read += len(line)
            self._lines += 1
            self._runs[run.identity] = run
        return True

    @contextmanager
    def _open(self) -> Iterator[int]:
        descriptor = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            with locked(descriptor):
                yield descriptor
        finally:
            os.close(descriptor)

    def _catch_up(self, descriptor: int) -> None:
        """Read what others have written, and leave a file that ends with the end of a line."""
        size = os.fstat(descriptor).st_size
        os.lseek(descriptor, self._read, os.SEEK_SET)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            data = file.read(size - self._read)
        runs, rest = _parse(self.path, data, self._lines + 1)
        if rest:
            warn(f"the last line of {str(self.path)!r} is cut off, and left out", stacklevel=4)
            os.ftruncate(descriptor, size - rest)
        elif data and not data.endswith(b"\n"):
            os.write(descriptor, b"\n")
        for run in runs:
            self._runs.setdefault(run.identity, run)
        self._lines += len(runs)
        self._read = os.lseek(descriptor, 0, os.SEEK_END)
