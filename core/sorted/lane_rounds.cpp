#include "sorted/lane_rounds.hpp"

#include <algorithm>

namespace beamtree {

void LaneRounds::start(const SortedNode& node) {
    node_ = &node;
    number_.assign(node.class_weight.size(), 0);
    total_.clear();
    for (std::size_t k = 0; k < node.class_weight.size(); ++k) {
        if (node.class_weight[k] == 0) continue;
        number_[k] = static_cast<std::uint16_t>(total_.size());
        total_.push_back(node.class_weight[k]);
    }
    classes_ = static_cast<int>(total_.size());
    label_.resize(node.rows);
    for (int i = 0; i < node.rows; ++i) label_[i] = number_[node.label[i]];
    code_.resize(node.rows);
    const auto most = std::max<std::int64_t>(node.sums.weight, node.rows);
    lane_bytes_ = most <= 0xFFFF ? 2 : lane_bytes_for(most);  // see StumpLanes
    with_lane_of(lane_bytes_, [this](auto lane) { start_lanes<decltype(lane)>(); });
}

template <class T>
void LaneRounds::start_lanes() {
    auto& rows = std::get<Rows<T>>(rows_);
    rows.step.clear();
    rows.count.clear();
    if (node_->weight.empty()) return;
    rows.step.resize(node_->rows);
    for (int i = 0; i < node_->rows; ++i) {
        const auto weight = static_cast<T>(node_->weight[i]);
        rows.step[i] = classes_ == 2 && label_[i] == 1 ? static_cast<T>(-weight) : weight;
    }
    if (!objective_.has_minimum()) return;
    rows.count.assign(node_->rows, 1);
    if (objective_.rows_are_weight)
        for (int i = 0; i < node_->rows; ++i) rows.count[i] = static_cast<T>(node_->weight[i]);
}

bool LaneRounds::evaluate(int order, const Thresholds& thresholds, const std::vector<int>& lanes,
                          LaneCosts& costs) {
    return with_lane_of(lane_bytes_, [&](auto lane) {
        return evaluate_lanes<decltype(lane)>(order, thresholds, lanes, costs);
    });
}

template <class T>
bool LaneRounds::evaluate_lanes(int order, const Thresholds& thresholds,
                                const std::vector<int>& lanes, LaneCosts& costs) {
    auto& rows = std::get<Rows<T>>(rows_);
    const int count = static_cast<int>(lanes.size()), sums = 2 * kLanes;
    T* class_weight = rows.side_sums.template get<T>(static_cast<std::size_t>(classes_ + 2) * sums);
    T* side_rows = class_weight + static_cast<std::size_t>(classes_) * sums;
    T* error = side_rows + sums;

    // Which lanes have a row on their left, and the weights of both sides of each lane.
    const Entry* sorted = node_->sorted(order);
    std::vector<std::int64_t> left(classes_, 0);
    std::int64_t counted = 0;
    int at = 0;
    for (int lane = 0; lane <= count; ++lane) {
        const int bucket = lane < count ? lane : kLanes;
        const int end = lane < count ? thresholds.last[lanes[lane]] + 1 : node_->rows;
        for (; at < end; ++at) {
            const std::uint32_t row = row_of(sorted[at]);
            code_[row] = lane_code(bucket, label_[row], classes_);
            if (lane == count) continue;
            const std::int64_t weight = node_->weight_of(row);
            left[label_[row]] += weight;
            counted += objective_.rows_are_weight ? weight : 1;
        }
        if (lane == count) break;
        LeafSums sides[2];
        for (int k = 0; k < classes_; ++k) {
            class_weight[k * sums + lane] = static_cast<T>(left[k]);
            class_weight[k * sums + kLanes + lane] = static_cast<T>(total_[k] - left[k]);
            sides[0].add_class(left[k]);
            sides[1].add_class(total_[k] - left[k]);
        }
        side_rows[lane] = static_cast<T>(counted);
        side_rows[kLanes + lane] = static_cast<T>(node_->leaf_rows - counted);
        error[lane] = static_cast<T>(sides[0].error());
        error[kLanes + lane] = static_cast<T>(sides[1].error());
        costs.left[lane] = costs.left_leaf[lane] = objective_.leaf_cost(sides[0]);
        costs.right[lane] = costs.right_leaf[lane] = objective_.leaf_cost(sides[1]);
    }
    // All rows are on the left side of the lanes that are left over.
    for (int lane = count; lane < kLanes; ++lane) {
        for (int k = 0; k < classes_; ++k) {
            class_weight[k * sums + lane] = static_cast<T>(total_[k]);
            class_weight[k * sums + kLanes + lane] = 0;
        }
        side_rows[lane] = static_cast<T>(node_->leaf_rows);
        side_rows[kLanes + lane] = 0;
        error[lane] = error[kLanes + lane] = 0;  // nothing is below that
    }

    StumpLanes<T> task;
    task.classes = classes_;
    task.code = code_.data();
    task.label = label_.data();
    task.step = rows.step.empty() ? nullptr : rows.step.data();
    task.rows = rows.count.empty() ? nullptr : rows.count.data();
    task.min_rows = static_cast<T>(std::min<std::int64_t>(objective_.min_rows, node_->leaf_rows));
    task.class_weight = class_weight;
    task.side_rows = side_rows;
    task.scratch = scratch_.get(stumps_scratch(classes_));
    statistics_.cells += count;
    for (int g = 0; g < node_->orders; ++g) {
        kernel_.lanes<T>().lower_to_stumps(task, node_->sorted(g), node_->rows, error);
        meter_.spend((classes_ == 2 ? 2 : 4) * static_cast<std::int64_t>(node_->rows));
        if (meter_.stopped()) return false;
    }
    for (int lane = 0; lane < count; ++lane) {
        const Cost one = objective_.error_cost(static_cast<std::int64_t>(error[lane]));
        const Cost two = objective_.error_cost(static_cast<std::int64_t>(error[kLanes + lane]));
        costs.left[lane] = std::min(costs.left[lane], one + objective_.penalty);
        costs.right[lane] = std::min(costs.right[lane], two + objective_.penalty);
    }
    return true;
}

}  // namespace beamtree
