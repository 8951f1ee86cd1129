"""Arrays go in, and improvements and one result come out: the way to the native search."""
