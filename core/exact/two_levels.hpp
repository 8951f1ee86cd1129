// The bottom two levels: prepares the kernels' input, for a node or for the two sides of a split of
// it, and reads the best trees of depth 2 from their output.
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
#include "objective/objective.hpp"
#include "options/options.hpp"

namespace beamtree {

/// One side of a split, before anything is searched.
struct SideSummary {
    std::int64_t weight = 0, rows = 0;
    Cost leaf = 0;        ///< cost of the side as a leaf
    bool closed = false;  ///< the leaf is optimal

    /// The best lower bound that is known, with the one that lanes hold.
    Cost floor(const Objective& objective, std::int64_t lane_bound) const {
        if (closed) return leaf;
        return std::min(leaf, objective.split_floor(lane_bound));
    }
};

class TwoLevelSolver {
  public:
    /// The counts of sides of more than options.hooks.fused_granules granules a plane are worth
    /// keeping, see TripleStore.
    TwoLevelSolver(const Dataset& data, const Objective& objective, const Kernel& kernel,
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

    /// The most that the store of triples of a node may take; nodes that need more count every
    /// side.
    void set_triple_bytes(std::size_t bytes) { triples_.set_bytes(bytes); }
    static constexpr std::size_t kAnyBytes = static_cast<std::size_t>(-1);
    /// The most that the pair counts of a node may take that can do without: larger ones are swept.
    void set_pair_bytes(std::size_t bytes) { pair_bytes_ = bytes; }

    /// All of these may be stopped; then they give nothing or false, and nothing may be learned
    /// from what they were to fill.

    template <class T>
    [[nodiscard]] bool count(const Node& node, NodeCounts& counts) {
        return counts.count<T>(data_, node, objective_, counter_);
    }
    /// Counts the node and sets `scores` (features,) to the cost of the best tree of depth 2 whose
    /// first split is each feature. Returns the optimum of depth 2.
    template <class T>
    [[nodiscard]] std::optional<Cost> score(const Node& node, NodeCounts& counts,
                                            std::vector<Cost>& scores);
    /// The same without pair counts, for a node of which nothing else is asked.
    template <class T>
    [[nodiscard]] std::optional<Cost> sweep(const Node& node, NodeCounts& counts,
                                            std::vector<Cost>& scores);
    /// Whether that is better: for less work, or for not much more if the pair counts are large.
    template <class T>
    [[nodiscard]] bool sweeps(const Node& node, const NodeCounts& counts);
    /// Optima of depth 2 of the `wanted` sides (0 and 1) of feature `f`, of a node that is counted.
    template <class T>
    [[nodiscard]] bool evaluate(const Node& node, NodeCounts& counts, int f,
                                const SideSummary sides[2], const bool wanted[2], Cost value[2]);

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
    };

    template <class T>
    SplitLanes<T>& lay_out(int planes, int stride);
    template <class T>
    Depth2<T> start(const Node& node, const NodeCounts& counts) const;
    /// The node itself as the small side.
    template <class T>
    Depth2<T> start_whole(const Node& node, const NodeCounts& counts);
    template <class T>
    Cost best_of_whole(const Node& node, const NodeCounts& counts, const Depth2<T>& in,
                       std::vector<Cost>& scores) const;
    /// What `score` would cost.
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
    /// The best tree of depth 2 of a side with these class weights; `scores` for every first split.
    template <class T>
    Cost best_of(const Node& node, const Depth2<T>& in, const Side<T>& side,
                 const SideSummary& summary, const T* const* single, const T* total,
                 Cost* scores) const;

    const Dataset& data_;
    const Objective& objective_;
    const Kernel& kernel_;
    StoppableLoop& loop_;
    const Options& options_;
    std::size_t pair_bytes_ = kAnyBytes;
    Counter counter_;
    SideRows rows_;
    TripleCounter triples_;
    Sweep sweep_;
    NodePlanes planes_;  ///< of a node that may be swept
    AlignedBuffer arrays_, small_pairs_;
    PerLane<SplitLanes> lanes_;
};

}  // namespace beamtree
