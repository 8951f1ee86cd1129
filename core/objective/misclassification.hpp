// The weight of the misclassified rows, the objective of classification. It is searched over
// columns of bits, too, so it answers more questions than SearchObjective asks: planes.hpp has the
// sums that kernels count there. The kernels have the same formulas once more, for lanes, and so
// has start_bounds in exact/exact_solver.cpp.
//
// All bounds by similarity rest on OPT(S) >= lower(S') - removal(weight(S' \ S)).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "objective/objective.hpp"
#include "objective/targets.hpp"

namespace beamtree {

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

/// The classes and weights of the rows of a node.
struct ClassRows {
    std::vector<std::uint16_t> label;
    std::vector<std::int64_t> weight;  ///< empty if all rows weigh 1
    int classes = 0;

    void read(const Targets& targets) {
        label.assign(targets.label, targets.label + targets.rows);
        weight.clear();
        if (!targets.unit_weights()) weight.assign(targets.weight, targets.weight + targets.rows);
        classes = targets.classes;
    }
    void start(const ClassRows& parent, int rows) {
        label.resize(rows);
        weight.resize(parent.weighted() ? rows : 0);
        classes = parent.classes;
    }
    void copy(int to, const ClassRows& parent, int from) {
        label[to] = parent.label[from];
        if (parent.weighted()) weight[to] = parent.weight[from];
    }
    bool weighted() const { return !weight.empty(); }
    std::int64_t weight_of(std::uint32_t i) const { return weight.empty() ? 1 : weight[i]; }
};

/// The weight of each class.
struct ClassSums {
    std::vector<std::int64_t> class_weight;
    std::int64_t weight = 0;

    void start(const ClassRows& rows) {
        class_weight.assign(rows.classes, 0);
        weight = 0;
    }
    void add(const ClassRows& rows, std::uint32_t i) {
        const std::int64_t w = rows.weight_of(i);
        class_weight[rows.label[i]] += w;
        weight += w;
    }
    void set_rest(const ClassSums& whole, const ClassSums& part) {
        class_weight = whole.class_weight;
        for (std::size_t k = 0; k < class_weight.size(); ++k)
            class_weight[k] -= part.class_weight[k];
        weight = whole.weight - part.weight;
    }
    LeafSums leaf() const {
        LeafSums sums;
        for (const std::int64_t w : class_weight) sums.add_class(w);
        return sums;
    }
};

/// Cost of a tree: unit * (weight of the misclassified rows) + penalty * (leaves - 1).
struct Misclassification final : Objective {
    using Rows = ClassRows;
    using Sums = ClassSums;
    using Objective::Objective;

    /// Cost of leaves that misclassify this weight: `unit` is the cost of one unit of it.
    Cost error_cost(std::int64_t error) const { return unit * error; }
    Cost leaf_cost(const LeafSums& sums) const { return error_cost(sums.error()); }
    Cost leaf_cost(const ClassSums& sums) const { return leaf_cost(sums.leaf()); }
    Cost cost_of_sums(const std::int64_t* class_weight, int classes) const override {
        LeafSums leaf;
        for (int k = 0; k < classes; ++k) leaf.add_class(class_weight[k]);
        return leaf_cost(leaf);
    }

    /// Least cost of a node whose leaf is not closed, if every tree misclassifies `least_error`:
    /// the leaf costs more than the penalty of a split.
    Cost split_floor(std::int64_t least_error) const {
        return std::max(penalty, error_cost(least_error));
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
    /// Nothing is rounded.
    static Cost slack(int, std::int64_t) { return 0; }
    /// A lower bound as lanes hold it: the largest whole weight whose removal costs at most
    /// `lower`.
    std::int64_t lane_bound(Cost lower) const { return lower <= 0 ? 0 : lower / unit; }

    /// Whether kernels count margins, the weight of the first class less that of the second, in
    /// place of the two: a leaf of weight w and margin d misclassifies (w - |d|) / 2.
    bool counts_margins(int present) const { return present == 2 && !has_minimum(); }
    /// Whether equal rows of all classes cancel each other: whatever is predicted for them, all
    /// classes but one are wrong. The rows still count where leaves have a minimum.
    bool cancels_rows(int present) const { return present >= 2 && !has_minimum(); }

    inline Cost floor(const ClassSums& sums, int depth) const;
};

/// What every tree with `depth` levels costs at least: its leaves predict at most 2^depth classes,
/// and misclassify all rows of the others. `class_weight` is sorted.
inline Cost class_floor(const Misclassification& objective, std::vector<std::int64_t>& class_weight,
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

Cost Misclassification::floor(const ClassSums& sums, int depth) const {
    std::vector<std::int64_t> class_weight = sums.class_weight;
    return class_floor(*this, class_weight, depth);
}

}  // namespace beamtree
