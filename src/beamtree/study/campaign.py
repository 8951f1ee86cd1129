"""A campaign: every system on every dataset at every depth, as far as that is not done yet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Lock

from beamtree._util.validation import POSITIVE, Allowed, integer, is_kind
from beamtree.study._cores import allowed_cores
from beamtree.study._problems import DataLike, Problem, load_problems
from beamtree.study._progress import Bar, TimeLeft
from beamtree.study.runner import Job, Runner, Stopped
from beamtree.study.store import Run, Store
from beamtree.study.systems import chosen_systems

_DEPTHS = Allowed(
    "integers from 0 to 20, one at least",
    lambda value: bool(value) and all(is_kind(int, depth) and 0 <= depth <= 20 for depth in value),
)
_JOBS = Allowed(
    "an integer of at least 1, or -1 for all cores",
    lambda value: is_kind(int, value) and (value >= 1 or value == -1),
)

_ADDRESS = Allowed(
    "None or the address of a scheduler, such as 'tcp://host:8786'",
    lambda value: value is None or isinstance(value, str),
)

_TARGET = Allowed(
    "None or the name of a column", lambda value: value is None or isinstance(value, str)
)


def run(
    data: DataLike = None,
    *,
    out: str | os.PathLike[str],
    depths: Iterable[int],
    budget: float,
    target: str | None = None,
    systems: Iterable[str] | str | None = None,
    jobs: int = 1,
    dask: str | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Path:
    r"""Run a campaign, or what is missing of it.

    Every run is a process of its own, pinned to a core where the system has a way to, and killed if
    it does not end by itself. Its record is written when it ends, so that a campaign that was
    stopped or killed goes on where it was when it is started again. All systems of a dataset and a
    depth run one after the other, the depths in turn: half a campaign can be compared, too.

    Parameters
    ----------
    data : path, iterable of paths or None, default=None
        Files, or folders of files: ``.txt`` and ``.txt.gz`` with the class first and then 0 or 1,
        or ``.csv`` with a line of names. None for small datasets of the package.
    out : path
        The folder of the campaign.
    depths : iterable of int
        Largest depths of the trees.
    budget : float
        Seconds that a run has.
    target : str or None, default=None
        Name of the column of classes in ``.csv`` files; None for the first.
    systems : str, iterable of str or None, default=None
        Names and patterns such as ``"ca-*"``; None for all but the peers.
    jobs : int, default=1
        How many runs at a time, over joblib; -1 for one a core. No core ever has two.
    dask : str or None, default=None
        Address of the scheduler of a Dask cluster that does the runs in place of this machine.
    seed : int, default=0
        For systems that draw lots.
    progress : bool, default=True
        Whether to show a bar with the time left, if there is a terminal.

    Returns
    -------
    Path
        The folder, for `read_runs` and `report`.

    Raises
    ------
    ValueError
        If a parameter is not allowed, or if the folder has runs of other data of the same name.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree.study import read_runs, run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data = Path(folder) / "or.txt"
    ...     _ = data.write_text("0 0 0\n1 0 1\n1 1 0\n1 1 1\n")
    ...     campaign = run(data, out=folder, depths=[1], budget=10, systems=["c45", "dl85"])
    ...     [(run.system, run.status, run.objective) for run in read_runs(campaign)]
    [('c45', 'finished', 1.0), ('dl85', 'optimal', 1.0)]
    """
    depths = list(depths)
    _DEPTHS.check("depths", depths)
    POSITIVE.check("budget", budget)
    _JOBS.check("jobs", jobs)
    _ADDRESS.check("dask", dask)
    integer(0).check("seed", seed)
    _TARGET.check("target", target)
    names = chosen_systems(systems)
    problems = load_problems(data, target)
    store = Store(out)
    check_same_data(store, problems)
    wanted = list(planned(problems, depths, names, float(budget), int(seed)))
    missing = [job for job in wanted if job.identity not in store]
    at_once = min(len(allowed_cores()) if jobs == -1 else jobs, len(allowed_cores()))
    left = TimeLeft((job.identity.system for job in missing), budget, at_once)
    with Bar(left, len(wanted), len(wanted) - len(missing), wanted=progress) as bar:
        if dask is None:
            _run_with_joblib(missing, store, at_once, bar.advance)
        else:
            from beamtree.study._dask import run_with_dask

            run_with_dask(missing, store, dask, bar)
    return Path(out)


def planned(
    problems: list[Problem], depths: list[int], systems: list[str], budget: float, seed: int
) -> Iterator[Job]:
    """Yield all runs of a campaign, in their order.

    Parameters
    ----------
    problems : list of Problem
        The data.
    depths : list of int
        The depths.
    systems : list of str
        Names of the systems.
    budget : float
        Seconds of a run.
    seed : int
        For systems that draw lots.

    Yields
    ------
    Job
        Depth by depth, dataset by dataset, system by system.

    Examples
    --------
    >>> from beamtree.datasets import monks
    >>> from beamtree.study._problems import Problem
    >>> from beamtree.study.campaign import planned
    >>> problem = Problem.of("monks-1", *monks(1)[:2])
    >>> [job.identity[1:3] for job in planned([problem], [3, 4], ["c45", "dl85"], 1.0, 0)]
    [(3, 'c45'), (3, 'dl85'), (4, 'c45'), (4, 'dl85')]
    """
    for depth in dict.fromkeys(depths):
        for problem in problems:
            for system in systems:
                yield Job.of(problem, int(depth), system, budget, seed)


def check_same_data(store: Store, problems: list[Problem]) -> None:
    """Raise a ValueError if there are runs of other data of the same name.

    Parameters
    ----------
    store : Store
        The runs.
    problems : list of Problem
        The data.

    Examples
    --------
    >>> import tempfile
    >>> from beamtree.datasets import monks
    >>> from beamtree.study._problems import Problem
    >>> from beamtree.study.campaign import check_same_data
    >>> from beamtree.study.store import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     check_same_data(Store(folder), [Problem.of("monks-1", *monks(1)[:2])])
    """
    hashes = {problem.name: problem.data_hash for problem in problems}
    for run in store.runs:
        if hashes.get(run.dataset, run.data_hash) != run.data_hash:
            msg = (
                f"data must be those of the runs in {str(store.path)!r}, got other rows under the "
                f"name {run.dataset!r}; choose another folder, or another name"
            )
            raise ValueError(msg)


def _run_with_joblib(
    jobs: list[Job], store: Store, at_once: int, done: Callable[[Run], object]
) -> None:
    """Do jobs on this machine, and append each when it ends.

    Parameters
    ----------
    jobs : list of Job
        The jobs.
    store : Store
        Where they go.
    at_once : int
        How many at a time.
    done : callable
        Told of every run.
    """
    if not jobs:
        return
    import joblib

    runner, lock = Runner(at_once), Lock()

    def do(job: Job) -> Run | None:
        try:
            run = runner.run(job)
        except Stopped:
            return None
        with lock:
            store.append(run)
        return run

    # Threads that wait: all work is done by the processes of the runs.
    parallel = joblib.Parallel(at_once, backend="threading", return_as="generator_unordered")
    try:
        for run in parallel(joblib.delayed(do)(job) for job in jobs):
            if run is not None:
                done(run)
    except BaseException:
        runner.stop()
        raise
