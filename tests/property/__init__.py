"""Property tests: the engine against the oracle, and against itself."""
