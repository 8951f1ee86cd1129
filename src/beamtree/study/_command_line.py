"""The command that does the runs of a campaign, with every option that is not the default."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable


def command_line(
    data: Iterable[str | os.PathLike[str]] | None,
    depths: Iterable[int],
    budget: float,
    *,
    target: str | None = None,
    systems: Iterable[str] | None = None,
    jobs: int = 1,
    dask: str | None = None,
    seed: int = 0,
) -> str:
    """Return the command of a campaign, without ``--out``.

    Parameters
    ----------
    data, depths, budget, target, systems, jobs, dask, seed
        As in `run`, but those that may be one value or several are iterables.

    Returns
    -------
    str
        The command, as it is typed in a shell.

    Examples
    --------
    >>> from beamtree.study._command_line import command_line
    >>> command_line(["my data.csv"], [3, 4], 10.0, target="class", systems=["ca-*"], jobs=2)
    "beamtree study run --data 'my data.csv' --target class --depths 3 4 --budget 10 \
--systems 'ca-*' --jobs 2"
    """
    words = ["beamtree", "study", "run"]
    if data is not None:
        words += ["--data", *(os.fspath(path) for path in data)]
    if target is not None:
        words += ["--target", target]
    words += ["--depths", *(str(int(depth)) for depth in dict.fromkeys(depths))]
    words += ["--budget", repr(float(budget)).removesuffix(".0")]
    if systems is not None:
        words += ["--systems", *systems]
    if jobs != 1:
        words += ["--jobs", str(jobs)]
    if dask is not None:
        words += ["--dask", dask]
    if seed:
        words += ["--seed", str(seed)]
    return shlex.join(words)
