"""The report as Markdown, with the figures beside it."""

from __future__ import annotations

from typing import Any

from beamtree.study.report._table import escape, to_markdown


def markdown(content: dict[str, Any]) -> str:
    """Return the report.

    Parameters
    ----------
    content : dict
        As for the page.

    Returns
    -------
    str
        Markdown that names the figures' files.
    """
    parts = [f"# {escape(content['title'])}", escape(content["lead"])]
    parts.append("; ".join(f"{name}: {value}" for name, value in content["facts"]))
    if content["contradictions"]:
        parts += ["## ⚠ Contradictions", _list(content["contradictions"])]
    if content["ratio"].rows:
        parts.append(to_markdown(content["ratio"]))
    for group in content["groups"]:
        parts.append(f"## Depth {group['depth']}, {group['budget']} a run")
        parts += map(to_markdown, group["tables"])
        parts += [_picture(group["solved"]), _picture(group["error"])]
    parts += ["## All depths together", to_markdown(content["solved"])]
    for comparison in content["comparisons"]:
        if comparison["ranks"]:
            parts.append(to_markdown(comparison["ranks"]))
            parts.append(f"![Critical differences]({comparison['figure']}.svg)")
        parts.append(to_markdown(comparison["wins"]))
    parts += ["## The best trees", to_markdown(content["best"])]
    if content["unfinished"]:
        parts += ["## Runs that did not end by themselves", _list(content["unfinished"])]
    parts.append("## How it was made")
    parts += [f"{name}: {escape('; '.join(values))}" for name, values in content["origin"]]
    parts.append("\n".join(f"    {line}" for line in content["commands"]))
    parts.append("Every run is in `runs.csv`.")
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {escape(line)}" for line in lines)


def _picture(figure: dict[str, Any]) -> str:
    return f"![{escape(figure['title'])}]({figure['name']}.svg)"
