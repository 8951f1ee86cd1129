"""Packages that some functions need and most users do not."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(module: str, what: str, extra: str) -> Any:
    """Import a module of an optional package.

    Parameters
    ----------
    module : str
        Name of the module.
    what : str
        What needs it, in words.
    extra : str
        The extra of this package that installs it.

    Returns
    -------
    module
        The module.

    Examples
    --------
    >>> from beamtree._util.optional import needed
    >>> needed("no_such_package", "plot", "plot")
    Traceback (most recent call last):
        ...
    ImportError: plot needs no_such_package: pip install beamtree[plot]
    """
    try:
        return import_module(module)
    except ImportError as error:
        msg = f"{what} needs {module.partition('.')[0]}: pip install beamtree[{extra}]"
        raise ImportError(msg) from error
