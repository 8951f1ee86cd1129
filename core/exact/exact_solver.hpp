// Solves subproblems of one, two and three levels exactly, by kernels. Callers need not know the
// lanes in which kernels count.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cache/cache.hpp"
#include "cache/cell_table.hpp"
#include "cache/tree_size.hpp"
#include "data/dataset.hpp"
#include "exact/child_bounds.hpp"
#include "exact/two_levels.hpp"
#include "kernel/kernel.hpp"
#include "limits/limits.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/node.hpp"
#include "node/node_counts.hpp"
#include "objective/misclassification.hpp"
#include "options/options.hpp"
#include "options/statistics.hpp"

namespace beamtree {

/// Optima of the two sides of a split, or lower bounds of them.
struct CellPair {
    Cost one = 0, zero = 0;
    bool exact = false;
};

/// The two numbers that two levels say of the two sides of a split (0 and 1).
struct ExtendedCells {
    Cost two_levels[2] = {0, 0};  ///< optima with two levels
    Cost extra[2] = {0, 0};
    bool exact = false;  ///< false if the search was stopped
};

class ExactSolver {
  public:
    ExactSolver(const Dataset& data, const Misclassification& objective, const Kernel& kernel,
                const Options& options, CellTable& cell_table, Meter& meter,
                Statistics& statistics);
    ExactSolver(const ExactSolver&) = delete;  // its parts refer to each other
    ExactSolver& operator=(const ExactSolver&) = delete;

    /// The most bytes that the store of triples of a node may take, and the pair counts of a node
    /// that can be swept instead.
    void set_bytes(std::size_t triples, std::size_t pairs) {
        two_levels_.set_triple_bytes(triples);
        two_levels_.set_pair_bytes(pairs);
    }
    /// Adds to `facts` what an exact search of trees of this size (1 to 3 levels) finds below
    /// `bound`. If the search is stopped meanwhile, `facts` gets the trees that were found by then
    /// and no lower bound. Uses `counts` for the counts of the node. A probe looks for no trees.
    void solve(const Node& node, NodeCounts& counts, const TreeSize& size, Cost bound, Facts& facts,
               bool probe = false);

    /// Counts a node. Returns false if the search was stopped meanwhile.
    [[nodiscard]] bool count(const Node& node, NodeCounts& counts);
    /// Counts the node and sets `scores` (features,) to the cost of the best tree of depth 2 whose
    /// first split is each feature. Returns the optimum of two levels, or nothing if the search was
    /// stopped meanwhile.
    [[nodiscard]] std::optional<Cost> score2(const Node& node, NodeCounts& counts,
                                             std::vector<Cost>& scores);
    /// Does the same, and sets the costs of stumps.
    [[nodiscard]] std::optional<Cost> score_stumps(const Node& node, NodeCounts& counts,
                                                   std::vector<Cost>& scores, StumpCosts& stumps);
    /// Sets `scores` to the cost of the best tree of this size, which has three levels, whose first
    /// split is each feature, and adds to `facts` what it finds. Ends early when a tree meets the
    /// lower bound.
    void score3(const Node& node, NodeCounts& counts, const TreeSize& size, Facts& facts,
                std::vector<Cost>& scores);

    /// The functions below need a node that is counted in `counts`.

    /// Returns the optima of depth 2 of the two sides of feature `f`, which are not exact if the
    /// search was stopped meanwhile.
    CellPair cells(const Node& node, NodeCounts& counts, int f, const CoverHash& hash_one);
    /// Returns two numbers for each of the wanted sides of feature `f`.
    ExtendedCells extended_cells(const Node& node, NodeCounts& counts, int f,
                                 const CoverHash& hash_one, CellExtra which, const bool wanted[2]);
    /// Returns weight, rows and leaf of one side of feature `f`.
    SideSummary side(const Node& node, const NodeCounts& counts, int f, bool one) const;
    /// Whether both sides of feature `f` have enough rows.
    bool admissible(const Node& node, const NodeCounts& counts, int f) const {
        return with_lanes(node,
                          [&](auto lane) { return admissible<decltype(lane)>(node, counts, f); });
    }
    /// Sets the bounds of all children from `shallow`, a lower bound of the node with one level
    /// less, and from equal rows of different classes.
    void start_bounds(const Node& node, const NodeCounts& counts, Cost shallow,
                      ChildBounds& bounds);
    /// Raises the bounds of the children of all features by those of the children of `f`.
    void bound_siblings(const Node& node, const NodeCounts& counts, int f, Cost lower_one,
                        Cost lower_zero, ChildBounds& bounds);

  private:
    void solve1(const Node& node, Facts& facts);
    template <class T>
    void solve2(const Node& node, NodeCounts& counts, Facts& facts);
    /// Does the same with at most three leaves.
    template <class T>
    void solve2_limited(const Node& node, NodeCounts& counts, Facts& facts);
    /// If `all_scores`, sets `scores` as score3 does. Else a feature that cannot be the best may
    /// get only a lower bound.
    template <class T>
    void solve3(const Node& node, NodeCounts& counts, Cost bound, Facts& facts,
                std::vector<Cost>& scores, bool all_scores, bool probe = false);
    /// Does the same with a limit of leaves, from four to seven.
    template <class T>
    void solve3_limited(const Node& node, NodeCounts& counts, const TreeSize& size, Cost bound,
                        Facts& facts, std::vector<Cost>& scores, bool all_scores);
    /// The least cost of a tree with three leaves that begins with feature `f`, from stumps_.
    template <class T>
    Cost three_leaves(const Node& node, const NodeCounts& counts, int f) const;
    CoverHash hash_of_side(const Node& node, int f);
    /// Returns only lower bounds of the optima if those reach `goal` together.
    template <class T>
    CellPair cells(const Node& node, NodeCounts& counts, int f, const CoverHash& hash_one,
                   const ChildBounds& bounds, Cost goal);
    template <class T>
    ExtendedCells extended_cells(const Node& node, NodeCounts& counts, int f,
                                 const CoverHash& hash_one, CellExtra which, const bool wanted[2]);
    template <class T>
    SideSummary side(const Node& node, const NodeCounts& counts, int f, bool one) const;
    template <class T>
    bool admissible(const Node& node, const NodeCounts& counts, int f) const {
        const auto rows_one = static_cast<std::int64_t>(counts.lanes<T>().rows_one[f]);
        return objective_.can_split(rows_one, node.rows - rows_one);
    }
    template <class T>
    void start_bounds(const Node& node, const NodeCounts& counts, Cost shallow,
                      ChildBounds& bounds);
    template <class T>
    void bound_siblings(const Node& node, const NodeCounts& counts, int f, Cost lower_one,
                        Cost lower_zero, ChildBounds& bounds);
    /// Puts the optimum of two levels into the table, if it was found.
    std::optional<Cost> remember(const Node& node, std::optional<Cost> optimum);

    const Dataset& data_;
    const Misclassification& objective_;
    const Kernel& kernel_;
    const Options& options_;
    Statistics& statistics_;
    StoppableLoop loop_;
    TwoLevelSolver two_levels_;
    CellTable& cell_table_;
    ChildBounds bounds_;                       ///< bounds of the node that solve3 searches
    ChildBounds bounds_of_three_;              ///< the same for children of at most three leaves
    StumpCosts stumps_;                        ///< of the node whose leaves are limited
    std::vector<std::pair<Cost, int>> order_;  ///< its features by score, or by balance
    std::vector<Cost> scores_;                 ///< scratch, for callers who want no scores
};

}  // namespace beamtree
