"""What every classifier of the package has: predictions, callbacks and displays."""
