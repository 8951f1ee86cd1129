"""Describe the machine and the software of a run, and measure its processor time and memory."""

from __future__ import annotations

import os
import platform
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


def begin_of_run(distribution: str) -> dict[str, Any]:
    """Describe the start of a run: its time, core, machine and versions of packages.

    Parameters
    ----------
    distribution : str
        Name of the package that the system belongs to.

    Returns
    -------
    dict
        The part of the record that is known now, and the processor seconds used so far.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "core": cores[0] if len(cores) == 1 else None,
        "cpu_seconds": time.process_time(),
        "machine": {
            "cpu": processor_name(),
            "cores": os.cpu_count(),
            "memory": _physical_bytes(),
            "system": platform.platform(),
        },
        "versions": _versions("beamtree", "numpy", "scikit-learn", distribution),
    }


def _versions(*names: str) -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for name in names:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def processor_name() -> str:
    """Return the name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _physical_bytes() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def peak_bytes(process: int | str = "self") -> int | None:
    """Return the largest resident size that a process has had.

    Parameters
    ----------
    process : int or "self", default="self"
        Id of the process. Processes other than this one can be asked about on Linux only.

    Returns
    -------
    int or None
        Bytes; None where the system does not provide this.
    """
    try:
        # On Linux ``ru_maxrss`` would be wrong: a process inherits it from its parent.
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    if process != "self":
        return None
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def processor_seconds(process: int) -> float | None:
    """Return the processor time that a process has used.

    Parameters
    ----------
    process : int
        Id of the process.

    Returns
    -------
    float or None
        Seconds, in user mode and in the kernel; None if the system is not Linux.
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None
