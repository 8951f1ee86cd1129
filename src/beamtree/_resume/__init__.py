"""Starting a search from existing knowledge: a tree, an earlier fit or a checkpoint."""
