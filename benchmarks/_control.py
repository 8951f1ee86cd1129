"""Shared by the measurements of limits and interrupts: options, child processes and verdicts.

A run that breaks a promise is a *violation*: it has a line under the table and an entry in the
JSON file, and makes the exit code 1. The processes differ from those of the study: their tasks
wait for a word of the parent, are disturbed by signals, and use several cores.
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

from beamtree.study._cores import allowed_cores
from beamtree.study._process import SINGLE

WORKER = Path(__file__).with_name("_control_worker.py")


def arguments(description):
    """Return a parser with the options that all measurements have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", metavar="DIR", help="*.txt or *.txt.gz: class, then 0/1 features")
    parser.add_argument("--out", metavar="FILE", help="write the results to this file, as JSON")
    parser.add_argument("--core", type=int, help="the core for the parts that need only one core")
    parser.add_argument("--quick", action="store_true", help="a smaller run of a minute or two")
    return parser


def parsed(parser, argv, quick):
    """Parse the options; with ``--quick`` the values in `quick` are the defaults."""
    options = parser.parse_args(argv)
    if options.quick:
        parser.set_defaults(**quick)
        options = parser.parse_args(argv)
    return options


class Child:
    """A task of ``_control_worker.py`` in its own process.

    Parameters
    ----------
    task : str
        Name of the task.
    folder : path
        The folder of the data, made by `stored`.
    core : int or None
        The core that the process is pinned to; None for all cores.
    **request
        The arguments of the task.
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
        """Wait until imports, data and a first fit are done, and the task is about to begin."""
        self.process.stdout.readline()

    def go(self):
        """Start a task that waits for this."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self, timeout=60.0):
        """Wait for the end; return the output, and whether the process was killed as too late."""
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
        """Return the result of the task, or ``{"failure": reason}``."""
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
    """Run a task to its end, and return its result."""
    return Child(task, folder, **request).answer(timeout)


def conclude(options, content, lines, violations):
    """Print the lines under the table and all violations; return the exit code."""
    print("", *lines, *(violations or ["no violations"]), sep="\n", flush=True)
    about = {"environment": environment(["beamtree"]), "cores": len(allowed_cores())}
    write_json(options.out, about | content | {"summaries": lines, "violations": violations})
    return 1 if violations else 0
