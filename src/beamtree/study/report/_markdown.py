"""The report as Markdown, which refers to the files of the figures."""

from __future__ import annotations

from typing import Any

from beamtree.study.report._table import escape, to_markdown


def markdown(content: dict[str, Any]) -> str:
    """Return the report as Markdown.

    Parameters
    ----------
    content : dict
        The same content as for the page.

    Returns
    -------
    str
        Markdown that refers to the files of the figures.
    """
    parts = [f"# {escape(content['title'])}", escape(content["lead"])]
    parts.append("; ".join(f"{name}: {value}" for name, value in content["facts"]))
    if content["contradictions"]:
        parts += ["## ⚠ Contradictions", _list(content["contradictions"])]
    if content["ratio"].rows:
        parts.append(to_markdown(content["ratio"]))
    for group in content["groups"]:
        parts.append(f"## Depth {group['depth']}, {group['budget']} per run")
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
        parts += ["## Runs that failed or were killed", _list(content["unfinished"])]
    parts.append("## How these results were made")
    parts += [f"{name}: {escape('; '.join(values))}" for name, values in content["origin"]]
    parts.append("\n".join(f"    {line}" for line in content["commands"]))
    parts.append("All runs are in `runs.csv`.")
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _list(lines: list[str]) -> str:
    return "\n".join(f"- {escape(line)}" for line in lines)


def _picture(figure: dict[str, Any]) -> str:
    return f"![{escape(figure['title'])}]({figure['name']}.svg)"
