"""Write the report of a campaign: the tables and figures of the paper, made from the runs."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from beamtree._util.optional import import_optional
from beamtree.study.report._curves import error_curves, solved_curves, styles
from beamtree.study.report._doubts import contradictions, unfinished
from beamtree.study.report._figures import (
    error_figure,
    ranks_figure,
    settings,
    solved_figure,
    write,
)
from beamtree.study.report._files import ReportFiles
from beamtree.study.report._markdown import markdown
from beamtree.study.report._origin import commands, origin
from beamtree.study.report._page import page
from beamtree.study.report._ranks import average_ranks, scores
from beamtree.study.report._styles import OURS
from beamtree.study.report._summary import Group, Summary
from beamtree.study.report._table import Table, to_csv
from beamtree.study.report._tables import (
    best_table,
    integral_tables,
    missing_words,
    ranks_table,
    ratio_table,
    runs_table,
    solved_table,
    wins_table,
)
from beamtree.study.store import read_runs

__all__ = ["report"]

LEAD = "How soon each system finds a good tree, and how soon it proves that no tree is better."


def report(folder: str | PathLike[str], *, out: str | PathLike[str] | None = None) -> Path:
    """Write the report of a campaign.

    If the folder has an earlier report, it is replaced. Files of that report that are not part of
    the new one are removed, unless they were changed; the list of its files is in ``files.json``.

    Parameters
    ----------
    folder : path
        The folder of the campaign, with its ``runs.jsonl``.
    out : path, optional
        The folder to write to, which is made if it does not exist; by default the folder ``report``
        in the folder of the campaign.

    Returns
    -------
    Path
        The page, ``index.html``. In the same folder are ``report.md``, a CSV file of every table,
        and a PNG and an SVG file of every figure.

    Examples
    --------
    >>> import tempfile
    >>> from beamtree.study import Run, report
    >>> from beamtree.study.store import Store
    >>> runs = [
    ...     Run("anneal", 3, name, 10.0, 0, 812, 93, 2, "0" * 64, status, objective, seconds=1.0)
    ...     for name, status, objective in (("c45", "finished", 121.0), ("dl85", "optimal", 112.0))
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = [Store(folder).append(run) for run in runs]
    ...     page = report(folder)
    ...     sorted(path.name for path in page.parent.glob("*.csv"))[:3]
    ['best.csv', 'integral-depth-3-10s-all.csv', 'integral-depth-3-10s-hard.csv']
    """
    for package in ("jinja2", "matplotlib"):
        import_optional(package, "report", "study")
    runs = read_runs(folder)
    if not runs:
        msg = f"folder must hold at least one finished run, got {str(folder)!r}"
        raise ValueError(msg)
    target = Path(folder, "report") if out is None else Path(out)
    files = ReportFiles(target)
    content = _content(Summary(runs), files)
    for table in _tables(content):
        files.write(f"{table.name}.csv", to_csv(table).encode())
    files.write("report.md", markdown(content).encode())
    files.write("index.html", page(content).encode())
    files.finish()
    return target / "index.html"


def _content(summary: Summary, files: ReportFiles) -> dict[str, Any]:
    """Return everything that the page and the Markdown file show, and write the figures."""
    datasets = {run.dataset for run in summary.runs}
    budgets = sorted({group.budget for group in summary.groups})
    with settings() as figure:
        groups = [_group(group, figure, files) for group in summary.groups]
        comparisons = [_comparison(summary, budget, figure, files) for budget in budgets]
    return {
        "title": "Anytime decision trees, compared",
        "lead": LEAD,
        "ours": OURS,
        "facts": [
            ("systems", len(summary.systems)),
            ("datasets", len(datasets)),
            (
                "depths",
                ", ".join(str(depth) for depth in sorted({g.depth for g in summary.groups})),
            ),
            ("seconds per run", ", ".join(f"{budget:g}" for budget in budgets)),
            ("runs", len(summary.runs)),
        ],
        "contradictions": contradictions(summary),
        "unfinished": unfinished(summary),
        "ratio": ratio_table(summary.groups),
        "groups": groups,
        "solved": solved_table(summary.groups),
        "comparisons": comparisons,
        "best": best_table(summary),
        "runs": runs_table(summary),
        "origin": origin(summary),
        "commands": commands(summary),
        "data": {
            "ours": OURS,
            "styles": styles(summary),
            "charts": {
                name: curves
                for group in summary.groups
                for name, curves in (
                    (f"solved-{group.name}", solved_curves(group)),
                    (f"error-{group.name}", error_curves(group)),
                )
            },
        },
    }


def _group(group: Group, figure: Any, files: ReportFiles) -> dict[str, Any]:
    solved, error = f"solved-{group.name}", f"error-{group.name}"
    return {
        "name": group.name,
        "depth": group.depth,
        "budget": f"{group.budget:g} s",
        "tables": integral_tables(group),
        "solved": {
            "name": solved,
            "title": f"Solved problems over time, {group.title}",
            "caption": f"Number of datasets, of {len(group.datasets)}, whose optimum is proved. "
            + missing_words(group, group.datasets),
            "panels": [],
            "svg": write(solved_figure(figure, group), files, solved),
        },
        "error": {
            "name": error,
            "title": f"Objective over time, {group.title}",
            "caption": f"Dotted: the best known objective. Dashed: the lower bound of {OURS}.",
            "panels": group.datasets,
            "svg": write(error_figure(figure, group), files, error),
        },
    }


def _comparison(summary: Summary, budget: float, figure: Any, files: ReportFiles) -> dict[str, Any]:
    groups = [group for group in summary.groups if group.budget == budget]
    ranks = average_ranks(groups)
    name = f"ranks-{budget:g}s"
    found: dict[str, Any] = {"wins": wins_table(budget, scores(groups)), "ranks": None}
    if ranks is not None:
        title = f"Average ranks over {ranks.problems} problems, {budget:g} s"
        drawn = write(ranks_figure(figure, ranks, title), files, name)
        found |= {"ranks": ranks_table(budget, ranks), "svg": drawn, "figure": name}
    return found


def _tables(content: dict[str, Any]) -> list[Table]:
    return [
        *(content[name] for name in ("ratio", "solved", "best", "runs")),
        *(table for group in content["groups"] for table in group["tables"]),
        *(comparison["wins"] for comparison in content["comparisons"]),
        *(one["ranks"] for one in content["comparisons"] if one["ranks"]),
    ]
