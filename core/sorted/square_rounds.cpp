#include "sorted/square_rounds.hpp"

#include <algorithm>

namespace beamtree {

void SquareRounds::start(const SortedNode<SquaredError>& node) {
    node_ = &node;
    const ValueRows& values = node.values;
    weight_.resize(node.rows);
    value_.resize(node.rows);
    bucket_.resize(node.rows);
    for (int i = 0; i < node.rows; ++i) {
        weight_[i] = static_cast<double>(values.weight[i]);
        value_[i] = static_cast<double>(values.value[i]) * objective_.factor;
    }
    count_.clear();
    if (!objective_.has_minimum()) return;
    count_.assign(node.rows, 1.0);
    if (objective_.rows_are_weight) count_ = weight_;
}

OrderScore SquareRounds::best_stump(const SortedNode<SquaredError>& node, int order) {
    const Entry* sorted = node.sorted(order);
    ValueSums left, right;
    OrderScore score;
    for (int i = 0; i + 1 < node.rows; ++i) {
        left.add(node.values, row_of(sorted[i]));
        if (!has_boundary(sorted[i])) continue;
        const std::int64_t rows = objective_.rows_are_weight ? left.weight : i + 1;
        if (!objective_.can_split(rows, node.leaf_rows - rows)) continue;
        right.set_rest(node.sums, left);
        const Cost cost =
            objective_.leaf_cost(left) + objective_.leaf_cost(right) + objective_.penalty;
        if (cost < score.cost) score = {cost, i};
    }
    meter_.spend(static_cast<std::int64_t>(node.rows) * 8);
    return score;
}

bool SquareRounds::evaluate(int order, const Thresholds& thresholds, const std::vector<int>& lanes,
                            Cost, const std::vector<std::uint8_t>&, LaneCosts& costs) {
    const int count = static_cast<int>(lanes.size());
    alignas(64) double side_weight[2][kLanes], side_value[2][kLanes], side_count[2][kLanes];
    alignas(64) double score[2][kLanes];
    Cost square[2][kLanes];
    const Entry* sorted = node_->sorted(order);
    ValueSums left;
    int at = 0;
    for (int lane = 0; lane <= kLanes; ++lane) {
        // All rows are on the left side of the lanes that are left over.
        const int end = lane < count ? thresholds.last[lanes[lane]] + 1 : node_->rows;
        for (; at < end; ++at) {
            const std::uint32_t row = row_of(sorted[at]);
            bucket_[row] = static_cast<std::uint8_t>(lane);
            left.add(node_->values, row);
        }
        if (lane == kLanes) break;
        ValueSums right;
        right.set_rest(node_->sums, left);
        const std::int64_t rows = objective_.rows_are_weight ? left.weight : end;
        for (const int side : {0, 1}) {
            const ValueSums& sums = side == 0 ? left : right;
            side_weight[side][lane] = static_cast<double>(sums.weight);
            side_value[side][lane] = static_cast<double>(sums.value) * objective_.factor;
            side_count[side][lane] =
                static_cast<double>(side == 0 ? rows : node_->leaf_rows - rows);
            square[side][lane] = sums.square;
            costs.leaf[side][lane] = objective_.leaf_cost(sums);
            score[side][lane] = static_cast<double>(sums.square - costs.leaf[side][lane]);
        }
    }
    SquareLanes task;
    task.bucket = bucket_.data();
    task.weight = weight_.data();
    task.value = value_.data();
    task.count = count_.empty() ? nullptr : count_.data();
    task.min_count = static_cast<double>(objective_.min_rows);
    task.side_weight = side_weight[0];
    task.side_value = side_value[0];
    task.side_count = side_count[0];
    statistics_.cells += count;
    for (int g = 0; g < node_->orders; ++g) {
        kernel_.raise_to_stumps(task, node_->sorted(g), node_->rows, score[0]);
        meter_.spend(20 * static_cast<std::int64_t>(node_->rows));
        if (meter_.stopped()) return false;
    }
    for (const int side : {0, 1})
        for (int lane = 0; lane < count; ++lane) {
            const Cost stump = square[side][lane] - static_cast<Cost>(score[side][lane]);
            costs.cost[side][lane] = costs.lower[side][lane] =
                std::min(costs.leaf[side][lane], stump + objective_.penalty);
        }
    return true;
}

}  // namespace beamtree
