"""The tests of the benchmarks can import the scripts and their helpers."""

import sys

import pytest

from tests import ROOT


@pytest.fixture(scope="package", autouse=True)
def importable():
    """Put the folder of the benchmarks on the path of imports."""
    folder = str(ROOT / "benchmarks")
    sys.path.insert(0, folder)
    yield
    sys.path.remove(folder)
