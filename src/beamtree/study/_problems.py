"""Load the data of a campaign: binary features and a class, from files or from the package."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from beamtree.datasets import BinaryData, balance_scale, load_binarized, load_dl8, tic_tac_toe

SUFFIXES = (".txt", ".txt.gz", ".csv")
# Largest number of thresholds for one column of a csv file; every test becomes a feature.
MAX_THRESHOLDS = 32


@dataclass(frozen=True, eq=False)
class Problem:
    """The data of a run.

    Parameters
    ----------
    name : str
        Name of the dataset.
    X : ndarray of uint8, shape (n_rows, n_features)
        Features, all 0 or 1.
    codes : ndarray of int32, shape (n_rows,)
        Classes as integers from 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes.
    """

    name: str
    X: NDArray[np.uint8]
    codes: NDArray[np.int32]
    n_classes: int

    @classmethod
    def of(cls, name: str, X: Any, y: Any) -> Self:
        """Make a problem from binary features and labels of any kind."""
        labels, codes = np.unique(np.asarray(y), return_inverse=True)
        rows = np.ascontiguousarray(X, dtype=np.uint8)
        return cls(name, rows, codes.astype(np.int32).ravel(), len(labels))

    @cached_property
    def data_hash(self) -> str:
        """SHA-256 of the shape, the features and the classes."""
        shape = np.array(self.X.shape, dtype="<i8")
        parts = (shape, self.X, self.codes.astype("<i4"))
        return sha256(b"".join(part.tobytes() for part in parts)).hexdigest()

    @cached_property
    def packed(self) -> bytes:
        """The problem as compressed bytes, which are sent to other processes."""
        file = io.BytesIO()
        np.savez_compressed(
            file,
            X=np.packbits(self.X, axis=1),
            features=self.X.shape[1],
            codes=self.codes,
            n_classes=self.n_classes,
        )
        return file.getvalue()

    @classmethod
    def unpacked(cls, name: str, packed: bytes) -> Self:
        """Restore a problem from its `packed` bytes."""
        with np.load(io.BytesIO(packed)) as parts:
            X = np.unpackbits(parts["X"], axis=1, count=int(parts["features"]))
            return cls(name, X, parts["codes"], int(parts["n_classes"]))


# Small datasets of the package on which the systems differ.
PACKAGED: dict[str, Callable[[], BinaryData]] = {
    "balance-scale": balance_scale,
    "digits": lambda: load_binarized("digits", 1),
    "tic-tac-toe": tic_tac_toe,
}

DataLike = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None


def load_problems(data: DataLike = None, target: str | None = None) -> list[Problem]:
    """Load the data of a campaign.

    Parameters
    ----------
    data : path, iterable of paths or None, default=None
        Files that end in ``.txt``, ``.txt.gz`` or ``.csv``, or folders of such files; None for a
        few small datasets of the package.
    target : str or None, default=None
        Name of the column with the classes in ``.csv`` files; None for the first column.

    Returns
    -------
    list of Problem
        The problems, sorted by name.

    Raises
    ------
    ValueError
        If there are no files, a file has another ending, or two files have the same name.
    """
    if data is None:
        return [Problem.of(name, *make()[:2]) for name, make in PACKAGED.items()]
    files: dict[str, Path] = {}
    for path in _files(data):
        name = path.name[: -len(_suffix(path))]
        if name in files:
            msg = f"data must have distinct names, got {str(files[name])!r} and {str(path)!r}"
            raise ValueError(msg)
        files[name] = path
    return [_load(name, files[name], target) for name in sorted(files)]


def _files(data: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    paths = [data] if isinstance(data, str | os.PathLike) else list(data)
    files = []
    for path in map(Path, paths):
        if not path.exists():
            msg = f"data must be files or folders that exist, got {str(path)!r}"
            raise FileNotFoundError(msg)
        found = sorted(path.iterdir()) if path.is_dir() else [path]
        files += [file for file in found if not path.is_dir() or _suffix(file)]
    for file in files:
        if not _suffix(file):
            msg = f"data must end in {', '.join(SUFFIXES)}, got {str(file)!r}"
            raise ValueError(msg)
    if not files:
        shown = ", ".join(repr(str(path)) for path in paths)
        msg = f"data must have files that end in {', '.join(SUFFIXES)}, got none in {shown}"
        raise ValueError(msg)
    return files


def _suffix(path: Path) -> str:
    return next((suffix for suffix in SUFFIXES if path.name.endswith(suffix)), "")


def _load(name: str, path: Path, target: str | None) -> Problem:
    if path.suffix == ".csv":
        return Problem.of(name, *_csv_rows(path, target))
    return Problem.of(name, *load_dl8(path)[:2])


def _csv_rows(path: Path, target: str | None) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Return the binary tests of a table and its classes, by default from the first column."""
    from beamtree._table.files import open_file, read_training_rows
    from beamtree._table.learn_tests import learn_tests

    if target is None:
        target = next(iter(open_file(path).names), "")
    read = read_training_rows(path, target)
    rows = learn_tests(read.table, None, MAX_THRESHOLDS, None).rows
    return rows if isinstance(rows, np.ndarray) else rows.fails(), read.labels
