"""The start of the command line, which works even if its optional packages are missing."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line.

    Returns
    -------
    int
        The exit status.
    """
    try:
        from beamtree.cli import main as run
    except ImportError as error:
        if error.name is not None and error.name.startswith("beamtree"):
            raise
        print(
            f"beamtree: the command line needs {error.name}: pip install beamtree[cli]",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        return 130
    return run()
