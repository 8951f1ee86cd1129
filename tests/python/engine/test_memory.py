"""Amounts of memory: written as text, available on the machine and in its control groups."""

import re

import numpy as np
import pytest

from beamtree import OptimalTreeClassifier, _core
from beamtree._engine.memory import MemoryAllowance, available_bytes, parse_bytes
from beamtree.datasets import tic_tac_toe
from tests.unfinished import unfinished

GB = 10**9


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (1, 1),
        (np.int64(4096), 4096),
        ("1", 1),
        ("100 B", 100),
        ("2kB", 2000),
        ("2KB", 2000),
        ("512 MB", 512 * 10**6),
        ("2GB", 2 * GB),
        (" 2 gb ", 2 * GB),
        ("1.5GiB", 3 * 2**29),
        ("3 TiB", 3 * 2**40),
        ("0.5KiB", 512),
    ],
)
def test_amounts_as_text(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize(
    "value", [0, -1, 1.5, 1e9, True, "", "GB", "-2GB", "2 PB", "2GBs", "1e9", "0.1", "inf", [1]]
)
def test_wrong_amounts(value):
    message = (
        "memory_limit must be None, a number of bytes of at least 1, or text such as '2GB', "
        f"'512 MB' or '1.5GiB', got {value!r}"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        OptimalTreeClassifier(memory_limit=value).fit("not looked at", None)


@pytest.fixture
def machine(tmp_path):
    """Return a function that writes files as a machine has them in /proc and /sys."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


MEMINFO = "MemTotal: 9 kB\nMemAvailable:    5000 kB\nBuffers: 1 kB\n"
SECOND = {"proc__self__cgroup": "0::/user/job\n"}


def test_available_without_groups(machine):
    assert available_bytes(machine(proc__meminfo=MEMINFO)) == 5_120_000


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({"user__job__memory_DOT_max": "3000", "user__job__memory_DOT_current": "1000"}, 2000),
        ({"user__memory_DOT_max": "4000", "user__memory_DOT_current": "1000"}, 3000),
        ({"memory_DOT_max": "4000", "memory_DOT_current": "5000"}, 0),
        ({"user__job__memory_DOT_max": "max\n", "user__job__memory_DOT_current": "1"}, 5_120_000),
    ],
)
def test_available_in_groups_of_version_2(machine, files, free):
    groups = {f"sys__fs__cgroup__{name}": text for name, text in files.items()}
    assert available_bytes(machine(proc__meminfo=MEMINFO, **SECOND, **groups)) == free


@pytest.mark.parametrize(("limit", "free"), [("9000\n", 2000), (str(2**63 - 4096), 5_120_000)])
def test_available_in_groups_of_version_1(machine, limit, free):
    groups = {
        "proc__self__cgroup": "12:cpu,cpuacct:/a\n5:memory:/docker/1\n",
        "sys__fs__cgroup__memory__memory_DOT_limit_in_bytes": limit,
        "sys__fs__cgroup__memory__memory_DOT_usage_in_bytes": "7000\n",
    }
    assert available_bytes(machine(proc__meminfo=MEMINFO, **groups)) == free


def test_available_on_this_machine():
    assert _core.resident_bytes() > 10**6
    assert available_bytes() > 10**6


def test_an_allowance_shrinks_as_the_process_grows():
    allowance = MemoryAllowance("1GB")
    before = allowance.left()
    grown = np.ones(50_000_000 // 8)
    after = allowance.left()
    assert 40_000_000 < before - after < 100_000_000
    assert len(grown) > 0
    assert 10**6 < MemoryAllowance(None).left() < 2**63 - 1


@unfinished
def test_data_that_do_not_fit_leave_a_greedy_tree():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=5, memory_limit=1).fit(X, y)
    assert clf.status_ == "memory_limit"
    assert clf.n_errors_ == (clf.predict(X) != y).sum()
    assert clf.lower_bound_ < clf.objective_
    greedy = OptimalTreeClassifier(max_depth=5, time_limit=0).fit(X, y)
    assert clf.objective_ == greedy.objective_


def test_enough_memory_changes_nothing():
    X, y, _, _ = tic_tac_toe()
    clf = OptimalTreeClassifier(max_depth=4, memory_limit="1 GB").fit(X, y)
    assert (clf.status_, clf.objective_) == ("optimal", 137)
