"""Scalars of NumPy as objects of Python."""

from __future__ import annotations

from typing import Any

import numpy as np


def python_scalar(value: Any) -> Any:
    """Return a scalar of NumPy as the object of Python that equals it.

    Parameters
    ----------
    value : object
        Any value.

    Returns
    -------
    object
        The object of Python, or the value itself if it is not a scalar of NumPy.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree._util.scalars import python_scalar
    >>> python_scalar(np.int64(3)), python_scalar(np.str_("red")), python_scalar(None)
    (3, 'red', None)
    """
    return value.item() if isinstance(value, np.generic) else value
