"""One fixed profile of hypothesis."""

import os

from hypothesis import HealthCheck, settings

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
