"""The examples of hypothesis: always the same in `make test`, more and new ones in `make soak`."""

import os

from hypothesis import HealthCheck, settings

COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much],
}
settings.register_profile("test", max_examples=150, derandomize=True, database=None, **COMMON)
settings.register_profile("soak", max_examples=3000, **COMMON)
settings.load_profile("soak" if "BEAMTREE_SOAK" in os.environ else "test")
