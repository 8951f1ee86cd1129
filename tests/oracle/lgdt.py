"""LGDT (Kiossou 2024): a greedy tree by the errors of the best trees of two levels."""


def lgdt_errors(rows, labels, depth, min_samples_leaf=1):
    """Return the errors of the tree that LGDT grows; all rows have weight one.

    Each node takes the first split of its best tree of two levels, the first of equal ones by
    index. The last two levels take that whole tree. Subtrees that are no better than a leaf become
    leaves.
    """

    def leaf(members):
        classes = [labels[i] for i in members]
        return len(classes) - max(classes.count(k) for k in set(classes))

    def sides(members):
        """Yield the two sides of every feature that may split these rows."""
        for feature in range(len(rows[0])):
            zeros = [i for i in members if not rows[i][feature]]
            ones = [i for i in members if rows[i][feature]]
            if min(len(zeros), len(ones)) >= min_samples_leaf:
                yield zeros, ones

    def best(members, depth):
        errors = [leaf(members)]
        if depth > 0:
            errors += [
                best(zeros, depth - 1) + best(ones, depth - 1) for zeros, ones in sides(members)
            ]
        return min(errors)

    def grow(members, depth):
        if depth <= 2:
            return best(members, depth)
        splits = list(sides(members))
        if not splits:
            return leaf(members)
        zeros, ones = min(splits, key=lambda split: best(split[0], 1) + best(split[1], 1))
        return min(leaf(members), grow(zeros, depth - 1) + grow(ones, depth - 1))

    return grow(range(len(rows)), depth)
