// What a rule sees of a node, and of the split that leads to one.
#pragma once

#include "node/class_weights.hpp"
#include "pass/workspace.hpp"
#include "rule/node_context.hpp"

namespace beamtree {

inline NodeContext context_of(const Workspace& work, const Node& node, int depth) {
    NodeContext context;
    context.remaining_depth = depth;
    context.level = work.options.max_depth - depth;
    ClassWeights(work.data, work.kernel, node).describe(context);
    return context;
}

/// A child of feature `f` of a node with `depth` levels left, without its weights and rows.
inline NodeContext context_of_split(const Workspace& work, const Node& node, int depth, int f,
                                    int rank) {
    const NodeBuffers& buffers = work.buffers[depth];
    NodeContext context;
    context.rank = rank;
    context.feature = work.data.original(node.feature[f]);
    context.gain = static_cast<double>(buffers.gain[f]) * kGainUnit;
    context.best_gain = static_cast<double>(buffers.best_gain) * kGainUnit;
    context.remaining_depth = depth - 1;
    context.level = work.options.max_depth - context.remaining_depth;
    return context;
}

}  // namespace beamtree
