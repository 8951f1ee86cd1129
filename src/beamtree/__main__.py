"""The command line: ``python -m beamtree``."""

import sys

from beamtree._entry import main

if __name__ == "__main__":
    sys.exit(main())
