"""The records of a campaign: ``runs.jsonl``, with one line per finished run."""

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
    """The values that identify a run: a campaign has one run for each combination.

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
        The `Identity` of the run.
    rows, features, classes : int
        Shape of the data.
    data_hash : str
        SHA-256 of the features and the classes.
    status : str
        The status as in `Result`; ``"finished"`` for systems that prove nothing, ``"killed"`` if
        the run did not end in time, ``"failed"`` after an error.
    objective : float or None
        Errors of the last tree, counted again from its predictions. If the run was killed or
        failed, the last objective that the system reported; None if it reported none.
    lower_bound : float
        No tree has a smaller objective; 0 if the system has no bound.
    seconds : float
        Seconds from the call of the system to its end.
    preparation : float
        The part of these seconds in which the data were checked and packed.
    cpu_seconds : float or None
        Processor time in the same period; None if it is not known.
    memory : int or None
        The largest resident size of the process, in bytes; None if the process crashed.
    trace : list of [float, float, float]
        Seconds, objective and lower bound of every improvement, as the system reported them. The
        last row is that of the last tree, rescored; the report does not count what it refutes.
    failure : str or None
        The reason why the run failed or was killed.
    started : str
        Date and time of the start, in UTC.
    core : int or None
        The core that the process was pinned to; None on systems without pinning.
    machine, versions : dict
        The machine, and the versions of Python and of the packages.
    command : str
        The command of the campaign, without ``--out``; empty in files of older versions.

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
    command: str = ""

    @property
    def identity(self) -> Identity:
        """The values that identify the run."""
        return Identity(self.dataset, self.depth, self.system, self.budget, self.seed)

    def as_line(self) -> str:
        """Return the run as a line of the file, with the newline at its end."""
        record = {"format": FORMAT} | {name: getattr(self, name) for name in _NAMES}
        return json.dumps(record, allow_nan=False) + "\n"

    @classmethod
    def from_line(cls, line: str) -> Self:
        """Make a run from a line of the file; unknown fields are ignored.

        Raises
        ------
        ValueError
            If the line is not a run, or has another format.
        """
        record = json.loads(line)
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            msg = f"must be an object of format {FORMAT}"
            raise ValueError(msg)
        for name in _ADDED:
            record.setdefault(name, "")
        try:
            return cls(**{name: record[name] for name in _NAMES})
        except KeyError as error:
            msg = f"must have {error}"
            raise ValueError(msg) from error


_NAMES = [one.name for one in fields(Run)]
# Texts that files of older versions lack.
_ADDED = ("command",)


def read_runs(folder: str | os.PathLike[str]) -> list[Run]:
    """Return the runs of a campaign, in the order in which they ended.

    If the last line is cut off, because a process was killed while it wrote, it is left out with a
    warning.

    Parameters
    ----------
    folder : path
        The folder of the campaign.

    Returns
    -------
    list of Run
        The runs. If two have the same identity, which no campaign writes, only the first.

    Raises
    ------
    ValueError
        If a line is not a run; the message names the file and the line.

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
        warn(f"the last line of {str(path)!r} is cut off and was left out", stacklevel=2)
    first: dict[Identity, Run] = {}
    for run in runs:
        first.setdefault(run.identity, run)
    return list(first.values())


def _parse(path: Path, data: bytes, first: int) -> tuple[list[Run], int]:
    """Return the runs in some lines, and the length of the last line if it is cut off, else 0."""
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
            msg = f"line {number} of {str(path)!r} is not a run of a study: {error}"
            raise ValueError(msg) from error
    return runs, 0


class Store:
    """The file of a campaign, to which several processes may append.

    A line is written at once, under a lock, and is on the disk before the lock is released. Lines
    are never changed; a last line that is cut off is removed by the next append.

    Parameters
    ----------
    folder : path
        The folder of the campaign, which is made if it does not exist.

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
        """The runs in the file when it was last read, in their order."""
        return list(self._runs.values())

    def __contains__(self, identity: Identity) -> bool:
        """Return whether the file had a run of this identity when it was last read."""
        return identity in self._runs

    def append(self, run: Run) -> bool:
        """Append a run, unless the file has one of the same identity by now.

        Parameters
        ----------
        run : Run
            The run.

        Returns
        -------
        bool
            Whether the run was appended.
        """
        with self._open() as descriptor:
            self._catch_up(descriptor)
            if run.identity in self._runs:
                return False
            line = run.as_line().encode()
            if os.write(descriptor, line) != len(line):
                msg = f"a run could not be written to {str(self.path)!r}: the disk is full"
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
        """Read what other processes have written, and make the file end with a complete line."""
        size = os.fstat(descriptor).st_size
        os.lseek(descriptor, self._read, os.SEEK_SET)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            data = file.read(size - self._read)
        runs, rest = _parse(self.path, data, self._lines + 1)
        if rest:
            warn(f"the last line of {str(self.path)!r} is cut off and was left out", stacklevel=4)
            os.ftruncate(descriptor, size - rest)
        elif data and not data.endswith(b"\n"):
            os.write(descriptor, b"\n")
        for run in runs:
            self._runs.setdefault(run.identity, run)
        self._lines += len(runs)
        self._read = os.lseek(descriptor, 0, os.SEEK_END)
