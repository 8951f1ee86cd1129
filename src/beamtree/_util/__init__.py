"""Small tools that know nothing of trees: validation, atomic files, optional imports."""
