"""Run jobs on a Dask cluster: its workers run them, and this process records the results."""

from __future__ import annotations

from functools import cache
from typing import Any

from beamtree._util.optional import import_optional
from beamtree.study._cores import allowed_cores
from beamtree.study._progress import Bar
from beamtree.study.runner import Job, Runner
from beamtree.study.store import Run, Store

# Jobs that are sent ahead for each thread of the cluster, and the smallest number in total. With a
# short queue Ctrl-C takes effect soon, and the data wait here instead of in the scheduler's memory.
AHEAD, LEAST = 2, 8


def run_with_dask(jobs: list[Job], store: Store, address: str, bar: Bar) -> None:
    """Run jobs on a cluster, and append each record to the store when it arrives.

    If a worker is lost, another one runs its jobs again. Each job carries its data, so that the
    workers need no shared folder.

    Parameters
    ----------
    jobs : list of Job
        The jobs.
    store : Store
        Receives the records.
    address : str
        Address of the scheduler.
    bar : Bar
        Shows every finished run, and needs the number of threads of the cluster for its estimate.
    """
    distributed = import_optional("distributed", "dask=", "dask")
    if not jobs:
        return
    with distributed.Client(address) as client:
        waiting = iter(jobs)
        sent: dict[Any, Job] = {}
        results = distributed.as_completed(with_results=False)

        def send() -> None:
            """Send jobs until the queue of the cluster has the intended length."""
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
    """Return a name that identifies the run and its data."""
    return "-".join(["beamtree-study", *map(str, job.identity), job.data_hash])


def _result(future: Any, job: Job) -> Run:
    """Return the record of a job; a job whose workers were lost too often counts as failed."""
    if future.status == "finished":
        run: Run = future.result()
        return run
    error = future.exception()
    return job.record(status="failed", failure=f"{type(error).__name__}: {error}")


@cache
def _runner() -> Runner:
    """Return the runner of a Dask worker, which shares the memory among all cores."""
    return Runner(len(allowed_cores()))


def _run_there(job: Job) -> Run:
    """Run a job, on the worker."""
    return _runner().run(job)
