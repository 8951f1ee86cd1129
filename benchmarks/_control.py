"""What the measurements of control share: options, workers of their own, verdicts.

A run that breaks a promise is a *violation*: one line under the table, an
entry in the JSON file, and an exit code of 1.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from threading import Timer

from _report import environment, write_json
from _runner import SINGLE

WORKER = Path(__file__).with_name("_control_worker.py")


def arguments(description):
    """The options that all have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", metavar="DIR", help="*.txt or *.txt.gz: class, then 0/1 features")
    parser.add_argument("--out", metavar="FILE", help="the results as JSON")
    parser.add_argument("--core", type=int, help="the core to run on, where one is enough")
    parser.add_argument("--quick", action="store_true", help="less of everything: a minute or two")
    return parser


def parsed(parser, argv, quick):
    """The options; with ``--quick`` those in `quick` are the defaults."""
    options = parser.parse_args(argv)
    if options.quick:
        parser.set_defaults(**quick)
        options = parser.parse_args(argv)
    return options


def last_core(options):
    """The core to pin to, as in `Runner`; None where the system cannot."""
    if options.core is not None or not hasattr(os, "sched_getaffinity"):
        return options.core
    return max(os.sched_getaffinity(0))


def cores():
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Child:
    """A task of ``_control_worker.py`` in a process of its own.

    Parameters
    ----------
    task : str
        Its name.
    folder : path
        Where the data are, as `stored` left them.
    core : int or None
        The core it is pinned to.
    **request
        What the task takes.
    """

    def __init__(self, task, folder, core=None, **request):
        request |= {"task": task, "data": str(folder), "core": core}
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115, closed with the answer
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), json.dumps(request)],
            env=os.environ | SINGLE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def wait_until_ready(self):
        """Return when the task is about to begin: imports, data and a first fit are done."""
        self.process.stdout.readline()

    def go(self):
        """Let a task that waits begin."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self, timeout=60.0):
        """Wait for the end; return all that was said, and whether it took too long."""
        late = []
        timer = Timer(timeout, lambda: (late.append(True), self.process.kill()))
        timer.start()
        said = self.process.stdout.read()
        self.process.wait()
        timer.cancel()
        self.process.stdin.close()
        self.process.stdout.close()
        return said, bool(late)

    def answer(self, timeout=60.0):
        """What the task returned, or ``{"failure": reason}``."""
        said, late = self.end(timeout)
        self._errors.seek(0)
        last = self._errors.read().strip().splitlines()[-1:] or [""]
        self._errors.close()
        if late:
            return {"failure": f"no answer within {timeout:g} s"}
        if self.process.returncode:
            return {"failure": f"exit code {self.process.returncode}: {last[0]}"}
        return json.loads(said.splitlines()[-1])


def ask(task, folder, timeout=60.0, **request):
    """Run a task to its end, and return its answer."""
    return Child(task, folder, **request).answer(timeout)


def conclude(options, content, lines, violations):
    """Print the lines under the table and every violation; return the exit code."""
    print("", *lines, *(violations or ["no violations"]), sep="\n", flush=True)
    about = {"environment": environment(["beamtree"]), "cores": cores()}
    write_json(options.out, about | content | {"summaries": lines, "violations": violations})
    return 1 if violations else 0
