"""The problems of the measurements that run until the proof: data, depth and search options.

To add a problem, name it in `GENERATED`, or in `NAMED` if it is a file. It should take one thread 2
to 20 s.
"""

import sys
from dataclasses import dataclass, field

import _data

NAMED = [("australian-credit", 6), ("kr-vs-kp", 7), ("kr-vs-kp", 8), ("hypothyroid", 7)]
"""Names of files in the folder, and depths."""
GENERATED = [
    (lambda: _data.correlated(4000, 40), 6),
    (lambda: _data.correlated(2000, 100), 5),
    (lambda: _data.sequences(1000, 120), 5),
]


@dataclass(frozen=True)
class Problem:
    """Data, a depth, and further options of the search."""

    data: _data.Data
    depth: int
    options: dict = field(default_factory=dict)

    @property
    def name(self):
        return f"{self.data.name}, depth {self.depth}"

    @property
    def settings(self):
        """All settings of the search."""
        return {"max_depth": self.depth} | self.options


def add_argument(parser):
    """Add the option that chooses the problems."""
    parser.add_argument(
        "--problems", nargs="+", metavar="NAME:DEPTH", help="only these files of the folder"
    )


def proofs(options):
    """Return the problems that ``--problems`` names, or by default those above that are available.

    With ``--quick`` return one of each kind.
    """
    found = {data.name: data for data in _data.from_folder(options.data)} if options.data else {}
    if options.problems:
        asked = [text.rpartition(":") for text in options.problems]
        missing = [name for name, _, _ in asked if name not in found]
        if missing:
            sys.exit(f"no {missing} among {sorted(found)}; --data names the folder")
        return [Problem(found[name], int(depth)) for name, _, depth in asked]
    named = [Problem(found[name], depth) for name, depth in NAMED if name in found]
    most = 1 if options.quick else None
    return named[:most] + [Problem(make(), depth) for make, depth in GENERATED[:most]]
