// The context of a node: everything that a rule sees of it. A rule sees nothing of the search, so
// it can be tested alone.
#pragma once

#include <cstdint>
#include <vector>

namespace beamtree {

/// A node, and the split that leads to it. Weights are the original ones and include the rows that
/// packing cancelled.
struct NodeContext {
    int rank = 0;          ///< position of the split in the heuristic's order, from 0
    int feature = -1;      ///< column of the problem that is split; -1 at the root
    double gain = 0;       ///< gain of the split, in the heuristic's unit; larger is better
    double best_gain = 0;  ///< largest gain of a split of the parent
    int level = 0;         ///< 0 at the root
    int remaining_depth = 0;
    std::int64_t error = 0;  ///< weight that the node misclassifies as a leaf
    std::int64_t weight = 0;
    std::int64_t rows = 0;
    std::vector<std::int64_t> class_weights{};  ///< empty unless the rule has kWholeContext
};

}  // namespace beamtree
