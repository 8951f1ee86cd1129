"""Run a campaign: every system on every dataset at every depth, except what is already recorded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Lock

from beamtree._engine.settings import SETTINGS
from beamtree._util.validation import POSITIVE, Allowed, integer, is_kind
from beamtree.study._command_line import command_line
from beamtree.study._cores import allowed_cores
from beamtree.study._problems import DataLike, Problem, load_problems
from beamtree.study._progress import Bar, TimeLeft
from beamtree.study.runner import Job, Runner, Stopped
from beamtree.study.store import Run, Store
from beamtree.study.systems import chosen_systems

_DEPTH = SETTINGS["max_depth"].allowed
_DEPTHS = Allowed(
    f"a sequence of at least one value, each {_DEPTH.words}",
    lambda value: (
        bool(value) and all(is_kind(int, depth) and _DEPTH.test(depth) for depth in value)
    ),
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
    r"""Run a campaign, or the part of it that is missing.

    Every run has its own process, which is pinned to a core (on Linux), and killed if it does not
    end in time. Its record is written as soon as it ends. If a campaign was stopped or killed, the
    same call continues it. Depth by depth and dataset by dataset, all systems run one after the
    other, so that the systems can be compared before the campaign has ended.

    Parameters
    ----------
    data : path, iterable of paths or None, default=None
        Files, or folders of files: ``.txt`` and ``.txt.gz`` files with the class first and then
        features of 0 and 1, or ``.csv`` files with a header. None for small datasets of the
        package.
    out : path
        The folder of the campaign.
    depths : iterable of int
        Largest depths of the trees, each from 0 to 20.
    budget : float
        Seconds that a run may take.
    target : str or None, default=None
        Name of the column with the classes in ``.csv`` files; None for the first column.
    systems : str, iterable of str or None, default=None
        Names, and patterns such as ``"ca-*"``; None for all systems except the peers.
    jobs : int, default=1
        Number of runs at the same time; -1 for one run per core. No core ever has two runs.
    dask : str or None, default=None
        Address of the scheduler of a Dask cluster, whose workers run the jobs instead of this
        machine.
    seed : int, default=0
        Random seed, for the systems that use one.
    progress : bool, default=True
        Whether to show a bar with the time left. It is shown only on a terminal.

    Returns
    -------
    Path
        The folder of the campaign, for `read_runs` and `report`.

    Raises
    ------
    ValueError
        If a parameter has a value that is not allowed, or if the folder has runs on other rows
        under the name of one of the datasets.

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
    paths = [data] if isinstance(data, str | os.PathLike) else None if data is None else list(data)
    _DEPTHS.check("depths", depths)
    POSITIVE.check("budget", budget)
    _JOBS.check("jobs", jobs)
    _ADDRESS.check("dask", dask)
    integer(0).check("seed", seed)
    _TARGET.check("target", target)
    names = chosen_systems(systems)
    problems = load_problems(paths, target)
    store = Store(out)
    check_same_data(store, problems)
    command = command_line(
        paths,
        depths,
        budget,
        target=target,
        systems=None if systems is None else names,
        jobs=jobs,
        dask=dask,
        seed=seed,
    )
    wanted = list(planned(problems, depths, names, float(budget), int(seed), command))
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
    problems: list[Problem],
    depths: list[int],
    systems: list[str],
    budget: float,
    seed: int,
    command: str = "",
) -> Iterator[Job]:
    """Yield the jobs of a campaign, in the order in which they are to run.

    Parameters
    ----------
    problems : list of Problem
        The data.
    depths : list of int
        The depths; a depth that is repeated counts once.
    systems : list of str
        Names of the systems.
    budget : float
        Seconds that a run may take.
    seed : int
        Random seed, for the systems that use one.
    command : str, default=""
        The command of the campaign, which is recorded with every run.

    Yields
    ------
    Job
        The jobs, depth by depth, then dataset by dataset, then system by system.

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
                yield Job.of(problem, int(depth), system, budget, seed, command)


def check_same_data(store: Store, problems: list[Problem]) -> None:
    """Raise a ValueError if the store has runs on other data with the name of a problem.

    Parameters
    ----------
    store : Store
        The recorded runs.
    problems : list of Problem
        The data of the campaign.

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
                f"data must be the same as in the runs in {str(store.path)!r}, got other rows "
                f"under the name {run.dataset!r}; choose another folder or another name"
            )
            raise ValueError(msg)


def _run_with_joblib(
    jobs: list[Job], store: Store, at_once: int, done: Callable[[Run], object]
) -> None:
    """Run jobs on this machine, and append each record to the store when its run ends.

    Parameters
    ----------
    jobs : list of Job
        The jobs.
    store : Store
        Receives the records.
    at_once : int
        Number of runs at the same time.
    done : callable
        Called with every finished run.
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

    # These threads only wait: the processes of the runs do all the work.
    parallel = joblib.Parallel(at_once, backend="threading", return_as="generator_unordered")
    try:
        for run in parallel(joblib.delayed(do)(job) for job in jobs):
            if run is not None:
                done(run)
    except BaseException:
        runner.stop()
        raise
