"""Draw the figures of the report with matplotlib: PNG and SVG files, and SVG for the page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil, inf
from typing import Any

import numpy as np

from beamtree._util.optional import import_optional
from beamtree.study.report._files import ReportFiles
from beamtree.study.report._ranks import Ranks
from beamtree.study.report._styles import OURS, style
from beamtree.study.report._summary import Group, curve

COLUMNS = 4
INK, FAINT = "#1b1e23", "#c9cdd4"
SETTINGS: Any = {
    "axes.edgecolor": FAINT,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "font.size": 9,
    "grid.color": FAINT,
    "grid.linewidth": 0.4,
    "svg.fonttype": "none",
    "svg.hashsalt": "beamtree",  # equal numbers give equal files
    "text.color": INK,
    "text.parse_math": False,  # dollar signs in names of datasets are not formulas
    "xtick.color": INK,
    "ytick.color": INK,
}


@contextmanager
def settings() -> Iterator[Any]:
    """Yield matplotlib's Figure class, with our settings and independent of any window."""
    import_optional("matplotlib", "report", "study")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(SETTINGS):
        yield Figure


def write(figure: Any, files: ReportFiles, name: str) -> str:
    """Write a figure as PNG and SVG.

    Parameters
    ----------
    figure : Figure
        The figure.
    files : ReportFiles
        The files of the report.
    name : str
        Name of the files, without an ending.

    Returns
    -------
    str
        SVG to embed in the page: without ids that occur in other figures too, and with text in the
        colour of the page.
    """
    if figure.get_layout_engine() is not None:  # compute the layout once for both files
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=144)
    files.write(f"{name}.png", picture.getvalue())
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    drawn = out.getvalue()
    files.write(f"{name}.svg", drawn.encode())
    drawn = drawn[drawn.index("<svg") :].replace(INK, "currentColor")
    drawn = re.sub(r' id="[A-Za-z0-9]+(_\d+)+"', "", drawn)
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
    # Make the white background transparent, so that the background of the page is visible.
    return re.sub(r"fill: #ffffff", "fill: none", drawn)


def _line(system: str) -> dict[str, Any]:
    shown = style(system)
    dashes = tuple(float(length) for length in shown.dashes.split())
    return {
        "color": shown.colour,
        "linewidth": shown.width,
        "linestyle": (0, dashes) if dashes else "-",
        "label": shown.label,
        "zorder": 3 if system == OURS else 2,
    }


def _time_axis(axes: Any, start: float, end: float) -> None:
    from matplotlib.ticker import LogLocator, NullLocator

    axes.set_xscale("log")
    axes.set_xlim(start, end)
    axes.xaxis.set_major_locator(LogLocator())
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(NullLocator())


def solved_figure(figure_class: Callable[..., Any], group: Group) -> Any:
    """Draw the number of datasets that each system has proved, over time."""
    figure = figure_class(figsize=(9.0, 4.8), layout="constrained")
    axes = figure.subplots()
    proofs = {system: group.proofs(system) for system in group.systems}
    start = group.start(rows[0][0] for rows in proofs.values() if rows)
    for system, rows in sorted(proofs.items(), key=lambda item: -_last(item[1])):
        points = [(start, 0.0), *rows, (group.budget, _last(rows))]
        line = _line(system)
        line["label"] += f"  {_last(rows):g}"
        axes.step(*zip(*points, strict=True), where="post", **line)
    _time_axis(axes, start, group.budget)
    axes.set_ylim(0.0, len(group.datasets) + 0.5)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.set(xlabel="seconds", ylabel=f"proved, of {len(group.datasets)}")
    axes.set_title(f"Solved problems over time, {group.title}", loc="left")
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    return figure


def _last(rows: list[tuple[float, float]]) -> float:
    return rows[-1][1] if rows else 0.0


def error_figure(figure_class: Callable[..., Any], group: Group) -> Any:
    """Draw the objective over time, with one panel per dataset."""
    count = len(group.datasets)
    columns = min(COLUMNS, count)
    rows = ceil(count / columns)
    names = 0.18 * (len(group.systems) + 2)
    width, height = 2.7 * columns + 2.4, max(2.0 * rows + 0.8, names + 0.4)
    figure = figure_class(figsize=(width, height))
    edges = {"left": 0.5 / width, "right": 1.0 - 2.2 / width, "bottom": 0.5 / height}
    grid = figure.subplots(
        rows,
        columns,
        squeeze=False,
        gridspec_kw=edges | {"top": 1.0 - 0.6 / height, "wspace": 0.25, "hspace": 0.35},
    )
    start = group.start(group.first_trees())
    for axes in grid.flat[count:]:
        axes.set_axis_off()
    for axes, dataset in zip(grid.flat, group.datasets, strict=False):
        _panel(axes, group, dataset, start)
    lines = {text: line for axes in grid.flat for line, text in _legend(axes)}
    figure.legend(list(lines.values()), list(lines), loc="upper right", frameon=False, fontsize=8)
    figure.suptitle(f"Objective over time, {group.title}", x=0.3 / width, ha="left", fontsize=11)
    figure.supxlabel("seconds", fontsize=9, y=0.1 / height)
    return figure


def _legend(axes: Any) -> Iterator[tuple[Any, str]]:
    return zip(*axes.get_legend_handles_labels(), strict=True)


def _panel(axes: Any, group: Group, dataset: str, start: float) -> None:
    """Draw one dataset: all systems, the best known objective, and beamtree's lower bound."""
    heights = []
    for system in group.systems:
        rows = curve(group.runs[system, dataset][0]) if (system, dataset) in group.runs else []
        if not rows:
            continue
        seconds, values, bounds = map(list, zip(*rows, strict=True))
        seconds = [max(second, start) for second in seconds] + [group.budget]
        axes.step(seconds, [*values, values[-1]], where="post", **_line(system))
        heights.append((values[0], values[-1]))
        if system == OURS:
            line = _line(system) | {"linestyle": "--", "linewidth": 1.2, "label": "lower bound"}
            axes.step(seconds, [*bounds, bounds[-1]], where="post", **line)
    best = group.best[dataset]
    if best < inf:
        axes.axhline(best, color=INK, linewidth=0.7, linestyle=":", label="best known")
    _time_axis(axes, start, group.budget)
    if heights:
        # Some first trees are so bad that they would hide the rest: show three quarters of them.
        top = float(np.quantile([first for first, _ in heights], 0.75))
        top = max(top, *(last for _, last in heights))
        axes.set_ylim(0.0, max(1.05 * top, 1.0))
    axes.set_title(dataset, loc="left", fontsize=9)


def ranks_figure(figure_class: Callable[..., Any], ranks: Ranks, title: str) -> Any:
    """Draw a critical-difference diagram."""
    half = (len(ranks.systems) + 1) // 2
    height = 1.9 + 0.24 * half + 0.1 * len(ranks.cliques)
    figure = figure_class(figsize=(9.0, height), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    low, high = 1.0, float(len(ranks.systems))
    gap = 0.01 * (high - low)
    below = 0.7 + 0.4 * len(ranks.cliques)
    axes.set_xlim(low - 0.35 * (high - low) - 0.2, high + 0.35 * (high - low) + 0.2)
    axes.set_ylim(-(below + half) - 0.3, 2.6)
    axes.plot([low, high], [0, 0], color=INK, linewidth=1.0)
    for tick in range(1, len(ranks.systems) + 1):
        axes.plot([tick, tick], [0, 0.2], color=INK, linewidth=0.8)
        axes.text(tick, 0.35, str(tick), ha="center", va="bottom", fontsize=8)
    length = min(ranks.distance, high - low)
    axes.plot([low, low + length], [1.9, 1.9], color=INK, linewidth=1.6, solid_capstyle="butt")
    axes.text(low, 2.1, f"critical difference {ranks.distance:.2f}", va="bottom", fontsize=8)
    for place, (system, rank) in enumerate(zip(ranks.systems, ranks.ranks, strict=True)):
        left = place < half
        level = -(below + (place if left else len(ranks.systems) - 1 - place)) - 0.5
        edge = low - 0.03 * (high - low) if left else high + 0.03 * (high - low)
        axes.plot([rank, rank, edge], [0, level, level], color=style(system).colour, linewidth=1.1)
        words = f"{style(system).label}  {rank:.2f}"
        place_of = {"ha": "right", "x": edge - gap} if left else {"ha": "left", "x": edge + gap}
        axes.text(y=level, s=words, va="center", fontsize=8, **place_of)
    for place, (first, last) in enumerate(ranks.cliques):
        level = -0.4 - 0.4 * place
        span = [ranks.ranks[first] - 0.06, ranks.ranks[last] + 0.06]
        axes.plot(span, [level, level], color=INK, linewidth=3.0, solid_capstyle="butt")
    axes.set_title(title, loc="left")
    return figure
