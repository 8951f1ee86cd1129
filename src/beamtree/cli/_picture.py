"""Pictures of trees in files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from beamtree._util.atomic_files import check_folder, write_whole
from beamtree._util.optional import import_optional

FORMATS = (".pdf", ".png", ".svg")


def check_picture(name: str, path: Path) -> None:
    """Raise an error if a picture cannot be written to a path.

    Parameters
    ----------
    name : str
        Name of the option.
    path : Path
        The file.
    """
    if path.suffix.lower() not in FORMATS:
        msg = f"{name} must end with one of {', '.join(FORMATS)}, got {str(path)!r}"
        raise ValueError(msg)
    check_folder(name, path)
    import_optional("matplotlib", name, "plot")


def picture(axes: Any, kind: str) -> bytes:
    """Return a drawing as the contents of a file, and close its figure.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes with the drawing.
    kind : str
        The format: ``"pdf"``, ``"png"`` or ``"svg"``.

    Returns
    -------
    bytes
        The contents of the file.
    """
    from matplotlib import pyplot as plt

    file = io.BytesIO()
    dated = {"svg": "Date", "pdf": "CreationDate"}
    metadata = {dated[kind]: None} if kind in dated else None
    axes.figure.savefig(file, format=kind, bbox_inches="tight", dpi=150, metadata=metadata)
    plt.close(axes.figure)
    return file.getvalue()


def write_picture(model: Any, path: Path) -> None:
    """Draw the tree of a model into a file.

    Parameters
    ----------
    model : OptimalTreeClassifier
        The model.
    path : Path
        The file; the ending of its name is the format.
    """
    write_whole(path, picture(model.plot(), path.suffix.lower()[1:]))
