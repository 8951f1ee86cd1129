"""Importing packages that only some functions need."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def import_optional(module: str, what: str, extra: str) -> Any:
    """Import a module of a package that need not be installed.

    Parameters
    ----------
    module : str
        Name of the module.
    what : str
        The function or option that needs the module, for the error.
    extra : str
        The optional dependencies of beamtree that contain the package.

    Returns
    -------
    module
        The module.

    Raises
    ------
    ImportError
        If the module cannot be imported; the message says how to install it.

    Examples
    --------
    >>> from beamtree._util.optional import import_optional
    >>> import_optional("no_such_package", "plot", "plot")
    Traceback (most recent call last):
        ...
    ImportError: plot needs no_such_package: pip install beamtree[plot]
    """
    try:
        return import_module(module)
    except ImportError as error:
        msg = f"{what} needs {module.partition('.')[0]}: pip install beamtree[{extra}]"
        raise ImportError(msg) from error
