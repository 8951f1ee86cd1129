// Stores a tree that another process has found for a subproblem in the cache, as if a pass had
// found it here. Its cost is counted from the rows.
#pragma once

#include <stdexcept>

#include "cache/facts.hpp"
#include "cache/tree_size.hpp"
#include "data/tree.hpp"

namespace beamtree {

template <class Form, class Workspace, class Node>
Facts plant_from(Workspace& work, const Node& node, const TreeSize& size, const Tree& tree,
                 int from) {
    Facts facts;
    facts.improve(work.objective.leaf_cost(node.sums), kLeaf);
    if (tree.feature[from] == Tree::kNone || size.depth == 0) return facts;
    Cost cost = work.objective.penalty;
    int split = kLeaf;
    for (const bool one : {false, true}) {
        const auto [place, side] = Form::find_side(work, node, tree.feature[from], one);
        const int next = one ? tree.right[from] : tree.left[from];
        const TreeSize below = size.child(size.limited() ? tree.leaves_below(next) : kAnyLeaves);
        split = Form::split_of(work, node, place);
        const auto& child = make_side(work, node, size.depth, place, side);
        cost += plant_from<Form>(work, child, below, tree, next).upper;
    }
    facts.improve(cost, split);
    work.cache.merge(size.key(node.hash), size.depth_key(), facts);
    return facts;
}

/// Stores the tree as one of `node`, and returns the facts of the node, whose lower bound is 0, or
/// no facts if a test of the tree does not split its rows. Uses the buffers of all depths up to
/// that of `size`.
template <class Form, class Workspace, class Node>
Facts plant(Workspace& work, const Node& node, const TreeSize& size, const Tree& tree) {
    try {
        return plant_from<Form>(work, node, size, tree, 0);
    } catch (const std::logic_error&) {
        return {};
    }
}

}  // namespace beamtree
