"""The amount of memory that a search may take."""

from __future__ import annotations

import os
import re
from math import inf
from numbers import Integral
from pathlib import Path
from typing import Any

from beamtree import _core
from beamtree._engine.limits import NO_LIMIT
from beamtree._util.validation import Allowed, is_kind

UNITS = {
    "": 1,
    **{f"{letter}B": 1000**power for power, letter in enumerate(("", "k", "M", "G", "T"))},
    **{f"{letter}iB": 1024**power for power, letter in enumerate(("K", "M", "G", "T"), 1)},
}
_BY_LOWER = {unit.lower(): size for unit, size in UNITS.items()}
_TEXT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE | re.ASCII)

# Share of the free memory that is used if there is no limit.
SHARE = 0.8
# A control group with a larger limit has no limit: version 1 reports a huge number for that.
_UNLIMITED = 2**60


def _parsed(value: Any) -> int | None:
    """Return the bytes, or None if the value is not an amount of memory."""
    size: float | None = None
    if isinstance(value, str):
        match = _TEXT.fullmatch(value)
        unit = _BY_LOWER.get(match[2].lower()) if match else None
        size = float(match[1]) * unit if match and unit else None
    elif is_kind(Integral, value):
        size = int(value)
    return int(size) if size is not None and 1 <= size < inf else None


MEMORY_OR_NONE = Allowed(
    "None, a number of bytes of at least 1, or text such as '2GB', '512 MB' or '1.5GiB'",
    lambda value: value is None or _parsed(value) is not None,
)


def parse_bytes(value: int | str) -> int:
    """Return an amount of memory in bytes.

    Parameters
    ----------
    value : int or str
        A number of bytes, or text: a number and a unit, which is a power of 1,000 (kB, MB, GB, TB)
        or of 1,024 (KiB, MiB, GiB, TiB).

    Returns
    -------
    int
        The number of bytes.

    Examples
    --------
    >>> from beamtree._engine.memory import parse_bytes
    >>> parse_bytes("2GB"), parse_bytes("1.5 KiB"), parse_bytes(4096)
    (2000000000, 1536, 4096)
    """
    MEMORY_OR_NONE.check("memory_limit", value)
    parsed = _parsed(value)
    assert parsed is not None
    return parsed


class MemoryAllowance:
    """The amount by which the process may grow from now on.

    Parameters
    ----------
    limit : int, str or None
        The setting `memory_limit`; None for a share of the free memory.
    """

    def __init__(self, limit: int | str | None) -> None:
        self._begin = _core.resident_bytes()
        if limit is None:
            free = available_bytes()
            self._bytes = NO_LIMIT if free is None else int(SHARE * free)
        else:
            self._bytes = min(parse_bytes(limit), NO_LIMIT)

    def left(self) -> int:
        """Return the bytes that are left; less than 0 if the process has grown by more."""
        if self._bytes == NO_LIMIT:
            return NO_LIMIT
        grown = max(_core.resident_bytes() - self._begin, 0) if self._begin else 0
        return self._bytes - grown


def available_bytes(root: Path = Path("/")) -> int | None:
    """Return the amount of memory that this process could still take.

    Parameters
    ----------
    root : Path, default=Path("/")
        Folder that contains ``proc`` and ``sys``.

    Returns
    -------
    int or None
        The smaller one of the free memory of the machine and of the memory that the limits of
        control groups leave; None if neither is known.
    """
    known = [free for free in (_free_of_machine(root), *_free_of_groups(root)) if free is not None]
    return max(min(known), 0) if known else None


def _free_of_machine(root: Path) -> int | None:
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line[:13] == "MemAvailable:")
    except (OSError, ValueError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _free_of_groups(root: Path) -> list[int | None]:
    """Return the bytes that each control group of this process leaves, in versions 1 and 2."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    free: list[int | None] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            names, top = ("memory.max", "memory.current"), f"{root}/sys/fs/cgroup"
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes")
            top = f"{root}/sys/fs/cgroup/memory"
        else:
            continue
        # In a container the path may be that of the host; then the limits are at the top.
        parts = [part for part in path.split("/") if part]
        around = ("/".join([top, *parts[:levels]]) for levels in range(len(parts), -1, -1))
        free.extend(_left_in(folder, *names) for folder in around)
    return free


def _left_in(folder: str, limit: str, usage: str) -> int | None:
    # Every fit comes here, and objects of the type Path would take most of its time.
    try:
        with open(f"{folder}/{limit}") as file:  # noqa: PTH123
            most = int(file.read())
        if most > _UNLIMITED:
            return None
        with open(f"{folder}/{usage}") as file:  # noqa: PTH123
            return most - int(file.read())
    except (OSError, ValueError):  # there is no such group, or its limit is "max"
        return None
