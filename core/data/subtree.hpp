// Taking a subtree out of a tree, and putting another one in its place.
#pragma once

#include "data/tree.hpp"

namespace beamtree {

/// Appends a copy of the subtree of `tree` at node `from` to `copy`, with the tree `by` in place of
/// the subtree at node `at`. Returns the new number of node `from`.
inline int copy_subtree(const Tree& tree, int from, int at, const Tree& by, Tree& copy) {
    if (from == at) return copy_subtree(by, 0, Tree::kNone, by, copy);
    const int to = copy.add_leaf();
    if (tree.feature[from] == Tree::kNone) return to;
    copy.feature[to] = tree.feature[from];
    const int left = copy_subtree(tree, tree.left[from], at, by, copy);
    copy.left[to] = left;
    const int right = copy_subtree(tree, tree.right[from], at, by, copy);
    copy.right[to] = right;
    return to;
}

/// Returns the subtree at a node as a tree of its own.
inline Tree subtree(const Tree& tree, int at) {
    Tree copy;
    copy_subtree(tree, at, Tree::kNone, tree, copy);
    return copy;
}

/// Returns the tree with another tree in place of the subtree at a node.
inline Tree replace_subtree(const Tree& tree, int at, const Tree& by) {
    Tree copy;
    copy_subtree(tree, 0, at, by, copy);
    return copy;
}

}  // namespace beamtree
