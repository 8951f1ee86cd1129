// Rebuilds the tree to which the upper bounds in the cache belong.
#pragma once

#include <functional>

#include "data/tree.hpp"
#include "pass/ranking.hpp"
#include "pass/workspace.hpp"

namespace beamtree {

/// Searches a node again of whose tree some parts were evicted, for a tree that costs no more than
/// `upper`.
using Repair = std::function<Facts(const Node& node, const TreeSize& size, Cost upper)>;

/// Appends the tree of a node with these facts to `tree`. Returns its cost, which may be below
/// facts.upper, or above it if the search was stopped meanwhile. Uses the buffers of all depths up
/// to that of `size`, so no pass may be running. The bottom of a wide node is searched first with
/// the features that a pass in `mode` tries.
Cost rebuild(Workspace& work, Ranking& ranking, const PassMode& mode, const Node& node,
             const TreeSize& size, const Facts& facts, const Repair& repair, Tree& tree);
/// Does the same for a node that the exact solver solves, with at most `exact_levels` levels left.
Cost rebuild_bottom(Workspace& work, Ranking& ranking, const Node& node, int depth,
                    const Facts& facts, Tree& tree);

}  // namespace beamtree
