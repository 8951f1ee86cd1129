// What a search minimises. What the rest of the core knows about the cost of a leaf is here and in
// planes.hpp. The kernels have the same formulas once more, for lanes, and so has start_bounds in
// exact/exact_solver.cpp.
//
// The loss is the weight of the misclassified rows. To write another loss, copy this file and
// planes.hpp, and answer the same questions:
//   1. Which sums over its rows does a leaf need (LeafSums, Planes), and what does it cost
//      (leaf_cost)? Planes must be additive: the sum of a node is that of its two children, so
//      that kernels count one side of a split and subtract.
//   2. Which leaves need no search, because no split can be better (closed), and which splits are
//      allowed (can_split)?
//   3. What does every tree of a node cost at least (split_floor)?
//   4. By how much can an optimum fall when rows are removed (removal)? All bounds by similarity
//      rest on OPT(S) >= lower(S') - removal(weight(S' \ S)). A loss without such a bound must
//      switch them off: the options similarity_bound, archive_bound and parent_bound.
//   5. What do kernels return for the best tree of depth 2 (kernel/depth2.hpp), and what does that
//      cost (error_cost)? How do bounds enter the lanes (lane_bound)?
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace beamtree {

/// Cost of a tree: unit * (weight of the misclassified rows) + penalty * (leaves - 1). Costs are
/// integers, so that `lower == upper` is exact.
using Cost = std::int64_t;
inline constexpr Cost kInfiniteCost = std::numeric_limits<Cost>::max() / 4;

/// The sums over its rows that decide what a leaf predicts and costs.
struct LeafSums {
    std::int64_t weight = 0;    ///< weight of all rows
    std::int64_t majority = 0;  ///< weight of the heaviest class, which the leaf predicts

    void add_class(std::int64_t class_weight) {
        weight += class_weight;
        majority = std::max(majority, class_weight);
    }
    /// Weight that the leaf misclassifies.
    std::int64_t error() const { return weight - majority; }
};

struct Objective {
    Cost unit = 1;                ///< cost of one unit of misclassified weight
    Cost penalty = 0;             ///< cost of one more leaf
    std::int64_t min_rows = 1;    ///< rows that every leaf must hold, or weight
    bool rows_are_weight = true;  ///< weight is what counts, or every row weighs 1

    /// Cost of leaves that misclassify this weight.
    Cost error_cost(std::int64_t error) const { return unit * error; }
    Cost leaf_cost(const LeafSums& sums) const { return error_cost(sums.error()); }

    /// Whether a leaf is optimal, because it costs no more than the penalty of a split or because
    /// its rows are too few for two leaves.
    bool closed(Cost leaf_cost, std::int64_t rows) const {
        return leaf_cost <= penalty || rows < 2 * min_rows;
    }
    /// Whether leaves have a minimum beyond the one row that every leaf has.
    bool has_minimum() const { return min_rows > 1; }
    /// Whether both sides of a split have enough rows.
    bool can_split(std::int64_t rows_one, std::int64_t rows_zero) const {
        return rows_one >= min_rows && rows_zero >= min_rows;
    }
    /// Least cost of a node whose leaf is not closed, if every tree misclassifies `least_error`:
    /// the leaf costs more than the penalty of a split.
    Cost split_floor(std::int64_t least_error) const {
        return std::max(penalty, error_cost(least_error));
    }

    /// The most splits of a tree that costs less than `cost`, if the errors of every tree cost at
    /// least `unavoidable`. There must be a penalty.
    std::int64_t most_splits(Cost cost, Cost unavoidable) const {
        return (cost - 1 - unavoidable) / penalty;
    }
    /// Whether one side of a split can be worth the penalty of the split. If its heaviest class
    /// weighs no more than the penalty, no leaf below has more right than that, and each of them
    /// can be joined to the leaves beside it without a loss.
    bool pays(const LeafSums& side) const { return error_cost(side.majority) > penalty; }

    /// The most by which removing rows of this weight lowers an optimum: their own cost.
    Cost removal(std::int64_t weight) const { return unit * weight; }
    /// The least weight whose removal can lower an optimum by `cost`, which is positive.
    std::int64_t removed_weight(Cost cost) const {
        return unit == 1 ? cost : (cost + unit - 1) / unit;
    }
    /// Whether bounds by similarity hold only if the rows are a subset of the rows of the bound:
    /// else a tree of the one may have leaves that are too small for the other.
    bool similar_is_subset() const { return has_minimum(); }
    /// A lower bound as lanes hold it: the largest whole weight whose removal costs at most
    /// `lower`.
    std::int64_t lane_bound(Cost lower) const { return lower <= 0 ? 0 : lower / unit; }

    /// Whether kernels count margins, the weight of the first class less that of the second, in
    /// place of the two: a leaf of weight w and margin d misclassifies (w - |d|) / 2.
    bool counts_margins(int classes) const { return classes == 2 && !has_minimum(); }
    /// Whether equal rows of all classes cancel each other: whatever is predicted for them, all
    /// classes but one are wrong. The rows still count where leaves have a minimum.
    bool cancels_rows(int classes) const { return classes >= 2 && !has_minimum(); }
};

/// What every tree with `depth` levels costs at least: its leaves predict at most 2^depth classes,
/// and misclassify all rows of the others. `class_weight` is sorted.
inline Cost class_floor(const Objective& objective, std::vector<std::int64_t>& class_weight,
                        int depth) {
    const std::size_t leaves = std::size_t{1} << std::min(depth, 30);
    if (class_weight.size() <= leaves && objective.penalty == 0) return 0;
    std::sort(class_weight.begin(), class_weight.end(), std::greater<>());
    std::int64_t missed = 0;
    for (const std::int64_t weight : class_weight) missed += weight;
    Cost least = kInfiniteCost;
    for (std::size_t i = 0; i < std::min(leaves, class_weight.size()); ++i) {
        missed -= class_weight[i];
        least = std::min(least,
                         objective.error_cost(missed) + static_cast<Cost>(i) * objective.penalty);
    }
    return least;
}

}  // namespace beamtree
