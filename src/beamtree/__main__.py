"""The command line: ``python -m beamtree``."""

import sys

if __name__ == "__main__":
    try:
        import cyclopts  # noqa: F401
    except ImportError:
        sys.exit("the command line needs cyclopts: pip install beamtree[cli]")
    except KeyboardInterrupt:
        sys.exit(130)
    from beamtree.cli import app

    sys.exit(app())
