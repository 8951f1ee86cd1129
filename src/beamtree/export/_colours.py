"""Colours of classes, of numbers and of nodes."""

from __future__ import annotations

from colorsys import hls_to_rgb

import numpy as np
from numpy.typing import NDArray

from beamtree.export._model import Model

# People with colour blindness can distinguish these colours; after Okabe and Ito (2008).
FEW = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#B2A800")
# How strong the colour of a node is if all classes are equally frequent, and if there is only one.
FAINT, FULL = 0.06, 0.6


def class_colours(n_classes: int) -> NDArray[np.float64]:
    """Return one colour per class.

    Parameters
    ----------
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of float64, shape (n_classes, 3)
        Red, green and blue, from 0 to 1.
    """
    if n_classes <= len(FEW):
        few = [[int(code[i : i + 2], 16) / 255 for i in (1, 3, 5)] for code in FEW[:n_classes]]
        return np.array(few)
    return np.array([hls_to_rgb(k / n_classes, 0.45, 0.65) for k in range(n_classes)])


def node_colours(model: Model) -> NDArray[np.float64]:
    """Return one colour per node: that of the predicted class, paler if the node is less pure.

    If the tree predicts numbers, all nodes have one colour, which is the stronger the larger the
    number is.

    Parameters
    ----------
    model : Model
        The tree.

    Returns
    -------
    ndarray of float64, shape (node_count, 3)
        Red, green and blue, from 0 to 1.
    """
    shares = model.tree.value[:, 0, :]
    if model.predicts_numbers:
        strength = FAINT + (FULL - FAINT) * heights(model)
        return 1.0 + strength[:, np.newaxis] * (class_colours(1) - 1.0)
    n_classes = shares.shape[1]
    own = shares[np.arange(len(shares)), model.tree.prediction]
    least = 1.0 / n_classes
    purity = np.clip((own - least) / max(1.0 - least, least), 0.0, 1.0) if n_classes > 1 else own
    strength = (FAINT + (FULL - FAINT) * purity)[:, np.newaxis]
    return 1.0 + strength * (class_colours(n_classes)[model.tree.prediction] - 1.0)


def heights(model: Model) -> NDArray[np.float64]:
    """Return where the number of each node is between the smallest and the largest one.

    Parameters
    ----------
    model : Model
        A tree that predicts numbers.

    Returns
    -------
    ndarray of float64, shape (node_count,)
        From 0 for the smallest number of a leaf to 1 for the largest.
    """
    mean = model.tree.value[:, 0, 0]
    low, high = float(mean.min()), float(mean.max())
    return (mean - low) / (high - low) if high > low else np.full(len(mean), 0.5)


def as_hex(colour: NDArray[np.float64]) -> str:
    """Return a colour as a hexadecimal code.

    Parameters
    ----------
    colour : ndarray of float64, shape (3,)
        Red, green and blue, from 0 to 1.

    Returns
    -------
    str
        For example ``#0072b2``.
    """
    return "#" + "".join(f"{round(part * 255):02x}" for part in colour.tolist())
