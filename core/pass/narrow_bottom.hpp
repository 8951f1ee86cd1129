// The bottom three levels of a wide node, with a few of its features.
#pragma once

#include "pass/ranking.hpp"
#include "pass/workspace.hpp"

namespace beamtree {

/// Adds to `facts` a tree of depth 3 from a few features, whose first split is evaluated again with
/// all of the node. Says nothing of the lower bound.
template <class T>
void solve_narrow(Workspace& work, Ranking& ranking, const PassMode& mode, const Node& node,
                  int depth, Cost bound, Facts& facts);

}  // namespace beamtree
