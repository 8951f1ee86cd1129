"""Short benchmarks for asv, which compares commits of this project with each other."""
