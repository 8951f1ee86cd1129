"""The labels, colours and lines of the systems, for all tables and figures.

To add a system, add a line to `FAMILIES`, at its place in the tables. A system that is not listed
is shown under its own name, after the others.
"""

from __future__ import annotations

from typing import NamedTuple

SCHEDULES = ("exponential", "luby", "monotonic")
# The line of each schedule, as lengths in points like in "stroke-dasharray" of SVG.
DASHES = {"": "", "monotonic": "", "exponential": "6 2", "luby": "1.5 1.5"}
OURS = "beamtree"


class Family(NamedTuple):
    """A system, or several that differ only in their schedules."""

    approach: str
    colour: str
    dashes: str = ""
    peer: bool = False


# In the order of the paper's tables. The colours of the CA family are those of Okabe and Ito, which
# people with any kind of colour vision can distinguish, on a light and on a dark background.
FAMILIES = {
    "c45": Family("C4.5", "#17a2a8", "1.5 1.5"),
    "top-3": Family("Top-3", "#a6761d", "1.5 1.5"),
    "top-5": Family("Top-5", "#a6761d", "6 2"),
    "dl85": Family("DL8.5", "#8c8c8c"),
    "lds-dl85": Family("LDS-DL8.5", "#8c8c8c", "6 2"),
    "blossom": Family("Blossom", "#999933"),
    "lgdt": Family("LGDT", "#aa4466", "1.5 1.5"),
    "ca-purity": Family("CA-Purity", "#cc79a7"),
    "ca-gain": Family("CA-Gain", "#e69f00"),
    "ca-discrepancy": Family("CA-Discrepancy", "#0072b2"),
    "ca-top-k": Family("CA-Top-k", "#56b4e9"),
    "ca-top-k-star": Family("CA-Top-k*", "#009e73"),
    "beamtree": Family("beamtree", "#d55e00"),
    "pystreed": Family("pystreed", "#7d6bd0", "6 2", peer=True),
    "pytrees-rs": Family("pytrees-rs", "#7d6bd0", "1.5 1.5", peer=True),
    "pydl8.5": Family("pydl8.5", "#7d6bd0", peer=True),
}


class Style(NamedTuple):
    """The label and the line style of one system."""

    approach: str
    schedule: str
    colour: str
    dashes: str
    width: float

    @property
    def label(self) -> str:
        """Approach and schedule as one text."""
        return f"{self.approach} {self.schedule}".rstrip()


def style(system: str) -> Style:
    """Return the style of a system.

    Parameters
    ----------
    system : str
        Name of the system in the study.

    Returns
    -------
    Style
        The style; grey for a system that is not listed.

    Examples
    --------
    >>> from beamtree.study.report._styles import style
    >>> style("ca-top-k-star-luby").label, style("mine").label
    ('CA-Top-k* luby', 'mine')
    """
    name, schedule = split(system)
    family = FAMILIES.get(name, Family(system, "#8c8c8c", "8 2 1.5 2"))
    width = 2.6 if system == OURS else 1.4
    return Style(family.approach, schedule, family.colour, family.dashes or DASHES[schedule], width)


def split(system: str) -> tuple[str, str]:
    """Return the family of a system and its schedule, which is empty if it has none."""
    name, _, schedule = system.rpartition("-")
    return (name, schedule) if name in FAMILIES and schedule in SCHEDULES else (system, "")


def order(system: str) -> tuple[int, str, str]:
    """Return a key that sorts systems as the paper's tables do."""
    name, schedule = split(system)
    place = list(FAMILIES).index(name) if name in FAMILIES else len(FAMILIES)
    return place, name, schedule


def is_peer(system: str) -> bool:
    """Return whether a system is neither ours nor one of the paper."""
    return split(system)[0] not in FAMILIES or FAMILIES[split(system)[0]].peer
