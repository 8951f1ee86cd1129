// The least that a node can cost, without a search.
#pragma once

#include <algorithm>

#include "pass/workspace.hpp"

namespace beamtree {

/// Of a node whose leaf is not closed: that leaf costs more than one split, and equal rows of
/// different classes cannot be told apart.
inline Cost floor_of(const Workspace& work, const Node& node) {
    const int plane = work.data.planes().unavoidable;
    const Cost unavoidable = plane >= 0 ? work.objective.unit * node.plane_weight[plane] : 0;
    return std::max(work.objective.penalty, unavoidable);
}

}  // namespace beamtree
