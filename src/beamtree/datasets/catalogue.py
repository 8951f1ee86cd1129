"""Finds datasets by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from beamtree._util.suggestions import did_you_mean
from beamtree.datasets._transactions import SHAPES
from beamtree.datasets.binarized import load_binarized
from beamtree.datasets.binary import BinaryData
from beamtree.datasets.cp4im import fetch_cp4im
from beamtree.datasets.generated import balance_scale, monks, multiplexer, parity, tic_tac_toe

GENERATED = "generated"
SHIPPED = "scikit-learn, cut at quantiles"
FETCHED = "CP4IM, downloaded"
PREFIX = "cp4im/"


class Entry(NamedTuple):
    """One entry of the catalogue of datasets.

    Parameters
    ----------
    name : str
        The name of the dataset.
    rows, features, classes : int or None
        Its number of rows, features and classes. None if that is known only after the download.
    source : str
        Where the dataset comes from.

    Examples
    --------
    >>> from beamtree.datasets import catalogue
    >>> catalogue()[0]
    Entry(name='balance-scale', rows=625, features=20, classes=3, source='generated')
    """

    name: str
    rows: int | None
    features: int | None
    classes: int | None
    source: str


# To add a dataset: 1. write a function that makes it; 2. add its line here, sorted by name.
_PACKAGED: dict[str, tuple[Callable[[], BinaryData], Entry]] = {
    entry.name: (make, entry)
    for make, entry in (
        (balance_scale, Entry("balance-scale", 625, 20, 3, GENERATED)),
        (partial(load_binarized, "breast_cancer"), Entry("breast-cancer", 569, 120, 2, SHIPPED)),
        (partial(load_binarized, "digits"), Entry("digits", 1797, 166, 10, SHIPPED)),
        (partial(load_binarized, "iris"), Entry("iris", 150, 16, 3, SHIPPED)),
        (partial(monks, 1), Entry("monks-1", 432, 17, 2, GENERATED)),
        (partial(monks, 2), Entry("monks-2", 432, 17, 2, GENERATED)),
        (partial(monks, 3), Entry("monks-3", 432, 17, 2, GENERATED)),
        (multiplexer, Entry("multiplexer", 64, 6, 2, GENERATED)),
        (parity, Entry("parity", 32, 5, 2, GENERATED)),
        (tic_tac_toe, Entry("tic-tac-toe", 958, 27, 2, GENERATED)),
        (partial(load_binarized, "wine"), Entry("wine", 178, 52, 3, SHIPPED)),
    )
}


def catalogue() -> list[Entry]:
    """Return one entry per dataset, without loading any.

    Returns
    -------
    list of Entry
        The entries. Datasets that need no network come first.

    Examples
    --------
    >>> from beamtree.datasets import catalogue
    >>> sum(entry.source == "generated" for entry in catalogue())
    7
    """
    entries = [entry for _, entry in _PACKAGED.values()]
    for name, shape in SHAPES.items():
        rows, features = (None, None) if shape is None else shape[:2]
        entries.append(Entry(PREFIX + name, rows, features, 2, FETCHED))
    return entries


def names() -> list[str]:
    """Return the names of all datasets.

    Returns
    -------
    list of str
        The names that `load` accepts.

    Examples
    --------
    >>> from beamtree.datasets import names
    >>> names()[:4]
    ['balance-scale', 'breast-cancer', 'digits', 'iris']
    """
    return [entry.name for entry in catalogue()]


def load(name: str, *, data_home: str | os.PathLike[str] | None = None) -> BinaryData:
    """Return a dataset by its name.

    Parameters
    ----------
    name : str
        One of `names`.
    data_home : path or None, default=None
        The folder in which downloaded datasets are kept, as in `fetch_cp4im`.

    Returns
    -------
    BinaryData
        The dataset.

    Examples
    --------
    >>> from beamtree.datasets import load
    >>> load("monks-1").X.shape
    (432, 17)
    """
    if name in _PACKAGED:
        return _PACKAGED[name][0]()
    set_name = name.removeprefix(PREFIX)
    if name.startswith(PREFIX) and set_name in SHAPES:
        return fetch_cp4im(data_home, names=[set_name])[set_name]
    msg = f"name must be one of {', '.join(names())}, got {name!r}"
    raise ValueError(msg + did_you_mean(name, names()))
