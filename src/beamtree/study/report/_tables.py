"""Make the tables of the report."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from beamtree.metrics import gap_integral
from beamtree.study.report._ranks import FEW, Ranks, Score
from beamtree.study.report._styles import OURS, is_peer, order, style
from beamtree.study.report._summary import Group, Summary, curve, final
from beamtree.study.report._table import Cell, Table, number, text
from beamtree.study.store import Run

SHOWN = "{:.2f}"
RATIO = ("depth", "budget", "datasets", "which", OURS, "others", "best", "its integral", "ratio")
RUN = (
    "dataset",
    "depth",
    "system",
    "budget",
    "seed",
    "status",
    "objective",
    "lower bound",
    "seconds",
    "CPU seconds",
    "memory MB",
    "improvements",
    "primal integral",
    "gap integral",
)


def integral_tables(group: Group) -> list[Table]:
    """Return the two tables of a group: with the datasets that the paper keeps, and with all."""
    hard = [dataset for dataset in group.datasets if dataset not in group.quick]
    return [
        _integrals(group, hard, "hard", _left_out(group)),
        _integrals(group, group.datasets, "all", "All datasets."),
    ]


def _left_out(group: Group) -> str:
    quick = sorted(group.quick & set(group.datasets))
    if quick:
        words = (
            "As in the paper, without the datasets that dl85 proves in less than a second: "
            f"{', '.join(quick)}."
        )
    else:
        words = "As in the paper; dl85 proves none of the datasets in less than a second."
    unknown = [name for name in group.datasets if ("dl85", name) not in group.runs]
    if unknown:
        words += f" These datasets have no run of dl85 and are kept: {', '.join(unknown)}."
    return words


def _integrals(group: Group, datasets: Sequence[str], which: str, words: str) -> Table:
    """Return 100 times the mean of P(T) / T over the datasets on which all systems have a run."""
    common = group.complete(datasets)
    # If there is no such dataset, each system is averaged over its own, and the table says so.
    used = common or datasets
    means = {
        system: group.mean(system, used)
        for system in group.systems
        if any((system, dataset) in group.runs for dataset in used)
    }
    lowest = np.min(list(means.values()), axis=0) if means else [inf] * len(group.times)
    rows = []
    for system in group.systems if used else ():
        values = means.get(system, [None] * len(group.times))
        cells = [
            number(
                value, SHOWN, best=value is not None and SHOWN.format(value) == SHOWN.format(low)
            )
            for value, low in zip(values, lowest, strict=True)
        ]
        rows.append((*_names(group, system, used, marked=not common), *cells))
    heads = ("approach", "schedule", *(f"{time:g} s" for time in group.times))
    title = f"Primal integral, {group.title}, {which} datasets"
    caption = _integral_caption(group, datasets, common, words)
    return Table(f"integral-{group.name}-{which}", title, caption, heads, tuple(rows))


def _names(group: Group, system: str, used: Sequence[str], *, marked: bool) -> tuple[Cell, Cell]:
    shown = style(system)
    approach = shown.approach
    if marked and used:
        own = sum((system, dataset) in group.runs for dataset in used)
        approach += f" ({own} of {len(used)} datasets)"
    return text(approach), text(shown.schedule)


def _integral_caption(
    group: Group, datasets: Sequence[str], common: Sequence[str], which: str
) -> str:
    if not datasets:
        return f"No dataset is left. {which}"
    words = f"100 times the mean of P(T)/T over {_count(len(common or datasets), 'dataset')} "
    words += f"of {len(group.datasets)}; less is better. {which}"
    holes = missing_words(group, datasets)
    if not holes:
        return words
    if common:
        return f"{words} {holes} Only the datasets on which all systems have a run are counted."
    return (
        f"{words} {holes} No dataset has runs of all systems: each mean is over the datasets of "
        "its system."
    )


def missing_words(group: Group, datasets: Sequence[str]) -> str:
    """Return a sentence that lists the missing runs; an empty text if there are none."""
    missing = group.missing(datasets)
    holes = "; ".join(f"{system}: {', '.join(names)}" for system, names in missing.items())
    return f"Runs are missing ({holes})." if holes else ""


def ratio_table(groups: Sequence[Group]) -> Table:
    """Return a table that compares beamtree's primal integral with the best other system's."""
    rows = []
    for group in groups:
        hard = [dataset for dataset in group.datasets if dataset not in group.quick]
        peers = any(is_peer(system) for system in group.systems)
        for datasets, which in ((hard, "hard"), (group.datasets, "all")):
            rows += _ratios(group, group.complete(datasets), which, peers=peers)
    caption = (
        "Primal integrals at the end of the budget, over the datasets on which all systems have a "
        "run. Hard datasets are those that dl85 does not prove in less than a second, as in the "
        "paper's tables."
    )
    return Table("ratio", f"{OURS} and the best other system", caption, RATIO, tuple(rows))


def _ratios(
    group: Group, datasets: Sequence[str], which: str, *, peers: bool
) -> list[tuple[Cell, ...]]:
    others = [system for system in group.systems if system != OURS]
    kinds = {"of the paper": [system for system in others if not is_peer(system)]}
    if peers:
        kinds["all"] = others
    if OURS not in group.systems or not datasets:
        return []
    ours = float(group.mean(OURS, datasets)[-1])
    rows: list[tuple[Cell, ...]] = []
    for kind, systems in kinds.items():
        if not systems:
            continue
        best = min(systems, key=lambda name: float(group.mean(name, datasets)[-1]))
        theirs = float(group.mean(best, datasets)[-1])
        ratio = ours / theirs if theirs else None
        rows.append(
            (
                number(group.depth),
                number(group.budget, "{:g} s"),
                number(len(datasets)),
                text(which),
                number(ours, SHOWN),
                text(kind),
                text(style(best).label),
                number(theirs, SHOWN),
                number(ratio, "{:.3f}", best=True),
            )
        )
    return rows


def solved_table(groups: Sequence[Group]) -> Table:
    """Return a table with the numbers of problems that each system proved: all, and hard ones."""
    systems = sorted({system for group in groups for system in group.systems}, key=order)
    columns = []
    for group in groups:
        hard = frozenset(group.datasets) - group.quick
        columns.append((f"{group.title}: of {len(group.datasets)}", _solved(group, None)))
        if 0 < len(hard) < len(group.datasets):
            columns.append((f"{group.title}: of {len(hard)} hard", _solved(group, hard)))
    rows = []
    for system in systems:
        cells = []
        for _, counts in columns:
            value = counts.get(system)
            cells.append(number(value, best=value == max(counts.values())))
        rows.append((text(style(system).approach), text(style(system).schedule), *cells))
    heads = ("approach", "schedule", *(head for head, _ in columns))
    caption = (
        "Number of datasets whose optimum is found and proved within the budget. Hard datasets are "
        "those that dl85 does not prove in less than a second."
    )
    for group in groups:
        holes = missing_words(group, group.datasets)
        caption += f" At {group.title}: {holes}" if holes else ""
    return Table("solved", "Solved problems", caption, heads, tuple(rows))


def _solved(group: Group, datasets: frozenset[str] | None) -> dict[str, float]:
    return {
        system: (group.proofs(system, datasets) or [(0.0, 0.0)])[-1][1] for system in group.systems
    }


def wins_table(budget: float, scores: dict[tuple[str, str], Score]) -> Table:
    """Return a table with the numbers of wins, draws and losses for all pairs of systems."""
    systems = list(dict.fromkeys(system for system, _ in scores))
    rows = []
    for one in systems:
        cells = [Cell("", "") if one == other else _score(scores[one, other]) for other in systems]
        rows.append((text(style(one).label), *cells))
    caption = (
        "Number of problems on which the system of the row has a smaller / equal / larger primal "
        "integral than the system of the column, among the problems on which both have a run."
    )
    heads = ("system", *(style(system).label for system in systems))
    return Table(f"wins-{budget:g}s", f"Wins and losses, {budget:g} s", caption, heads, tuple(rows))


def _score(score: Score) -> Cell:
    shown = f"{score.better}/{score.equal}/{score.worse}"
    return Cell(shown, shown, best=score.better > score.worse)


def ranks_table(budget: float, ranks: Ranks) -> Table:
    """Return a table with the average ranks."""
    rows = tuple(
        (text(style(system).label), number(rank, SHOWN, best=rank == ranks.ranks[0]))
        for system, rank in zip(ranks.systems, ranks.ranks, strict=True)
    )
    title = f"Average ranks, {budget:g} s"
    return Table(f"ranks-{budget:g}s", title, ranks_caption(ranks), ("system", "rank"), rows)


def ranks_caption(ranks: Ranks) -> str:
    """Return a text that explains the ranks and their significance."""
    words = (
        f"Ranks by the primal integral over {_count(ranks.problems, 'problem')} on which all "
        f"systems have a run (Friedman's test: p = {ranks.p_value:.2g}). Systems differ at the "
        f"level 0.05 if their ranks are more than {ranks.distance:.2f} apart (Nemenyi)."
    )
    if ranks.problems < FEW:
        words += f" Fewer than {FEW} problems are too few for conclusions."
    return words


def best_table(summary: Summary) -> Table:
    """Return a table with the best known objective of each problem."""
    rows = []
    for (dataset, depth), best in sorted(summary.best.items()):
        proven = "proved" if summary.proven((dataset, depth)) else "best known"
        runs = [run for run in summary.runs if (run.dataset, run.depth) == (dataset, depth)]
        sizes = (number(runs[0].rows), number(runs[0].features), number(runs[0].classes))
        rows.append((text(dataset), *sizes, number(depth), number(best), text(proven)))
    heads = ("dataset", "rows", "features", "classes", "depth", "objective", "status")
    caption = "Over all systems and budgets."
    return Table("best", "The best trees", caption, heads, tuple(rows))


def runs_table(summary: Summary) -> Table:
    """Return a table with one row per run."""
    integrals = {group.name: group for group in summary.groups}
    rows = []
    for run in summary.runs:
        group = integrals[f"depth-{run.depth}-{run.budget:g}s"]
        rows.append(_run(run, group))
    caption = "Integrals are divided by the budget: 0 is the best value, 1 the worst."
    return Table("runs", "All runs", caption, RUN, tuple(rows))


def _run(run: Run, group: Group) -> tuple[Cell, ...]:
    rows = [(seconds, value, min(bound, value)) for seconds, value, bound in curve(run)]
    gap = gap_integral(rows, run.budget) / run.budget
    return (
        text(run.dataset),
        number(run.depth),
        text(run.system),
        number(run.budget),
        number(run.seed),
        text(run.status),
        number(final(run)),
        number(run.lower_bound),
        number(run.seconds, "{:.3f}"),
        number(run.cpu_seconds, "{:.3f}"),
        number(None if run.memory is None else run.memory / 1e6, "{:.1f}"),
        number(len(run.trace)),
        number(float(group.shares(run)[-1]), "{:.4f}"),
        number(gap, "{:.4f}"),
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
