"""Start the process of a run, send it the request, read its messages, and end it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Timer
from time import perf_counter
from typing import IO, Any

from beamtree.study._cores import Core
from beamtree.study._machine import peak_bytes, processor_seconds

# A run is killed this long after its budget has ended: seconds, or this share of the budget if that
# is more.
GRACE, GRACE_SHARE = 2.0, 0.1
# Seconds that a process has for its imports and the first fit of four rows.
START = 120.0
# Environment variables that restrict numerical libraries to one thread per run.
SINGLE = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMEXPR", "RAYON")}


def with_grace(budget: float) -> float:
    """Return the seconds after which a run of a given budget is killed."""
    return budget + max(GRACE, GRACE_SHARE * budget)


class Process:
    """The process of a run, and the messages that it has sent.

    Parameters
    ----------
    request : dict
        What the worker needs, as values of JSON.
    data : bytes
        The data, in the form that the worker expects.
    core : Core or None
        The core that the process is pinned to, which stays reserved until the process has ended;
        None for all cores.
    most : float
        Seconds after its start after which the run is killed.
    worker : str, default="beamtree.study.worker"
        The module of the worker, which is run as a program.
    """

    def __init__(
        self,
        request: dict[str, Any],
        data: bytes,
        core: Core | None,
        most: float,
        worker: str = "beamtree.study.worker",
    ) -> None:
        number = None if core is None else core.number
        self._header = request | {"size": len(data), "core": number}
        self._data, self._most = data, most
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self._late: str | None = None
        self._usage: dict[str, Any] = {}
        self._timer: Timer | None = None
        self._began = perf_counter()
        self.begin: dict[str, Any] = {}
        self.found: list[list[float]] = []
        self.end: dict[str, Any] | None = None
        self.failure: str | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", worker],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | SINGLE | {"PYTHONPATH": os.pathsep.join(_path())},
            start_new_session=True,
            pass_fds=_descriptors(core),
        )

    def communicate(self) -> None:
        """Send the request, and read the messages of the process until the run ends."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        self._kill_after(START, "failed")
        with suppress(BrokenPipeError):
            stdin.write(json.dumps(self._header).encode() + b"\n" + self._data)
            stdin.flush()
        for line in stdout:
            if not line.endswith(b"\n"):  # killed while it wrote
                break
            ((word, value),) = json.loads(line).items()
            if word == "begin":
                self.begin = value
                self._began = perf_counter()
                self._kill_after(self._most, "killed")
            elif word == "found":
                self.found.append(value)
            elif word == "failed":
                self.failure = value
            else:
                self.end = value
                break
        self._seconds = perf_counter() - self._began

    def _kill_after(self, seconds: float, status: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = Timer(seconds, self._kill_late, (status,))
        self._timer.daemon = True
        self._timer.start()

    def _kill_late(self, status: str) -> None:
        self._late = status
        self._usage = {"memory": peak_bytes(self._process.pid)}
        spent = processor_seconds(self._process.pid)
        if spent is not None and self.begin:
            # The kernel counts in ticks, so the difference may be slightly negative.
            self._usage["cpu_seconds"] = max(spent - self.begin["cpu_seconds"], 0.0)
        self.kill()

    def kill(self) -> None:
        """Kill the process, and all processes that it has started."""
        if self._process.returncode is not None:
            return  # another process may have the same id by now
        with suppress(ProcessLookupError, PermissionError):  # it has ended, or is ending
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def close(self) -> None:
        """Kill the process, wait for its end, and close its pipes."""
        if self._timer is not None:
            self._timer.cancel()
        self.kill()
        self._code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        self._last_words = said[-1] if said else ""
        self._errors.close()

    def outcome(self) -> dict[str, Any]:
        """Return the values of the record that the messages of the process give."""
        about = {name: value for name, value in self.begin.items() if name != "cpu_seconds"}
        if self.end is not None:
            end = self.end
            trace = _whole_trace(self.found, end)
            return about | end | {"trace": trace}
        last = self.found[-1] if self.found else [0.0, None, 0.0]
        values = {
            "objective": last[1],
            "lower_bound": max((row[2] for row in self.found), default=0.0),
            "seconds": self._seconds,
            "trace": self.found,
            "status": self._late or "failed",
            "failure": self.reason(),
        }
        return about | self._usage | values

    def reason(self) -> str:
        """Return the reason why the process has ended without a result."""
        if self._late == "killed":
            return f"killed after {self._seconds:.1f} s"
        if self._late:
            return f"did not begin within {START:g} s"
        if self.failure is not None:
            return self.failure
        code = self._code
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"{how}: {self._last_words}" if self._last_words else how


def _descriptors(core: Core | None) -> tuple[int, ...]:
    """Return the open file that the process has to inherit, so that its core stays reserved."""
    if core is None or core.descriptor is None or os.name != "posix":
        return ()
    return (core.descriptor,)


def _whole_trace(found: list[list[float]], end: dict[str, Any]) -> list[list[float]]:
    """Return the reported improvements, and at the end the last tree as it was rescored."""
    last = [end["objective"], end["lower_bound"]]
    return found if found and found[-1][1:] == last else [*found, [end["seconds"], *last]]


def _path() -> list[str]:
    """Return the folders of this process's modules, so that the worker imports the same ones."""
    return [place or str(Path.cwd()) for place in sys.path]
