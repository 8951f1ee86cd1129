// The exact bottom: the optima of subproblems of one, two and three levels, by kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "cache/cache.hpp"
#include "cache/cell_table.hpp"
#include "data/dataset.hpp"
#include "exact/two_levels.hpp"
#include "kernel/kernel.hpp"
#include "limits/limits.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/node.hpp"
#include "node/node_buffers.hpp"
#include "objective/objective.hpp"
#include "options/options.hpp"
#include "options/statistics.hpp"

namespace beamtree {

/// Optima of the two sides of a split, or lower bounds of them.
struct CellPair {
    Cost one = 0, zero = 0;
    bool exact = false;
};

/// Calls `function` with a value of the narrowest lane type that holds the node's weights, and
/// their differences with a sign.
template <class Function>
decltype(auto) with_lanes(const Node& node, Function function) {
    const std::int64_t most = std::max(node.weight, node.rows);
    if (most <= 0x7FFF) return function(std::uint16_t{});
    if (most <= 0x7FFFFFFF) return function(std::uint32_t{});
    return function(std::uint64_t{});
}

class ExactSolver {
  public:
    ExactSolver(const Dataset& data, const Objective& objective, const Kernel& kernel,
                const Options& options, CellTable& cell_table, Meter& meter,
                Statistics& statistics);
    ExactSolver(const ExactSolver&) = delete;  // its parts refer to each other
    ExactSolver& operator=(const ExactSolver&) = delete;

    /// The most that one level's store of triples, and pair counts that can be done without, take.
    void set_bytes(std::size_t triples, std::size_t pairs) {
        pairs_.set_triple_bytes(triples);
        pairs_.set_pair_bytes(pairs);
    }
    /// Adds to `facts` what an exact search of `depth` levels (1 to 3) finds below `bound`. If it
    /// is stopped, what it has found by then, and no lower bound.
    void solve(const Node& node, NodeBuffers& buffers, int depth, Cost bound, Facts& facts);

    /// Counts a node in `buffers`. False: it was stopped.
    template <class T>
    [[nodiscard]] bool count(const Node& node, NodeBuffers& buffers) {
        return pairs_.count<T>(node, buffers);
    }
    /// TwoLevelSolver::score, remembered.
    template <class T>
    [[nodiscard]] std::optional<Cost> score(const Node& node, NodeBuffers& buffers);
    /// The same for three levels. buffers.score becomes the cost of the best tree of depth 3 whose
    /// first split is each feature; unless `all_scores`, a lower bound of it where that is enough
    /// to see that it is not the best. Ends early when a tree meets the lower bound.
    template <class T>
    void solve3(const Node& node, NodeBuffers& buffers, Cost bound, Facts& facts, bool all_scores);
    /// Optima of depth 2 of the two sides of feature `f`, of a node counted in `buffers`; only
    /// lower bounds of them if those reach `goal`, or if it is stopped.
    template <class T>
    CellPair cells(const Node& node, NodeBuffers& buffers, int f, const CoverHash& hash_one,
                   Cost goal);

    /// The sides of feature `f` of a node counted in `buffers`.
    template <class T>
    SideSummary side(const Node& node, NodeBuffers& buffers, int f, bool one) const;
    template <class T>
    bool admissible(const Node& node, NodeBuffers& buffers, int f) const {
        const auto rows_one =
            static_cast<std::int64_t>(std::get<NodeLanes<T>>(buffers.lanes).counts.rows_one[f]);
        return rows_one >= objective_.min_rows && node.rows - rows_one >= objective_.min_rows;
    }
    /// Sets the bounds in lanes of all children, from the optimum of the node with one level less
    /// (or a lower bound of it) and from equal rows of different classes.
    template <class T>
    void start_bounds(const Node& node, NodeBuffers& buffers, Cost shallow);
    /// Bounds the children of all features by those of `f`.
    template <class T>
    void bound_siblings(const Node& node, NodeBuffers& buffers, int f, Cost lower_one,
                        Cost lower_zero);

  private:
    void solve1(const Node& node, Facts& facts);
    template <class T>
    void solve2(const Node& node, NodeBuffers& buffers, Facts& facts);
    /// Tells the table the optimum of two levels, if it was found.
    std::optional<Cost> remember(const Node& node, std::optional<Cost> optimum);

    const Dataset& data_;
    const Objective& objective_;
    const Kernel& kernel_;
    const Options& options_;
    Statistics& statistics_;
    StoppableLoop loop_;
    TwoLevelSolver pairs_;
    CellTable& cell_table_;
};

}  // namespace beamtree
