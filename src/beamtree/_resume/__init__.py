"""How a search starts from what is there: an initial tree, an earlier fit or a checkpoint."""
