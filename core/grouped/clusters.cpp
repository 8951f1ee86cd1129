#include "grouped/clusters.hpp"

#include <algorithm>
#include <cmath>

namespace beamtree {

Cost Clusters::bound(const GroupedNode& node, const TreeSize& size, Cost goal) {
    constexpr int kMostGroups = 256, kMostLevels = 8;
    const int groups = node.groups;
    if (groups > kMostGroups || size.depth > kMostLevels || goal >= kInfiniteCost) return 0;
    const int leaves = std::min(1 << size.depth, size.leaves);
    const SquaredError& objective = data_.objective();
    const auto target = static_cast<double>(goal);
    const auto leaf = static_cast<double>(objective.leaf_cost(node.sums));
    // The cost of k clusters of evenly spread means is about that of one, divided by k^2.
    constexpr double kLikely = 4;
    if (groups <= leaves || target * leaves * leaves * kLikely > leaf) return 0;
    weight_.resize(groups + 1);
    value_.resize(groups + 1);
    most_.resize(groups + 1);
    weight_[0] = value_[0] = most_[0] = 0;
    const Packing& packing = data_.packing();
    const double price = 2 * target / leaves;
    int first = 0;  // where the last cluster begins; that never moves back
    for (int i = 1; i <= groups; ++i) {
        const std::int64_t packed = node.sum[i - 1].packed;
        weight_[i] = weight_[i - 1] + static_cast<double>(packing.weight(packed));
        value_[i] = value_[i - 1] + static_cast<double>(packing.value(packed)) * objective.factor;
        double best = -1;
        int at = first;
        for (int j = first; j < i; ++j) {
            const double value = value_[i] - value_[j];
            const double score = most_[j] + value * value / (weight_[i] - weight_[j]);
            if (j > first && score <= best) continue;
            best = score;
            at = j;
        }
        most_[i] = best - price;
        first = at;
        meter_.spend(4 * (i - first) + 4);
    }
    // Doubles round each of these numbers by less than a unit, and near ties may move `first` too
    // far, by as much for each group.
    const double rounding = 8.0 * groups * groups + 64;
    const double lower =
        static_cast<double>(node.total.square) - most_[groups] - price * leaves - rounding;
    return lower > 0 ? static_cast<Cost>(lower) : 0;
}

}  // namespace beamtree
