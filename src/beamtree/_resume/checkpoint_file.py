"""Checkpoints: files with the state of a search.

A checkpoint is written completely or not at all, and checked completely before it is used. It
contains these parts, with numbers in little-endian order:

- ``MAGIC``, and the version of the format in 4 bytes;
- the length of the header in 8 bytes, and the header in JSON: the settings, a fingerprint of the
  data, and the versions of the packages;
- the state of the search in pieces of at most 1 MB. Each piece follows its length in 4 bytes; a
  length of 0 marks the end;
- the BLAKE2b digest of all previous bytes, in 32 bytes.

A checkpoint contains no code, and reading it executes none.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Iterator
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from beamtree._util.atomic_files import replacement, try_replacement

__all__ = ["CheckpointError"]

MAGIC = b"\x89beamtree checkpoint\r\n\x1a\n"
# Files of another version are refused. Raise the version when a setting of the problem or the
# strategy is added, when a counter is added in core/options/statistics.hpp, when weights become
# other integers, or when `save` or `load` of the core changes.
VERSION = 9
PIECE = 1 << 20
MOST_HEADER = 1 << 26
DIGEST = 32


class CheckpointError(ValueError):
    """Error for a checkpoint that cannot be written or read; the message has the reason.

    Examples
    --------
    >>> import tempfile
    >>> from beamtree import CheckpointError, Search
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     try:
    ...         Search.load(file.name, [[0], [1]], [0, 1])
    ...     except CheckpointError as error:
    ...         print("refused:", str(error).split(": ")[-1])
    refused: it is not a checkpoint of beamtree
    """

    __module__ = "beamtree"  # its public place, which tracebacks show


class _Digested:
    """A file with a running digest of all bytes that were read or written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = blake2b(digest_size=DIGEST)

    def write(self, data: bytes) -> None:
        self._digest.update(data)
        self._file.write(data)

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self._digest.update(data)
        return data

    def number(self, form: str) -> int:
        size = struct.calcsize(form)
        data = self.read(size)
        if len(data) < size:
            raise CheckpointError(TRUNCATED)
        return int(struct.unpack(form, data)[0])

    def digest(self) -> bytes:
        return self._digest.digest()


TRUNCATED = "the file is truncated"
# Exceptions that the core or a check raises for an impossible state.
REFUSALS = (ValueError, ArithmeticError, LookupError, MemoryError, RuntimeError)


def check_place(path: Path) -> None:
    """Raise an error with the reason if a checkpoint cannot be written to a path.

    Parameters
    ----------
    path : Path
        The file; it need not exist.

    Examples
    --------
    >>> from pathlib import Path
    >>> from beamtree._resume.checkpoint_file import check_place
    >>> check_place(Path("no such folder") / "file")
    Traceback (most recent call last):
        ...
    ValueError: checkpoint must be a file in a folder that exists, got 'no such folder/file'
    """
    if not path.absolute().parent.is_dir():
        msg = f"checkpoint must be a file in a folder that exists, got {str(path)!r}"
        raise ValueError(msg)
    try:
        try_replacement(_real(path))
    except OSError as error:
        msg = f"the checkpoint {str(path)!r} cannot be written: {error}"
        raise CheckpointError(msg) from error


def _real(path: Path) -> Path:
    """Follow links, and refuse to replace anything but a regular file, such as a device."""
    real = Path(os.path.realpath(path))
    if os.path.exists(real) and not os.path.isfile(real):  # noqa: PTH110, PTH113 (they never raise)
        msg = f"the checkpoint {str(path)!r} cannot be used: the path is not that of a regular file"
        raise CheckpointError(msg)
    return real


def write_checkpoint(
    path: Path, header: dict[str, Any], save: Callable[[Callable[[bytes], object]], None]
) -> None:
    """Write a checkpoint; if that fails, the old file stays as it was.

    Parameters
    ----------
    path : Path
        The file, in a folder that exists.
    header : dict
        The header, of values that JSON can represent.
    save : callable
        Function that is called with a function ``write``, and passes the state of the search to it
        as bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree._resume.checkpoint_file import read_checkpoint, write_checkpoint
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "example"
    ...     write_checkpoint(path, {"answer": 42}, lambda write: write(b"state"))
    ...     read_checkpoint(path, lambda header, read: (header["answer"], read(), read()))
    (42, b'state', b'')
    """
    with replacement(_real(path)) as file:
        _write(_Digested(file), header, save)


def _write(
    file: _Digested, header: dict[str, Any], save: Callable[[Callable[[bytes], object]], None]
) -> None:
    versions = {"beamtree": version("beamtree"), "numpy": version("numpy")}
    text = json.dumps(header | {"versions": versions}, allow_nan=True).encode()
    file.write(MAGIC + struct.pack("<I", VERSION))
    file.write(struct.pack("<Q", len(text)) + text)

    def write(data: bytes) -> None:
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            file.write(struct.pack("<I", len(piece)) + piece)

    save(write)
    file.write(struct.pack("<I", 0))
    file._file.write(file.digest())


def read_checkpoint(path: Path, take: Callable[[dict[str, Any], Callable[[], bytes]], Any]) -> Any:
    """Check a checkpoint from its first to its last byte, then pass its contents to a function.

    Parameters
    ----------
    path : Path
        The file.
    take : callable
        Function that is called with the header and a function ``read``, which returns the next
        piece of the state, and empty bytes at the end.

    Returns
    -------
    object
        The return value of `take`.

    Raises
    ------
    CheckpointError
        If the file is not a checkpoint, has another version, is truncated or altered, or if
        `take` raises an error.

    Examples
    --------
    >>> from pathlib import Path
    >>> from beamtree._resume.checkpoint_file import read_checkpoint
    >>> read_checkpoint(Path("no such file"), print)
    Traceback (most recent call last):
        ...
    FileNotFoundError: [Errno 2] No such file or directory: 'no such file'
    """
    _real(path)
    with path.open("rb") as file:
        try:
            _check(file)
            file.seek(0)
            contents = _Digested(file)
            header = _read_header(contents)
            pieces = _pieces(contents)
            return take(header, lambda: next(pieces, b""))
        except REFUSALS as error:
            reason = str(error) or type(error).__name__
            msg = f"the checkpoint {str(path)!r} cannot be loaded: {reason}"
            raise CheckpointError(msg) from error


def _check(file: BinaryIO) -> None:
    """Read the whole file once, and check its parts, its digest and its end."""
    contents = _Digested(file)
    _read_start(contents)
    _skip(contents, contents.number("<Q"))
    while size := contents.number("<I"):
        if size > PIECE:
            msg = "the file was altered: a part of it is too long"
            raise CheckpointError(msg)
        _skip(contents, size)
    digest = file.read(DIGEST)
    if len(digest) < DIGEST:
        raise CheckpointError(TRUNCATED)
    if digest != contents.digest():
        msg = "the file was altered: its checksum is wrong"
        raise CheckpointError(msg)
    if file.read(1):
        msg = "the file was altered: there is more data after its end"
        raise CheckpointError(msg)


def _read_start(contents: _Digested) -> None:
    start = contents.read(len(MAGIC))
    if start != MAGIC:
        msg = (
            TRUNCATED if start and MAGIC.startswith(start) else "it is not a checkpoint of beamtree"
        )
        raise CheckpointError(msg)
    found = contents.number("<I")
    if found != VERSION:
        msg = f"its format version is {found}, and this version of beamtree reads version {VERSION}"
        raise CheckpointError(msg)


def _skip(contents: _Digested, size: int) -> None:
    while size > 0:
        data = contents.read(min(size, PIECE))
        if not data:
            raise CheckpointError(TRUNCATED)
        size -= len(data)


def _read_header(contents: _Digested) -> dict[str, Any]:
    _read_start(contents)
    size = contents.number("<Q")
    if size > MOST_HEADER:
        msg = f"its header has {size} bytes, and at most {MOST_HEADER} are allowed"
        raise CheckpointError(msg)
    try:
        header = json.loads(contents.read(size))
    except (ValueError, RecursionError) as error:
        msg = "its header is not JSON"
        raise CheckpointError(msg) from error
    if not isinstance(header, dict):
        msg = "its header is not an object"
        raise CheckpointError(msg)
    return header


def _pieces(contents: _Digested) -> Iterator[bytes]:
    while size := contents.number("<I"):
        yield contents.read(size)
