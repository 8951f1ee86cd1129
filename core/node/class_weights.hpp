// The class weights of a node and of the two sides of its splits, as heuristics and rules see them:
// with the rows that the dataset has cancelled.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "heuristic/split_weights.hpp"
#include "node/node.hpp"
#include "rule/node_context.hpp"

namespace beamtree {

/// Gains are whole multiples of 2^-40, so that machines whose logarithms differ in the last bit
/// still agree on ties.
inline constexpr double kGainUnit = 1.0 / 1099511627776.0;

/// Class weights of a node, and of the two sides of the last feature that was split.
class ClassWeights {
  public:
    ClassWeights(const Dataset& data, const Kernel& kernel, const Node& node)
        : kernel_(kernel),
          planes_(data.planes()),
          segments_(data.segments().data()),
          node_(node),
          total_(classes()),
          one_(classes()),
          zero_(classes()),
          side_(planes_.count),
          segments_count_(node.segment_rows.size()),
          segment_ones_(kBatch * segments_count_) {
        for (int k = 0; k < classes(); ++k)
            total_[k] = node.plane_weight[k] + planes_.cancelled(node.plane_weight);
    }
    int classes() const { return planes_.classes; }
    const std::vector<std::int64_t>& total() const { return total_; }
    /// Returns the class weights where feature `f` is 1 and where it is 0, valid until the next
    /// call.
    SplitWeights split(int f) {
        std::fill(side_.begin(), side_.end(), 0);
        const std::int32_t* counted = count(f);
        for (std::size_t s = 0; s < segments_count_; ++s)
            side_[segments_[s].plane] += static_cast<std::int64_t>(counted[s])
                                         << segments_[s].shift;
        const std::int64_t in_all = planes_.cancelled(side_);
        std::int64_t ones = 0, zeros = 0;
        const auto sum_up = [&](int k) {
            const std::int64_t one = side_[k] + in_all, zero = total_[k] - one;
            one_[k] = one;
            zero_[k] = zero;
            ones += one;
            zeros += zero;
        };
        sum_up(0);  // two classes are usual, and faster without a loop
        if (classes() > 1) sum_up(1);
        for (int k = 2; k < classes(); ++k) sum_up(k);
        rows_one_ = planes_.rows_of(side_, ones);
        rows_zero_ = planes_.rows >= 0 ? node_.rows - rows_one_ : zeros;
        return {classes(), total_.data(), one_.data(), zero_.data()};
    }
    /// Sets what a rule sees of the node, or of one side of the last split.
    void describe(NodeContext& context) const {
        describe(total_, seen_of(node_.plane_weight, total_), context);
    }
    void describe(bool one, NodeContext& context) const {
        const std::int64_t in_one = seen_of(side_, one_);
        if (one)
            describe(one_, in_one, context);
        else
            describe(zero_, seen_of(node_.plane_weight, total_) - in_one, context);
    }
    /// Sums of one side of the last split as a leaf. Cancelled rows are left out: they cost the
    /// same in every tree, and the dataset's offset has their cost.
    LeafSums leaf(bool one) const {
        LeafSums sums;
        for (int k = 0; k < classes(); ++k)
            sums.add_class(one ? side_[k] : node_.plane_weight[k] - side_[k]);
        return sums;
    }
    /// Whether both sides of the last split have enough rows.
    bool admissible(const Misclassification& objective) const {
        return objective.can_split(rows_one_, rows_zero_);
    }

  private:
    static constexpr int kBatch = 32;

    /// Returns the number of rows of each segment in which feature `f` is 1. If features are asked
    /// for in their order, a batch of them is counted at once.
    const std::int32_t* count(int f) {
        if (f < first_ || f >= last_) {
            const int count = f == last_ ? std::min(kBatch, node_.features - f) : 1;
            kernel_.count_segments(node_.column(f), count, node_.segment_word.data(),
                                   static_cast<int>(segments_count_), segment_ones_.data());
            first_ = f;
            last_ = f + count;
        }
        return segment_ones_.data() + static_cast<std::size_t>(f - first_) * segments_count_;
    }
    static void describe(const std::vector<std::int64_t>& weights, std::int64_t rows,
                         NodeContext& context) {
        LeafSums sums;
        for (const std::int64_t w : weights) sums.add_class(w);
        context.weight = sums.weight;
        context.error = sums.error();
        context.rows = rows;
        context.class_weights = weights;
    }
    std::int64_t seen_of(const std::vector<std::int64_t>& plane_weight,
                         const std::vector<std::int64_t>& classes_of_it) const {
        const int plane = planes_.seen;
        return plane >= 0 ? plane_weight[plane] : sum(classes_of_it);
    }
    static std::int64_t sum(const std::vector<std::int64_t>& weight) {
        std::int64_t total = 0;
        for (const std::int64_t w : weight) total += w;
        return total;
    }

    const Kernel& kernel_;
    const Planes& planes_;
    const Segment* segments_;
    const Node& node_;
    std::vector<std::int64_t> total_, one_, zero_, side_;
    std::size_t segments_count_;
    std::vector<std::int32_t> segment_ones_;  ///< (features from first_ to last_, segments)
    int first_ = 0, last_ = 0;
    std::int64_t rows_one_ = 0, rows_zero_ = 0;
};

/// Returns a gain in multiples of kGainUnit.
inline std::int64_t whole_gain(double gain) {
    return std::llround(gain / kGainUnit);
}

}  // namespace beamtree
