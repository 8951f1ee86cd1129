"""One fixed hypothesis profile, and the repository's root on the path."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

# The same examples on every machine and in every run; to look for new ones,
# HYPOTHESIS_PROFILE=explore pytest tests/property
COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much],
}
settings.register_profile("beamtree", derandomize=True, database=None, **COMMON)
settings.register_profile("explore", max_examples=2000, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "beamtree"))
