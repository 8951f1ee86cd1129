"""The study of the paper: compare its systems on its datasets, or on your own.

`run` runs a *campaign*: every system on every dataset at every depth, each run in its own process.
`read_runs` reads the runs that have been recorded so far, and `report` makes tables and figures of
them.
"""

from beamtree.study.campaign import run
from beamtree.study.peers import PEERS
from beamtree.study.report import report
from beamtree.study.store import Run, read_runs
from beamtree.study.systems import SYSTEMS
from beamtree.study.task import End, System, Task

__all__ = ["PEERS", "SYSTEMS", "End", "Run", "System", "Task", "read_runs", "report", "run"]
