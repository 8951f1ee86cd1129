// Solves subproblems of one, two and three levels exactly, over groups of equal rows. It offers the
// passes what ExactSolver offers them over columns of bits.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cache/cell_table.hpp"
#include "cache/facts.hpp"
#include "cache/tree_size.hpp"
#include "data/aligned.hpp"
#include "grouped/grouped_node.hpp"
#include "kernel/kernel.hpp"
#include "limits/limits.hpp"
#include "limits/stoppable_loop.hpp"
#include "objective/squared_error.hpp"
#include "options/options.hpp"
#include "options/statistics.hpp"

namespace beamtree {

/// Packed sums of all pairs of features of a node, and of the features.
struct PairSums {
    int features = -1, stride = 0;
    CoverHash of;                     ///< the cover that was summed up, if features >= 0
    std::vector<std::int64_t> pairs;  ///< (features, stride), on the diagonal and to its right
    std::vector<double> weight;       ///< (stride,)
    std::vector<double> value;        ///< (stride,) times the factor of the objective

    std::int64_t* row(int f) { return pairs.data() + static_cast<std::size_t>(f) * stride; }
    const std::int64_t* row(int f) const {
        return pairs.data() + static_cast<std::size_t>(f) * stride;
    }
    std::int64_t pair(int f, int g) const { return f < g ? row(f)[g] : row(g)[f]; }
    /// Sets the shape, and all sums to 0.
    void start(int all_features);
};

/// Lower bounds of the children of all features of a node.
struct GroupedBounds {
    std::vector<Cost> side[2];  ///< (features,) where the feature is 0, and where it is 1

    void clear(int features) {
        for (auto& bounds : side) bounds.assign(features, 0);
    }
    Cost at(int f, bool one) const { return side[one][f]; }
    void raise(int f, bool one, Cost lower) {
        if (lower > side[one][f]) side[one][f] = lower;
    }
};

/// One side of a split, before anything is searched.
struct GroupedSide {
    std::int64_t rows = 0;  ///< weight
    Cost leaf = 0;
    bool closed = false;  ///< the leaf is optimal

    /// The best lower bound that is known, with another one.
    Cost floor(const Objective& objective, Cost bound) const {
        return closed ? leaf : std::min(leaf, std::max(bound, objective.penalty));
    }
};

class GroupedSolver {
  public:
    GroupedSolver(const GroupedData& data, const SquaredError& objective, const Kernel& kernel,
                  const Options& options, CellTable& cells, Meter& meter, Statistics& statistics);
    GroupedSolver(const GroupedSolver&) = delete;  // its parts refer to each other
    GroupedSolver& operator=(const GroupedSolver&) = delete;

    /// Adds to `facts` what an exact search of trees of this size (1 to 3 levels) finds below
    /// `bound`. If the search is stopped meanwhile, `facts` gets the trees that were found by then
    /// and no lower bound. Uses `sums` for the sums of the node. Probes are searched as all passes.
    void solve(const GroupedNode& node, PairSums& sums, const TreeSize& size, Cost bound,
               Facts& facts, bool probe = false);
    /// Sums up the pairs of a node. Returns false if the search was stopped meanwhile.
    [[nodiscard]] bool count(const GroupedNode& node, PairSums& sums);
    /// Does the same, and sets `scores` (features,) to the cost of the best tree of depth 2 whose
    /// first split is each feature. Returns the optimum of two levels, or nothing if the search was
    /// stopped meanwhile.
    [[nodiscard]] std::optional<Cost> score2(const GroupedNode& node, PairSums& sums,
                                             std::vector<Cost>& scores);
    /// Sets `scores` to the cost of the best tree of this size, which has three levels, whose first
    /// split is each feature, and adds to `facts` what it finds.
    void score3(const GroupedNode& node, PairSums& sums, const TreeSize& size, Facts& facts,
                std::vector<Cost>& scores);
    GroupedSide side(const GroupedNode& node, int f, bool one) const;
    GroupedSide side(const GroupedNode& node, const PairSums&, int f, bool one) const {
        return side(node, f, one);
    }
    /// Sets the bounds of all children to 0: a bound of a node says nothing about a part of it.
    void start_bounds(const GroupedNode& node, const PairSums&, Cost, GroupedBounds& bounds) {
        bounds.clear(node.features);
    }
    /// Raises the bounds of the children of all features that are supersets of the children of `f`.
    void bound_siblings(const GroupedNode& node, const PairSums& sums, int f, Cost lower_one,
                        Cost lower_zero, GroupedBounds& bounds);

  private:
    /// Optima of the two sides of a split, or lower bounds of them.
    struct Cells {
        Cost side[2] = {0, 0};
        bool exact = false;
    };
    /// The same with at most three leaves, and with four.
    struct LimitedCells {
        Cost three[2] = {0, 0}, four[2] = {0, 0};
    };

    void solve1(const GroupedNode& node, Facts& facts);
    void solve2(const GroupedNode& node, PairSums& sums, bool three_leaves, Facts& facts);
    /// If `all_scores`, sets `scores` as score3 does. Else a feature that cannot be the best may
    /// get only a lower bound.
    void solve3(const GroupedNode& node, PairSums& sums, Cost bound, Facts& facts,
                std::vector<Cost>& scores, bool all_scores);
    void solve3_limited(const GroupedNode& node, PairSums& sums, const TreeSize& size, Cost bound,
                        Facts& facts, std::vector<Cost>& scores, bool all_scores);
    Cells cells(const GroupedNode& node, const PairSums& sums, int f, Cost goal);
    LimitedCells limited_cells(const GroupedNode& node, const PairSums& sums, int f);
    /// Adds the pairs of a group of the node to a matrix of sums by item.
    static void add(const GroupedNode& node, std::uint32_t group, PairSums& sums);
    /// Turns sums by item into sums by feature.
    void add_up_chains(const GroupedNode& node, PairSums& sums) const;
    /// Sums up the smaller side of feature `f`. Returns whether that is the side where it is 1.
    bool count_side(const GroupedNode& node, int f);
    /// Runs the kernel on one side of feature `f` that count_side has summed up, and returns the
    /// optimum of two levels.
    Cost score_side(const GroupedNode& node, const PairSums& sums, int f, bool one, bool counted);
    /// Runs the kernel. Returns the optimum of two levels of rows with these sums.
    Cost run_kernel(const PairSums& sums, const PairSums* whole, const GroupSums& all);
    /// What the best tree with three leaves of the rows that the kernel has scored costs.
    Cost three_leaves(const PairSums* whole, const GroupSums& all) const;
    Cost score_of(double weight, double value) const {
        return static_cast<Cost>(rounded(value * value / weight));
    }
    std::int64_t pair_work(const GroupedNode& node) const {
        return 3 + static_cast<std::int64_t>(node.features) * node.features;
    }

    const GroupedData& data_;
    const SquaredError& objective_;
    const Kernel& kernel_;
    const Options& options_;
    Statistics& statistics_;
    StoppableLoop loop_;
    CellTable& cell_table_;
    PairSums side_;  ///< of one side of a split
    std::vector<double> rest_weight_, rest_value_;
    std::vector<double> best_one_, best_zero_;  ///< what the kernel has found
    std::vector<std::uint8_t> inside_;          ///< (groups,)
    GroupedBounds bounds_, bounds_of_three_;
    std::vector<Cost> stump_[2];               ///< (features,) sides with at most one split
    std::vector<std::pair<Cost, int>> order_;  ///< features by score
    std::vector<Cost> scores_;                 ///< scratch, for callers who want no scores
};

}  // namespace beamtree
