"""An HTML page about a model, which needs no other file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from beamtree._util.atomic_files import check_folder, write_whole
from beamtree._util.optional import import_optional
from beamtree.cli._model import numbers_of
from beamtree.cli._picture import picture

# Largest number of improvements that are listed; if there are more, the last ones are.
MOST = 100


def check_page(path: Path) -> None:
    """Raise an error if a page cannot be written to a path."""
    check_folder("--report", path)
    import_optional("jinja2", "--report", "study")
    import_optional("matplotlib", "--report", "study")


def write_page(model: Any, path: Path, title: str) -> None:
    """Write a page about a model.

    Parameters
    ----------
    model : OptimalTreeClassifier
        The model.
    path : Path
        The file.
    title : str
        The title of the page.
    """
    jinja2 = import_optional("jinja2", "--report", "study")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    source = files("beamtree.cli").joinpath("page.html").read_text(encoding="utf-8")
    page = environment.from_string(source).render(
        title=title,
        numbers=numbers_of(model),
        tree=jinja2.utils.markupsafe.Markup(_svg(model.plot(), "tree")),
        course=jinja2.utils.markupsafe.Markup(_svg(_course(model), "course")),
        trace=[dict(zip(model.trace_.dtype.names, row, strict=True)) for row in _last(model)],
        left_out=max(0, len(model.trace_) - MOST),
        rules=model.leaf_rules(),
        seconds=model.trace_["seconds"][-1],
    )
    write_whole(path, page.encode())


def _last(model: Any) -> list[Any]:
    rows: list[Any] = model.trace_[-MOST:].tolist()
    return rows


def _course(model: Any) -> Any:
    from beamtree.display import AnytimeDisplay

    return AnytimeDisplay.from_estimator(model).ax_


def _svg(axes: Any, salt: str) -> str:
    """Return a drawing as an SVG element, whose identifiers no other drawing on the page has."""
    from matplotlib import rc_context

    with rc_context({"svg.hashsalt": salt}):
        text = picture(axes, "svg").decode()
    return text[text.index("<svg") :]
