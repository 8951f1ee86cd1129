"""The datasets of the paper, from where the paper says they are."""

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
    """Return datasets of CP4IM, downloaded the first time.

    The files are kept as they came, each with its checksum. One that was cut off or altered since
    is refused and downloaded anew. Their shapes and classes are compared with what is known of
    them. A file that you put there yourself is taken if it passes.

    Parameters
    ----------
    data_home : path or None, default=None
        Where they are kept: the folder ``beamtree/cp4im`` in it; None for the folder of
        scikit-learn's datasets, ``~/scikit_learn_data``.
    names : sequence of str or None, default=None
        Names of the sets; None for all.
    download : bool, default=True
        Whether to download those that are not there.
    address : str, default=the address in the paper
        Where they come from: ``data/<name>.txt`` below it.
    timeout : float, default=60.0
        Seconds that a download may take.

    Returns
    -------
    dict of str to BinaryData
        The sets by name, with features ``x0``, ``x1``, ... and the classes ``"0"`` and ``"1"``.

    Raises
    ------
    FetchError
        If a set cannot be had, with the reason and what to do. What was downloaded before is kept.

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
            if failure.is_final:  # the others would fail in the same way, after the same wait
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
    # Imported here: sklearn.datasets takes longer to import than the rest of this package.
    from sklearn.datasets import get_data_home

    return Path(get_data_home(data_home)) / "beamtree" / "cp4im"


def _kept(folder: Path, name: str) -> BinaryData | str:
    """Return a set that is kept, or why one cannot be trusted; nothing if there is none."""
    path = folder / f"{name}.txt"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ""
    recorded = _record(path)
    if recorded.exists() and recorded.read_text().strip() != _checksum(content):
        return "it was altered"
    try:
        data = parsed(content, name)
    except ValueError as error:
        return str(error)
    if not recorded.exists():  # put there by hand
        with suppress(OSError):  # the folder may be for reading alone
            write_whole(recorded, f"{_checksum(content)}\n".encode())
    return data


def _fetched(
    folder: Path, name: str, address: str | None, timeout: float, refused: str
) -> BinaryData:
    path = folder / f"{name}.txt"
    there = f" (the one that is there is refused: {refused})" if refused else ""
    if address is None:
        msg = f"the dataset {name!r} is not in the folder: {str(folder)!r}{there}; "
        raise FetchError(msg + "download it, or put it there")
    url = f"{address.rstrip('/')}/data/{name}.txt"
    advice = f"try again with a network, or put {path.name} into {str(folder)!r}{there}"
    content = downloaded(url, name, timeout, advice)
    try:
        data = parsed(content, name)
    except ValueError as error:
        msg = f"the dataset {name!r} from {url} is refused: {error}; {advice}"
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
