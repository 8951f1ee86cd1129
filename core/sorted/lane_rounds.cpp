#include "sorted/lane_rounds.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace beamtree {

namespace {

constexpr int kSums = 2 * kLanes;  ///< numbers of one sum, for all sides and lanes

}  // namespace

void LaneRounds::start(const SortedNode<Misclassification>& node) {
    node_ = &node;
    number_.assign(node.sums.class_weight.size(), 0);
    total_.clear();
    for (std::size_t k = 0; k < node.sums.class_weight.size(); ++k) {
        if (node.sums.class_weight[k] == 0) continue;
        number_[k] = static_cast<std::uint16_t>(total_.size());
        total_.push_back(node.sums.class_weight[k]);
    }
    classes_ = static_cast<int>(total_.size());
    label_.resize(node.rows);
    for (int i = 0; i < node.rows; ++i) label_[i] = number_[node.values.label[i]];
    // If leaves have a minimum, the rows of the other classes count, too.
    by_pairs_ = !objective_.has_minimum() && pairs_.start(node, label_, classes_);
    bits_ = by_pairs_ ? std::bit_width(static_cast<unsigned>(classes_ - 1)) : 1;
    code_.resize(static_cast<std::size_t>(bits_) * node.rows);
    bucket_.resize(node.rows);
    class_bit_.resize(code_.size());
    for (int bit = 0; bit < bits_; ++bit)
        for (int i = 0; i < node.rows; ++i)
            class_bit_[static_cast<std::size_t>(bit) * node.rows + i] =
                static_cast<std::uint8_t>(by_pairs_ || classes_ == 2 ? label_[i] >> bit & 1 : 0);
    const auto most = std::max<std::int64_t>(node.sums.weight, node.rows);
    lane_bytes_ = most <= 0xFFFF ? 2 : lane_bytes_for(most);  // see StumpLanes
    with_lane_of(lane_bytes_, [this](auto lane) { start_lanes<decltype(lane)>(); });
}

template <class T>
void LaneRounds::start_lanes() {
    auto& rows = std::get<Rows<T>>(rows_);
    rows.step.clear();
    rows.count.clear();
    if (node_->values.weight.empty()) return;
    rows.step.reserve(code_.size());
    for (int bit = 0; bit < bits_; ++bit)
        for (int i = 0; i < node_->rows; ++i) {
            const auto weight = static_cast<T>(node_->values.weight[i]);
            const bool negated = (by_pairs_ || classes_ == 2) && (label_[i] >> bit & 1) != 0;
            rows.step.push_back(negated ? static_cast<T>(-weight) : weight);
        }
    if (!objective_.has_minimum()) return;
    rows.count.assign(node_->rows, 1);
    if (objective_.rows_are_weight)
        for (int i = 0; i < node_->rows; ++i)
            rows.count[i] = static_cast<T>(node_->values.weight[i]);
}

OrderScore LaneRounds::best_stump(const SortedNode<Misclassification>& node, int order) {
    const std::vector<std::int64_t>& total = node.sums.class_weight;
    const int classes = static_cast<int>(total.size());
    left_.assign(classes, 0);
    const Entry* sorted = node.sorted(order);
    std::int64_t weight = 0, majority = 0;
    OrderScore score;
    for (int i = 0; i + 1 < node.rows; ++i) {
        const std::uint32_t row = row_of(sorted[i]);
        const int k = node.values.label[row];
        left_[k] += node.weight_of(row);
        weight += node.weight_of(row);
        majority = std::max(majority, left_[k]);
        if (!has_boundary(sorted[i])) continue;
        const std::int64_t rows = objective_.rows_are_weight ? weight : i + 1;
        if (!objective_.can_split(rows, node.leaf_rows - rows)) continue;
        std::int64_t other = 0;
        for (int c = 0; c < classes; ++c) other = std::max(other, total[c] - left_[c]);
        const Cost cost =
            objective_.error_cost(node.sums.weight - majority - other) + objective_.penalty;
        if (cost < score.cost) score = {cost, i};
    }
    meter_.spend(static_cast<std::int64_t>(node.rows) * (2 + classes));
    return score;
}

bool LaneRounds::evaluate(int order, const Thresholds& thresholds, const std::vector<int>& lanes,
                          Cost goal, const std::vector<std::uint8_t>& items, LaneCosts& costs) {
    return with_lane_of(lane_bytes_, [&](auto lane) {
        return evaluate_lanes<decltype(lane)>(order, thresholds, lanes, goal, items, costs);
    });
}

template <class T>
bool LaneRounds::evaluate_lanes(int order, const Thresholds& thresholds,
                                const std::vector<int>& lanes, Cost goal,
                                const std::vector<std::uint8_t>& items, LaneCosts& costs) {
    const int count = static_cast<int>(lanes.size());
    const Sums<T> sums = sum_sides<T>(order, thresholds, lanes);
    // Each side as a leaf, and what it costs at least with a stump: all but two classes.
    std::array<Cost, kLanes> floor[2];
    for (const int side : {0, 1})
        for (int lane = 0; lane < count; ++lane) {
            const T* weight = sums.class_weight + side * kLanes + lane;
            std::int64_t heaviest = 0, second = 0;
            for (int k = 0; k < classes_; ++k) {
                const auto of_class = static_cast<std::int64_t>(weight[k * kSums]);
                second = std::max(second, std::min(heaviest, of_class));
                heaviest = std::max(heaviest, of_class);
            }
            const int at = side * kLanes + lane;
            const auto error = static_cast<std::int64_t>(sums.weight[at]) - heaviest;
            sums.error[at] = sums.lower[at] = static_cast<T>(error);
            costs.cost[side][lane] = costs.leaf[side][lane] = objective_.error_cost(error);
            floor[side][lane] = std::min(
                costs.cost[side][lane], objective_.error_cost(error - second) + objective_.penalty);
        }
    // From which error on a stump of a side is of no interest. The bounds of the thresholds beside
    // this one must not suffer: on their way from lane to lane they meet the next one's other side.
    alignas(64) T enough[kSums];
    for (const int side : {0, 1})
        for (int lane = 0; lane < count; ++lane) {
            const int next = side == 0 ? lane + 1 : lane - 1;
            const Cost other = next < 0 || next == count ? 0 : floor[1 - side][next];
            const Cost room = goal - 2 * objective_.penalty - other;
            const std::int64_t least = room <= 0 ? 0 : objective_.removed_weight(room);
            enough[side * kLanes + lane] = static_cast<T>(std::min<std::uint64_t>(
                static_cast<std::uint64_t>(least), std::numeric_limits<T>::max()));
        }
    statistics_.cells += count;
    if (!(by_pairs_ ? lower_by_pairs(sums, enough, items) : lower_at_once(sums))) return false;
    for (const int side : {0, 1})
        for (int lane = 0; lane < count; ++lane) {
            const int at = side * kLanes + lane;
            const auto stump = [&](T error) {
                return objective_.error_cost(static_cast<std::int64_t>(error)) + objective_.penalty;
            };
            Cost& cost = costs.cost[side][lane];
            costs.lower[side][lane] =
                std::min(cost, stump(std::min(sums.lower[at], sums.error[at])));
            cost = std::min(cost, stump(sums.error[at]));
        }
    return true;
}

/// Sets which lanes have a row on their left, and the sums of both sides of each lane.
template <class T>
auto LaneRounds::sum_sides(int order, const Thresholds& thresholds, const std::vector<int>& lanes)
    -> Sums<T> {
    T* next = std::get<Rows<T>>(rows_).side_sums.template get<T>(
        static_cast<std::size_t>(classes_ + 7) * kSums);
    const auto take = [&](int count) { return std::exchange(next, next + count * kSums); };
    Sums<T> sums{};
    sums.class_weight = take(classes_);
    for (T** sum : {&sums.weight, &sums.rows, &sums.error, &sums.lower, &sums.pair_error})
        *sum = take(1);
    sums.pair_weight = take(2);

    const int count = static_cast<int>(lanes.size());
    const Entry* sorted = node_->sorted(order);
    // Copies, because a byte that is stored may be a part of anything else.
    std::uint8_t* const bucket = bucket_.data();
    const std::uint16_t* const label = label_.data();
    const std::int64_t* const weights =
        node_->values.weight.empty() ? nullptr : node_->values.weight.data();
    std::vector<std::int64_t> left_weights(classes_, 0);
    std::int64_t* const left = left_weights.data();
    std::int64_t weight = 0;
    int at = 0;
    for (int lane = 0; lane <= kLanes; ++lane) {
        if (lane >= count && lane < kLanes) {
            // All rows are on the left side of the lanes that are left over.
            for (int k = 0; k < classes_; ++k) {
                sums.class_weight[k * kSums + lane] = static_cast<T>(total_[k]);
                sums.class_weight[k * kSums + kLanes + lane] = 0;
            }
            sums.weight[lane] = static_cast<T>(node_->sums.weight);
            sums.rows[lane] = static_cast<T>(node_->leaf_rows);
            for (const int side : {0, kLanes})
                sums.error[side + lane] = sums.lower[side + lane] = 0;
            sums.weight[kLanes + lane] = sums.rows[kLanes + lane] = 0;
            continue;
        }
        const int end = lane < count ? thresholds.last[lanes[lane]] + 1 : node_->rows;
        for (; at < end; ++at) {
            const std::uint32_t row = row_of(sorted[at]);
            const std::int64_t w = weights == nullptr ? 1 : weights[row];
            bucket[row] = static_cast<std::uint8_t>(lane);
            left[label[row]] += w;
            weight += w;
        }
        if (lane == kLanes) break;
        for (int k = 0; k < classes_; ++k) {
            sums.class_weight[k * kSums + lane] = static_cast<T>(left[k]);
            sums.class_weight[k * kSums + kLanes + lane] = static_cast<T>(total_[k] - left[k]);
        }
        const std::int64_t rows = objective_.rows_are_weight ? weight : end;
        sums.weight[lane] = static_cast<T>(weight);
        sums.weight[kLanes + lane] = static_cast<T>(node_->sums.weight - weight);
        sums.rows[lane] = static_cast<T>(rows);
        sums.rows[kLanes + lane] = static_cast<T>(node_->leaf_rows - rows);
    }
    for (int bit = 0; bit < bits_; ++bit) {
        const std::size_t begin = static_cast<std::size_t>(bit) * node_->rows;
        std::uint8_t* code = code_.data() + begin;
        const std::uint8_t* one = class_bit_.data() + begin;
        const int rows = node_->rows;
        for (int i = 0; i < rows; ++i) code[i] = lane_code(bucket[i], one[i], 2);
    }
    return sums;
}

template <class T>
StumpLanes<T> LaneRounds::task_of(const Sums<T>& sums, int classes, int bit) {
    const auto& rows = std::get<Rows<T>>(rows_);
    const std::size_t begin = static_cast<std::size_t>(bit) * node_->rows;
    StumpLanes<T> task;
    task.classes = classes;
    task.code = code_.data() + begin;
    task.label = label_.data();
    task.step = rows.step.empty() ? nullptr : rows.step.data() + begin;
    task.rows = rows.count.empty() ? nullptr : rows.count.data();
    task.min_rows = static_cast<T>(std::min<std::int64_t>(objective_.min_rows, node_->leaf_rows));
    task.class_weight = sums.class_weight;
    task.side_rows = sums.rows;
    task.scratch = scratch_.get(stumps_scratch(classes_));
    return task;
}

/// Lowers the errors to those of the best stumps, for all classes together.
template <class T>
bool LaneRounds::lower_at_once(const Sums<T>& sums) {
    const StumpLanes<T> task = task_of(sums, classes_, 0);
    for (int g = 0; g < node_->orders; ++g) {
        kernel_.lanes<T>().lower_to_stumps(task, node_->sorted(g), node_->rows, sums.error);
        meter_.spend((classes_ == 2 ? 2 : 4) * static_cast<std::int64_t>(node_->rows));
        if (meter_.stopped()) return false;
    }
    return true;
}

/// The same for pairs of classes. A pair is left out where its other classes alone weigh as much as
/// the best error, or `enough`.
template <class T>
bool LaneRounds::lower_by_pairs(const Sums<T>& sums, const T* enough,
                                const std::vector<std::uint8_t>& items) {
    const int pairs = static_cast<int>(pairs_.pairs().size()), orders = node_->orders;
    std::vector<T>& item_errors = std::get<Rows<T>>(rows_).item;
    item_errors.resize(static_cast<std::size_t>(pairs) * orders * kSums);
    for (int p = 0; p < pairs; ++p) {
        const ClassPairs::Pair& pair = pairs_.pairs()[p];
        const T* zero = sums.class_weight + pair.zero * kSums;
        const T* one = sums.class_weight + pair.one * kSums;
        std::copy(zero, zero + kSums, sums.pair_weight);
        std::copy(one, one + kSums, sums.pair_weight + kSums);
        StumpLanes<T> task = task_of(sums, 2, pair.bit);
        task.class_weight = sums.pair_weight;
        alignas(64) T others[kSums];
        for (int i = 0; i < kSums; ++i)
            others[i] = static_cast<T>(sums.weight[i] - zero[i] - one[i]);
        bool needed = true;
        for (int g = 0; g < orders; ++g) {
            const int item = p * orders + g;
            if (!items.empty() && !items[item]) continue;
            T* found = item_errors.data() + static_cast<std::size_t>(item) * kSums;
            unsigned lanes = 0;
            for (int i = 0; needed && i < kSums; ++i)
                lanes |= others[i] < sums.error[i] && others[i] < enough[i];
            needed = lanes != 0;  // the errors only fall, so later orders need no look
            if (!needed) {
                std::copy(others, others + kSums, found);
                for (int i = 0; i < kSums; ++i) sums.lower[i] = std::min(sums.lower[i], others[i]);
                continue;
            }
            for (int i = 0; i < kSums; ++i) sums.pair_error[i] = std::min(zero[i], one[i]);
            const ClassPairs::Rows rows = pairs_.rows(g, p);
            kernel_.lanes<T>().lower_to_stumps(task, rows.entries, rows.count, sums.pair_error);
            meter_.spend(rows.count);
            if (meter_.stopped()) return false;
            for (int i = 0; i < kSums; ++i) {
                found[i] = static_cast<T>(others[i] + sums.pair_error[i]);
                sums.error[i] = std::min(sums.error[i], found[i]);
            }
        }
    }
    return true;
}

Cost LaneRounds::drop_items(const std::vector<Gap>& gaps, Cost goal,
                            std::vector<std::uint8_t>& items) {
    if (!by_pairs_) return kInfiniteCost;
    items.resize(pairs_.pairs().size() * node_->orders, items.empty() ? 1 : 0);
    return with_lane_of(
        lane_bytes_, [&](auto lane) { return drop_items_of<decltype(lane)>(gaps, goal, items); });
}

template <class T>
Cost LaneRounds::drop_items_of(const std::vector<Gap>& gaps, Cost goal,
                               std::vector<std::uint8_t>& items) {
    Cost least = kInfiniteCost;
    for (std::size_t item = 0; item < items.size(); ++item) {
        if (!items[item]) continue;
        const T* error = std::get<Rows<T>>(rows_).item.data() + item * kSums;
        Cost bound = kInfiniteCost;
        for (std::size_t i = 0; i < gaps.size() && bound >= goal; ++i)
            for (const int side : {0, 1}) {
                Cost here = 0;
                for (const int end : {0, 1}) {
                    const int lane = gaps[i].lane[end];
                    if (lane < 0) continue;
                    const auto least_error = static_cast<std::int64_t>(error[side * kLanes + lane]);
                    here = std::max(here,
                                    objective_.error_cost(least_error) + gaps[i].others[side][end]);
                }
                bound = std::min(bound, here);
            }
        if (bound < goal) continue;
        items[item] = 0;
        least = std::min(least, bound);
    }
    return least;
}

}  // namespace beamtree
