// Makes the children of a node.
#pragma once

#include <algorithm>

#include "pass/workspace.hpp"

namespace beamtree {

/// Returns the index of a feature of the dataset among the features of a node, or kLeaf if the node
/// does not have it.
inline int place_of(const Node& node, int feature) {
    const auto end = node.feature.begin() + node.features;
    const auto place = std::lower_bound(node.feature.begin(), end, feature);
    return place != end && *place == feature ? static_cast<int>(place - node.feature.begin())
                                             : kLeaf;
}

/// Makes one side of feature `f` of a node with `depth` levels left, in the buffers of that depth.
/// The child has all features of the node.
inline Node& make_side(Workspace& work, const Node& node, int depth, int f, bool one) {
    ChildBuffers& child = work.buffers[depth].child;
    const CoverHash hash_one =
        node.cover.hash_of_side(work.data.hasher(), work.data.column(node.feature[f]));
    child.node.make_child(work.data, node, f, one, one ? hash_one : node.hash - hash_one,
                          child.selection, work.kernel, [](int) { return true; });
    child.node.narrow = node.narrow;
    work.meter.spend(static_cast<std::int64_t>(child.node.features) * node.words);
    return child.node;
}

/// Makes one side of feature `f` of a node that is counted in `counts`. Features that are constant
/// on that side, or whose leaves would be too small, are left out. `rows` is the number of rows of
/// the side. If the search is stopped meanwhile, the child must not be used.
void make_child(Workspace& work, const Node& node, const NodeCounts& counts, int f, bool one,
                std::int64_t rows, ChildBuffers& child);

}  // namespace beamtree
