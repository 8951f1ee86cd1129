"""Downloads the datasets of the paper from the address that the paper gives."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from beamtree._util.atomic_files import write_whole
from beamtree._util.validation import POSITIVE
from beamtree.datasets._download import FetchError, downloaded
from beamtree.datasets._transactions import SHAPES, parsed
from beamtree.datasets.binary import BinaryData

__all__ = ["FetchError", "fetch_cp4im"]

ADDRESS = "https://dtai-static.cs.kuleuven.be/CP4IM/datasets/"


def fetch_cp4im(
    data_home: str | os.PathLike[str] | None = None,
    *,
    names: Sequence[str] | None = None,
    download: bool = True,
    address: str = ADDRESS,
    timeout: float = 60.0,
) -> dict[str, BinaryData]:
    """Return datasets of CP4IM, and download those that are not there yet.

    Downloaded files are kept unchanged, each with its checksum. A file that was cut off or altered
    later is rejected and downloaded again. The shape and the classes of a file are compared with
    the known ones. A file that you put into the folder yourself is used if it passes these checks.

    Parameters
    ----------
    data_home : path or None, default=None
        The files are kept in the folder ``beamtree/cp4im`` below this one. None means the folder
        of scikit-learn's datasets, ``~/scikit_learn_data``.
    names : sequence of str or None, default=None
        The names of the datasets. None means all.
    download : bool, default=True
        Whether to download the datasets that are not in the folder.
    address : str, default=the address in the paper
        Where the datasets come from. The path ``data/<name>.txt`` is added to it.
    timeout : float, default=60.0
        The seconds that one download may take.

    Returns
    -------
    dict of str to BinaryData
        The datasets by name, with features ``x0``, ``x1``, ... and the classes ``"0"`` and ``"1"``.

    Raises
    ------
    FetchError
        If a dataset is missing and cannot be downloaded. The message gives the reason and says
        what to do. Datasets that were downloaded before the error are kept.

    Examples
    --------
    >>> import tempfile
    >>> from beamtree.datasets import fetch_cp4im
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         fetch_cp4im(folder, names=["anneal"], download=False)
    ...     except OSError as error:
    ...         print(str(error).partition(":")[0])
    the dataset 'anneal' is not in the folder
    """
    wanted = _checked(names)
    POSITIVE.check("timeout", timeout)
    folder = _folder(data_home)
    found: dict[str, BinaryData] = {}
    failures: list[FetchError] = []
    for name in wanted:
        try:
            kept = _kept(folder, name)
            if isinstance(kept, str):
                kept = _fetched(folder, name, address if download else None, timeout, kept)
            found[name] = kept
        except FetchError as failure:
            failures.append(failure)
            if failure.is_final:  # the other downloads would fail for the same reason
                break
    if failures:
        raise failures[0] if len(failures) == 1 else FetchError("; ".join(map(str, failures)))
    return found


def _checked(names: Sequence[str] | None) -> list[str]:
    if names is None:
        return list(SHAPES)
    if isinstance(names, str):
        msg = f"names must be a list of names, got the text {names!r}"
        raise ValueError(msg)
    for name in names:
        if name not in SHAPES:
            msg = f"names must be some of {', '.join(SHAPES)}, got {name!r}"
            raise ValueError(msg)
    return list(names)


def _folder(data_home: str | os.PathLike[str] | None) -> Path:
    # Imported here because sklearn.datasets takes longer to import than the rest of the package.
    from sklearn.datasets import get_data_home

    return Path(get_data_home(data_home)) / "beamtree" / "cp4im"


def _kept(folder: Path, name: str) -> BinaryData | str:
    """Return the dataset in the folder, or why it is rejected, or "" if there is no file."""
    path = folder / f"{name}.txt"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ""
    recorded = _record(path)
    if recorded.exists() and recorded.read_text().strip() != _checksum(content):
        return "the file was altered"
    try:
        data = parsed(content, name)
    except ValueError as error:
        return str(error)
    if not recorded.exists():  # the user put the file there
        with suppress(OSError):  # the folder may be read-only
            write_whole(recorded, f"{_checksum(content)}\n".encode())
    return data


def _fetched(
    folder: Path, name: str, address: str | None, timeout: float, refused: str
) -> BinaryData:
    path = folder / f"{name}.txt"
    there = f" (the file in the folder is rejected: {refused})" if refused else ""
    if address is None:
        msg = f"the dataset {name!r} is not in the folder: {str(folder)!r}{there}; "
        raise FetchError(msg + "download it, or put it there")
    url = f"{address.rstrip('/')}/data/{name}.txt"
    advice = f"try again with a network, or put {path.name} into {str(folder)!r}{there}"
    content = downloaded(url, name, timeout, advice)
    try:
        data = parsed(content, name)
    except ValueError as error:
        msg = f"the dataset {name!r} from {url} is rejected: {error}; {advice}"
        raise FetchError(msg) from error
    folder.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # never a new checksum beside an old file
    write_whole(_record(path), f"{_checksum(content)}\n".encode())
    write_whole(path, content)
    return data


def _record(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
