// The bottom two levels: prepares the kernels' input, for a node or for the two sides of a split of
// it, and reads the best trees of depth 2 from their output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/dataset.hpp"
#include "exact/sweep.hpp"
#include "kernel/kernel.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/counts.hpp"
#include "node/node.hpp"
#include "node/node_buffers.hpp"
#include "objective/objective.hpp"
#include "options/options.hpp"

namespace beamtree {

/// One side of a split, before anything is searched.
struct SideSummary {
    std::int64_t weight = 0, rows = 0;
    Cost leaf = 0;        ///< as a leaf
    bool closed = false;  ///< the leaf is optimal

    /// The better of the bounds that are known: in lanes, and that a split costs its penalty.
    Cost floor(const Objective& objective, std::int64_t lane_bound) const {
        if (closed) return leaf;
        return std::min(leaf, std::max(objective.unit * lane_bound, objective.penalty));
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
          sweep_(data, kernel, loop) {}

    static constexpr std::size_t kTripleBytes = 32 << 20;
    /// The most that a level's store of triples may take; nodes that need more count every side.
    void set_triple_bytes(std::size_t bytes) { triple_bytes_ = bytes; }
    static constexpr std::size_t kAnyBytes = static_cast<std::size_t>(-1);
    /// The most that the pair counts of a node may take that can do without: larger ones are swept.
    void set_pair_bytes(std::size_t bytes) { pair_bytes_ = bytes; }

    /// All of these may be stopped; then they give nothing or false, and nothing may be learned
    /// from what they were to fill.

    template <class T>
    [[nodiscard]] bool count(const Node& node, NodeBuffers& buffers) {
        return buffers.count<T>(data_, node, objective_, counter_);
    }
    /// Counts the node in `buffers` and sets buffers.score to the cost of the best tree of depth 2
    /// whose first split is each feature. Returns the optimum of depth 2.
    template <class T>
    [[nodiscard]] std::optional<Cost> score(const Node& node, NodeBuffers& buffers);
    /// The same without pair counts, for a node of which nothing else is asked.
    template <class T>
    [[nodiscard]] std::optional<Cost> sweep(const Node& node, NodeBuffers& buffers);
    /// Whether that is better: for less work, or for not much more if the pair counts are large.
    template <class T>
    [[nodiscard]] bool sweeps(const Node& node, const NodeBuffers& buffers);
    /// Optima of depth 2 of the `wanted` sides (0 and 1) of feature `f`, of a node counted in
    /// `buffers`.
    template <class T>
    [[nodiscard]] bool evaluate(const Node& node, NodeBuffers& buffers, int f,
                                const SideSummary sides[2], const bool wanted[2], Cost value[2]);

  private:
    template <class T>
    Depth2<T> start(const Node& node, const NodeBuffers& buffers) const;
    /// The node itself as the small side.
    template <class T>
    Depth2<T> start_whole(const Node& node, NodeBuffers& buffers) const;
    template <class T>
    Cost best_of_whole(const Node& node, NodeBuffers& buffers, const Depth2<T>& in) const;
    /// What `score` would cost.
    template <class T>
    std::int64_t score_work(const Node& node, const NodePlanes& planes, bool margins) const;
    bool select_small_side(const Node& node, NodeBuffers& buffers, int f);
    template <class T>
    void fill_sides(const Node& node, NodeBuffers& buffers, int f, bool small_is_one) const;
    /// The selected rows of some features, packed.
    std::optional<PackedRows> pack(const Node& node, NodeBuffers& buffers,
                                   const std::vector<int>& features, int stride);
    template <class T>
    bool triples_fit(const Node& node, const NodeBuffers& buffers) const;
    template <class T>
    [[nodiscard]] bool count_apart(const Node& node, NodeBuffers& buffers, const PackedRows& rows);
    /// Pair counts of the side where `f` is 1, of which those that the store has are not counted.
    template <class T>
    [[nodiscard]] bool count_one_side(const Node& node, NodeBuffers& buffers, int f,
                                      bool selected_one);
    template <class T>
    void fill_one_side(const Node& node, NodeBuffers& buffers, int f, int plane,
                       bool selected_one) const;
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
    std::size_t triple_bytes_ = kTripleBytes, pair_bytes_ = kAnyBytes;
    Counter counter_;
    Sweep sweep_;
    NodePlanes planes_;  ///< of a node that may be swept
    /// Of what is looked at, a side or a row of pairs: no level needs them longer, so that they are
    /// here once.
    AlignedBuffer small_pairs_, rest_pairs_, side_columns_;
    std::vector<int> rest_;  ///< features of a node that are not in the store
};

}  // namespace beamtree
