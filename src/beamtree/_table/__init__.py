"""Any table goes in, and the split tests of its columns come out."""
