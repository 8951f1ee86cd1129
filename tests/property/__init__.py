"""Property tests compare the engine with the oracle, and its settings with each other."""
