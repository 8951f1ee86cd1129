// Gains of the features of a node, from the original class weights (cancelled rows included).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "heuristic/split_weights.hpp"
#include "rule/node_context.hpp"
#include "search/node.hpp"

namespace beamtree {

/// Gains are whole multiples of 2^-40, so that machines whose logarithms differ in the last bit
/// still agree on ties.
inline constexpr double kGainUnit = 1.0 / 1099511627776.0;

/// Class weights of a node and of the two sides of a feature.
class ClassWeights {
  public:
    ClassWeights(const Dataset& data, const Node& node)
        : data_(data), node_(node), total_(classes()), one_(classes()), zero_(classes()) {
        for (int k = 0; k < classes(); ++k)
            total_[k] = node.plane_weight[k] + tied(node.plane_weight);
    }
    int classes() const { return data_.planes().classes; }
    const std::vector<std::int64_t>& one() const { return one_; }
    const std::vector<std::int64_t>& zero() const { return zero_; }
    /// Weights of the classes where feature `f` is 1 and where it is 0, valid to the next call.
    SplitWeights split(int f) {
        side_.assign(data_.planes().count, 0);
        const Word* column = node_.column(f);
        for (std::size_t s = 0; s < node_.segment_rows.size(); ++s) {
            std::int64_t rows = 0;
            for (int w = node_.segment_word[s]; w < node_.segment_word[s + 1]; ++w)
                rows += popcount(column[w]);
            side_[data_.segments()[s].plane] += rows << data_.segments()[s].shift;
        }
        for (int k = 0; k < classes(); ++k) {
            one_[k] = side_[k] + tied(side_);
            zero_[k] = total_[k] - one_[k];
        }
        rows_one_ = data_.planes().rows >= 0 ? side_[data_.planes().rows] : sum(one_);
        rows_zero_ = data_.planes().rows >= 0 ? node_.rows - rows_one_ : sum(zero_);
        return {classes(), total_.data(), one_.data(), zero_.data()};
    }
    /// What a rule sees of the node, or of a side of the last split.
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
    std::int64_t rows_one() const { return rows_one_; }
    std::int64_t rows_zero() const { return rows_zero_; }

  private:
    static void describe(const std::vector<std::int64_t>& weights, std::int64_t rows,
                         NodeContext& context) {
        context.weight = sum(weights);
        context.error = context.weight - *std::max_element(weights.begin(), weights.end());
        context.rows = rows;
        context.class_weights = weights;
    }
    std::int64_t seen_of(const std::vector<std::int64_t>& plane_weight,
                         const std::vector<std::int64_t>& classes_of_it) const {
        const int plane = data_.planes().seen;
        return plane >= 0 ? plane_weight[plane] : sum(classes_of_it);
    }
    std::int64_t tied(const std::vector<std::int64_t>& plane_weight) const {
        return data_.planes().tied >= 0 ? plane_weight[data_.planes().tied] : 0;
    }
    static std::int64_t sum(const std::vector<std::int64_t>& weight) {
        std::int64_t total = 0;
        for (const std::int64_t w : weight) total += w;
        return total;
    }

    const Dataset& data_;
    const Node& node_;
    std::vector<std::int64_t> total_, one_, zero_, side_;
    std::int64_t rows_one_ = 0, rows_zero_ = 0;
};

/// A gain in multiples of kGainUnit.
inline std::int64_t whole_gain(double gain) {
    return std::llround(gain / kGainUnit);
}

}  // namespace beamtree
