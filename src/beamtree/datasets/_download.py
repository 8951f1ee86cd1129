"""Downloads files."""

from __future__ import annotations

from http.client import HTTPException
from time import monotonic
from urllib.error import HTTPError
from urllib.request import urlopen

# The largest file that is accepted, and the bytes that are read at once.
LARGEST = 100_000_000
CHUNK = 1 << 16


class FetchError(OSError):
    """Raised when a dataset can neither be found nor downloaded.

    Parameters
    ----------
    message : str
        The reason, and what the user can do.
    is_final : bool, default=False
        Whether other downloads from the same address would fail for the same reason.

    Examples
    --------
    >>> from beamtree.datasets import FetchError
    >>> str(FetchError("no network"))
    'no network'
    """

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


def downloaded(url: str, name: str, timeout: float, advice: str) -> bytes:
    """Download a whole file.

    Parameters
    ----------
    url : str
        The address of the file.
    name : str
        The name of the dataset in error messages.
    timeout : float
        The seconds that the download may take.
    advice : str
        What the user can do if the download fails.

    Returns
    -------
    bytes
        The content of the file.
    """
    if not url.startswith(("http://", "https://")):
        msg = f"address must begin with http:// or https://, got {url!r}"
        raise ValueError(msg)
    try:
        return _read(url, timeout)
    except HTTPError as error:  # the server answers
        error.close()
        reason, is_final = f"{error.code} {error.reason}", False
    except _CutOffError as error:
        reason, is_final = str(error), False
    except (OSError, HTTPException, ValueError) as error:
        reason, is_final = str(getattr(error, "reason", error)) or type(error).__name__, True
    msg = f"the dataset {name!r} cannot be downloaded from {url}: {reason}; {advice}"
    raise FetchError(msg, is_final=is_final)


class _CutOffError(Exception):
    """The download ended before the whole file had arrived."""


def _read(url: str, timeout: float) -> bytes:
    end = monotonic() + timeout
    content = bytearray()
    with urlopen(url, timeout=timeout) as answer:
        announced = answer.headers.get("Content-Length")
        try:
            while chunk := answer.read1(CHUNK):
                content += chunk
                if len(content) > LARGEST:
                    msg = f"the file is larger than {LARGEST} bytes"
                    raise _CutOffError(msg)
                if monotonic() > end:
                    msg = f"the download takes longer than {timeout:g} seconds"
                    raise _CutOffError(msg)
        except HTTPException as error:
            msg = f"the download was cut off after {len(content)} bytes"
            raise _CutOffError(msg) from error
    if announced is not None and announced.isdigit() and len(content) != int(announced):
        msg = f"the download was cut off after {len(content)} of {announced} bytes"
        raise _CutOffError(msg)
    return bytes(content)
