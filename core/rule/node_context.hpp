// What a rule sees of a node: all of it, and nothing of the search. So a rule can be tested alone.
#pragma once

#include <cstdint>
#include <vector>

namespace beamtree {

/// A node, and the split that leads to it. Weights are the original ones, cancelled rows included.
struct NodeContext {
    int rank = 0;          ///< of the split, from 0, in the heuristic's order at the parent
    int feature = -1;      ///< of the split, a column of the problem; -1 at the root
    double gain = 0;       ///< of the split, in the heuristic's unit, larger is better
    double best_gain = 0;  ///< the largest at the parent
    int level = 0;         ///< 0 at the root
    int remaining_depth = 0;
    std::int64_t error = 0;  ///< weight outside the majority, of the node as a leaf
    std::int64_t weight = 0;
    std::int64_t rows = 0;
    std::vector<std::int64_t> class_weights{};  ///< only for rules that ask for whole contexts
};

}  // namespace beamtree
