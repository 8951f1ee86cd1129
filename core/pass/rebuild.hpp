// The tree behind the cache's upper bounds.
#pragma once

#include <functional>

#include "data/tree.hpp"
#include "pass/ranking.hpp"
#include "pass/workspace.hpp"

namespace beamtree {

/// Searches a node again whose tree was evicted in parts, for one that costs no more than `upper`.
using Repair = std::function<Facts(const Node& node, int depth, Cost upper)>;

/// Appends the tree of a node with these facts to `tree`; returns its cost, which may be below
/// facts.upper, or above if the search was stopped. Uses the memory of the levels up to `depth`, of
/// which a pass at the root needs nothing but its own.
/// The bottom of a wide node is searched first with the features that a pass in `mode` looks at.
Cost rebuild(Workspace& work, Ranking& ranking, const PassMode& mode, const Node& node, int depth,
             const Facts& facts, const Repair& repair, Tree& tree);
/// The same for a node that kernels solve whole, at most `exact_levels` above the leaves.
Cost rebuild_bottom(Workspace& work, Ranking& ranking, const Node& node, int depth,
                    const Facts& facts, Tree& tree);

}  // namespace beamtree
