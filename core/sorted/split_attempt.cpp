#include "sorted/split_attempt.hpp"

namespace beamtree {

int SplitAttempt::weigh_sides(const SortedData& data, const Objective& objective,
                              const SortedNode& node) {
    const Entry* sorted = node.sorted(place.order);
    const int left_rows = place.last + 1;
    const int small = 2 * left_rows <= node.rows ? 0 : 1;
    const int begin = small == 0 ? 0 : left_rows, end = small == 0 ? left_rows : node.rows;
    auto& sums = class_weight[small];
    sums.assign(node.class_weight.size(), 0);
    hash[small] = {};
    for (int i = begin; i < end; ++i) {
        const std::uint32_t row = row_of(sorted[i]);
        sums[node.label[row]] += node.weight_of(row);
        hash[small].add_product(1, data.hasher()[node.row[row]]);
    }
    hash[1 - small] = node.hash - hash[small];
    auto& others = class_weight[1 - small];
    others = node.class_weight;
    for (std::size_t k = 0; k < sums.size(); ++k) others[k] -= sums[k];
    rows[0] = left_rows;
    rows[1] = node.rows - left_rows;
    for (const int side : {0, 1}) {
        const LeafSums sums_of_side = node.leaf_sums(class_weight[side]);
        leaf[side] = objective.leaf_cost(sums_of_side);
        if (objective.rows_are_weight) rows[side] = sums_of_side.weight;
    }
    return end - begin;
}

}  // namespace beamtree
