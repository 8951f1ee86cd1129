// Solves the bottom two levels. It prepares the input of the kernels, for a node or for the two
// sides of a split of it, and reads the best trees of depth 2 from their output. The optimum of
// depth 2 of one side of a split is called a cell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/aligned.hpp"
#include "data/dataset.hpp"
#include "exact/side_rows.hpp"
#include "exact/sweep.hpp"
#include "exact/triples.hpp"
#include "kernel/kernel.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/counter.hpp"
#include "node/node.hpp"
#include "node/node_counts.hpp"
#include "objective/misclassification.hpp"
#include "options/options.hpp"

namespace beamtree {

/// One side of a split, before anything is searched.
struct SideSummary {
    std::int64_t weight = 0, rows = 0;
    Cost leaf = 0;        ///< cost of the side as a leaf
    bool closed = false;  ///< the leaf is optimal

    /// The best lower bound that is known, with the one that lanes hold.
    Cost floor(const Misclassification& objective, std::int64_t lane_bound) const {
        if (closed) return leaf;
        return std::min(leaf, objective.split_floor(lane_bound));
    }
};

/// A second number that two levels say of a cover, beside the optimum.
enum class CellExtra {
    kBound,        ///< no tree costs less, however deep it is; for searches at a price per leaf
    kThreeLeaves,  ///< the optimum with at most three leaves
};

/// For both sides of every feature of a node the least cost with at most one split.
struct StumpCosts {
    std::vector<Cost> side[2];  ///< (features,) where the feature is 0, and where it is 1
    Cost any_depth = 0;         ///< no tree of the node costs less, however deep it is
};

class TwoLevelSolver {
  public:
    /// Sides that have more than options.hooks.fused_granules granules per plane are counted by way
    /// of the store of triples.
    TwoLevelSolver(const Dataset& data, const Misclassification& objective, const Kernel& kernel,
                   StoppableLoop& loop, const Options& options)
        : data_(data),
          objective_(objective),
          kernel_(kernel),
          loop_(loop),
          options_(options),
          counter_(data, kernel, loop),
          rows_(data, kernel, loop),
          triples_(counter_, loop),
          sweep_(data, kernel, loop) {}

    /// The most bytes that the store of triples of a node may take. A node that needs more has
    /// none.
    void set_triple_bytes(std::size_t bytes) { triples_.set_bytes(bytes); }
    static constexpr std::size_t kAnyBytes = static_cast<std::size_t>(-1);
    /// The most bytes that the pair counts of a node may take if it can be swept instead.
    void set_pair_bytes(std::size_t bytes) { pair_bytes_ = bytes; }

    /// If the search is stopped meanwhile, the functions below return nothing or false, and their
    /// results must not be used.

    template <class T>
    [[nodiscard]] bool count(const Node& node, NodeCounts& counts) {
        return counts.count<T>(data_, node, objective_, counter_);
    }
    /// Counts the node and sets `scores` (features,) to the cost of the best tree of depth 2 whose
    /// first split is each feature. Returns the optimum of depth 2. Sets `stumps`, unless it is
    /// null.
    template <class T>
    [[nodiscard]] std::optional<Cost> score(const Node& node, NodeCounts& counts,
                                            std::vector<Cost>& scores,
                                            StumpCosts* stumps = nullptr);
    /// Does the same without pair counts, for a node that needs them for nothing else. `sweeps`
    /// must have been called for the node.
    template <class T>
    [[nodiscard]] std::optional<Cost> sweep(const Node& node, NodeCounts& counts,
                                            std::vector<Cost>& scores,
                                            StumpCosts* stumps = nullptr);
    /// Whether `sweep` is better than `score`: it takes less work, or not much more if the pair
    /// counts take much memory.
    template <class T>
    [[nodiscard]] bool sweeps(const Node& node, const NodeCounts& counts);
    /// Sets `value` to the optima of depth 2 of the wanted sides (0 and 1) of feature `f` of a node
    /// that is counted. Sets `extra`, unless it is null, to what `which` says of these sides.
    template <class T>
    [[nodiscard]] bool evaluate(const Node& node, NodeCounts& counts, int f,
                                const SideSummary sides[2], const bool wanted[2], Cost value[2],
                                CellExtra which = CellExtra::kBound, Cost* extra = nullptr);

  private:
    /// One side of a split: its class weights, and the kernel's output for it.
    template <class T>
    struct SideLanes {
        std::vector<const T*> single;  ///< [plane] -> (stride,)
        std::vector<T> total;          ///< [plane]
        const T* margin_single = nullptr;
        T margin_total = 0;
        T* rows = nullptr;                            ///< (stride,) rows in which a feature is 1
        T *best_one = nullptr, *best_zero = nullptr;  ///< (stride,)
    };
    /// Both sides of the split that is evaluated. The node itself is a small side alone.
    template <class T>
    struct SplitLanes {
        SideLanes<T> small, big;
        std::vector<T*> zero_single;  ///< [plane] -> (stride,) of the side where the split is 0
        T* zero_margin = nullptr;     ///< (stride,)
        std::vector<T*> small_pairs;  ///< [plane] -> (features, stride), if they are counted apart
        int stride = 0;
        AlignedBuffer arrays;
    };

    template <class T>
    SplitLanes<T>& lay_out(int planes, int stride);
    template <class T>
    Depth2<T> start(const Node& node, const NodeCounts& counts) const;
    /// Input of the kernel with the node itself as the small side.
    template <class T>
    Depth2<T> start_whole(const Node& node, const NodeCounts& counts);
    template <class T>
    Cost best_of_whole(const Node& node, const NodeCounts& counts, const Depth2<T>& in,
                       std::vector<Cost>& scores, StumpCosts* stumps = nullptr) const;
    /// Work of `score`.
    template <class T>
    std::int64_t score_work(const Node& node, const NodePlanes& planes, bool margins) const;
    template <class T>
    void fill_sides(const Node& node, const NodeCounts& counts, int f, bool small_is_one,
                    SplitLanes<T>& lanes) const;
    template <class T>
    [[nodiscard]] bool count_apart(const Node& node, const NodePlanes& planes,
                                   const PackedRows& rows, SplitLanes<T>& lanes);
    template <class T>
    [[nodiscard]] bool run(const Node& node, Depth2<T>& in);
    /// Returns the cost of the best tree of depth 2 of a side with these class weights. Sets
    /// `scores`, unless it is null, to that of the best tree with each first split.
    template <class T>
    Cost best_of(const Node& node, const Depth2<T>& in, const Side<T>& side,
                 const SideSummary& summary, const T* const* single, const T* total,
                 Cost* scores) const;
    /// Does the same, and sets `extra` to the number that is asked for. Sets `stumps`, unless it is
    /// null, to the costs of both sides of each first split.
    template <class T>
    Cost best_and_extra(const Node& node, const Depth2<T>& in, const Side<T>& side,
                        const SideSummary& summary, const T* const* single, const T* total,
                        Cost* scores, std::vector<Cost>* stumps, CellExtra which,
                        Cost& extra) const;

    const Dataset& data_;
    const Misclassification& objective_;
    const Kernel& kernel_;
    StoppableLoop& loop_;
    const Options& options_;
    std::size_t pair_bytes_ = kAnyBytes;
    Counter counter_;
    SideRows rows_;
    TripleCounter triples_;
    Sweep sweep_;
    NodePlanes planes_;  ///< planes of the node that `sweeps` looks at
    AlignedBuffer small_pairs_;
    PerLane<SplitLanes> lanes_;
};

}  // namespace beamtree
