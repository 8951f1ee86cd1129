// Gains of all features of a node, from the original class weights (cancelled rows included).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "search/node.hpp"

namespace beamtree {

/// Class weights of a node and of the two sides of a feature.
class ClassWeights {
  public:
    ClassWeights(const Dataset& data, const Node& node)
        : data_(data), node_(node), total_(data.planes().classes) {
        for (int k = 0; k < classes(); ++k)
            total_[k] = node.plane_weight[k] + tied(node.plane_weight);
    }
    int classes() const { return data_.planes().classes; }
    const std::vector<std::int64_t>& total() const { return total_; }
    /// Weights of the classes where feature `f` is 1 and where it is 0.
    void split(int f, std::vector<std::int64_t>& one, std::vector<std::int64_t>& zero) {
        side_.assign(data_.planes().count, 0);
        const Word* column = node_.column(f);
        for (std::size_t s = 0; s < node_.segment_rows.size(); ++s) {
            std::int64_t rows = 0;
            for (int w = node_.segment_word[s]; w < node_.segment_word[s + 1]; ++w)
                rows += popcount(column[w]);
            side_[data_.segments()[s].plane] += rows << data_.segments()[s].shift;
        }
        one.resize(classes());
        zero.resize(classes());
        for (int k = 0; k < classes(); ++k) {
            one[k] = side_[k] + tied(side_);
            zero[k] = total_[k] - one[k];
        }
        rows_one_ = data_.planes().rows >= 0 ? side_[data_.planes().rows] : sum(one);
        rows_zero_ = data_.planes().rows >= 0 ? node_.rows - rows_one_ : sum(zero);
    }
    std::int64_t rows_one() const { return rows_one_; }
    std::int64_t rows_zero() const { return rows_zero_; }

  private:
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
    std::vector<std::int64_t> total_, side_;
    std::int64_t rows_one_ = 0, rows_zero_ = 0;
};

/// The gain of a split, as a whole number of 2^-40 of the node's weight, so that machines whose
/// logarithms differ in the last bit still agree on ties.
template <class Impurity>
std::int64_t gain_of(const ClassWeights& weights, const std::vector<std::int64_t>& one,
                     const std::vector<std::int64_t>& zero) {
    const int k = weights.classes();
    const double gain = Impurity::weighted_impurity(weights.total().data(), k) -
                        Impurity::weighted_impurity(one.data(), k) -
                        Impurity::weighted_impurity(zero.data(), k);
    double total = 0;
    for (const std::int64_t weight : weights.total()) total += static_cast<double>(weight);
    return std::llround(gain / total * 1099511627776.0);
}

}  // namespace beamtree
