"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import get_ident


def check_folder(name: str, path: Path) -> None:
    """Refuse a path at which no file can be written.

    Parameters
    ----------
    name : str
        Name of the parameter, for errors.
    path : Path
        The file.
    """
    if path.is_dir():
        msg = f"{name} must be a file, got the folder {str(path)!r}"
        raise ValueError(msg)
    if not path.parent.is_dir():
        msg = f"{name} must be in a folder that exists, got {str(path)!r}"
        raise ValueError(msg)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside its place, and put it there when it is complete.

    Devices and pipes are written as they are.

    Parameters
    ----------
    path : Path
        The file; one that is there is replaced.
    content : bytes
        All of it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from beamtree._util.atomic_files import write_whole
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "note", b"whole")
    ...     [path.name for path in Path(folder).iterdir()]
    ['note']
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path = path.resolve()  # what a link points to is replaced, not the link
    beside = path.with_name(f".{path.name}.{os.getpid()}-{get_ident()}.tmp")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            beside.chmod(path.stat().st_mode & 0o777)
        beside.replace(path)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()
