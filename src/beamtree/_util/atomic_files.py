"""Files that are written completely or not at all, even if the process is killed meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def check_folder(name: str, path: Path) -> None:
    """Raise a ValueError if the path of a file is a folder or lies in no existing folder.

    Parameters
    ----------
    name : str
        Name of the parameter, for the error.
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
    """Write a file completely or not at all.

    Devices and pipes are written to directly.

    Parameters
    ----------
    path : Path
        The file; an existing one is replaced.
    content : bytes
        The whole content.

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
    with replacement(path) as file:
        file.write(content)


@contextmanager
def replacement(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place and the permissions of another one at the end.

    The new file is written beside the old one, which stays as it is if anything fails.

    Parameters
    ----------
    path : Path
        The file to replace; it need not exist. If it is a link, the file that it points to is
        replaced.

    Yields
    ------
    BinaryIO
        The new file, open for writing.
    """
    path = Path(os.path.realpath(path))
    mode = _permissions(path)
    file = _open_beside(path, mode)
    new = Path(file.name)
    try:
        with file:
            if mode is not None:
                new.chmod(mode)  # opening it applied the umask to the mode
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
    _sync_folder(path.parent)


def try_replacement(path: Path) -> None:
    """Raise an OSError unless a file beside `path` can be created, as `replacement` does.

    Parameters
    ----------
    path : Path
        The file to replace; it need not exist.
    """
    file = _open_beside(Path(os.path.realpath(path)), None)
    file.close()
    Path(file.name).unlink()


def _permissions(path: Path) -> int | None:
    """Return the permission bits of a file, or None if it cannot be found."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def _open_beside(path: Path, mode: int | None) -> BinaryIO:
    """Create a file in the same folder that nobody can read who may not read the old one."""
    name = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags, 0o666 if mode is None else mode)

    return open(name, "xb", opener=opener)


def _sync_folder(folder: Path) -> None:
    """Make sure that the new name survives a crash, on systems that can do this for a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
