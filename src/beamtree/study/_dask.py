"""Jobs over a Dask cluster: its workers run them, and this process writes them down."""

from __future__ import annotations

from functools import cache
from typing import Any

from beamtree._util.optional import import_optional
from beamtree.study._cores import allowed_cores
from beamtree.study._progress import Bar
from beamtree.study.runner import Job, Runner
from beamtree.study.store import Run, Store

# Jobs a thread of the cluster that are sent ahead, and the least: a queue that is short is soon
# ended, and data wait here rather than in the scheduler.
AHEAD, LEAST = 2, 8


def run_with_dask(jobs: list[Job], store: Store, address: str, bar: Bar) -> None:
    """Do jobs on a cluster, and append each when its record arrives.

    A job whose worker was lost is done again by another. Its data travel with it, so that workers
    need no folder in common.

    Parameters
    ----------
    jobs : list of Job
        The jobs.
    store : Store
        Where they go.
    address : str
        That of the scheduler.
    bar : Bar
        Told of every run, and how many there are at once.
    """
    distributed = import_optional("distributed", "dask=", "dask")
    if not jobs:
        return
    with distributed.Client(address) as client:
        waiting = iter(jobs)
        sent: dict[Any, Job] = {}
        results = distributed.as_completed(with_results=False)

        def send() -> None:
            """Keep the queue of the cluster as long as it should be."""
            threads = sum(client.nthreads().values())
            bar.left.at_once = max(threads, 1)
            while len(sent) < max(AHEAD * threads, LEAST):
                job = next(waiting, None)
                if job is None:
                    return
                future = client.submit(_run_there, job, key=_key(job), pure=False)
                sent[future.key] = job
                results.add(future)

        send()
        try:
            for future in results:
                job = sent.pop(future.key)
                run = _result(future, job)
                store.append(run)
                bar.advance(run)
                send()
        except BaseException:
            client.cancel(list(results.futures))
            raise


def _key(job: Job) -> str:
    """Return a name that is the same for the same run of the same data, and no other."""
    return "-".join(["beamtree-study", *map(str, job.identity), job.data_hash])


def _result(future: Any, job: Job) -> Run:
    """Return the record of a job; a job that was lost again and again has failed."""
    if future.status == "finished":
        run: Run = future.result()
        return run
    error = future.exception()
    return job.record(status="failed", failure=f"{type(error).__name__}: {error}")


@cache
def _runner() -> Runner:
    """Return the runner of a worker, on whose machine as many run as it has cores."""
    return Runner(len(allowed_cores()))


def _run_there(job: Job) -> Run:
    """Do a job, on the worker."""
    return _runner().run(job)
