// Solves the bottom two levels without keeping a matrix of pair counts: only one of its rows exists
// at a time, and it is used at once.
//
// Along a chain (see chains.hpp) the matrix row of a feature follows from that of the feature
// before: the few rows of the node that are new add their weight to all features that are 1 in
// them, at most one range per chain. Where too many rows are new, the matrix row is counted
// instead. So m tests of a few columns of n numbers take n updates per column, of m / 2 features
// each, instead of m^2 / 2 counts of n rows.
#pragma once

#include <cstdint>
#include <vector>

#include "data/dataset.hpp"
#include "exact/chains.hpp"
#include "kernel/kernel.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/counter.hpp"

namespace beamtree {

class Sweep {
  public:
    Sweep(const Dataset& data, const Kernel& kernel, StoppableLoop& loop)
        : data_(data), kernel_(kernel), loop_(loop) {}

    /// Finds the chains of a node. Returns false if the search was stopped meanwhile.
    [[nodiscard]] bool prepare(const Node& node);
    /// Work of `run` for the node, with `planes` planes in lanes of `lane_bytes` bytes.
    std::int64_t work(const Node& node, int planes, std::size_t lane_bytes) const;
    /// Sets in.small.best_one and best_zero for every feature, from the single counts of the node.
    /// `rows` is memory for one row of pair counts per plane. Returns false if the search was
    /// stopped meanwhile.
    template <class T>
    [[nodiscard]] bool run(const Node& node, const NodePlanes& planes, Depth2<T>& in,
                           T* const* rows);

    /// The most bytes that the list of ranges may take if the columns take `column_bytes`.
    static std::size_t list_bytes(std::size_t column_bytes) { return 4 * column_bytes; }

  private:
    /// The plane to which the rows of a word add, and what each of them weighs.
    struct WordWeight {
        int plane = -1;  ///< index in the rows of pair counts, or -1 if they are not counted
        int shift = 0;
        bool minus = false;
    };

    /// Work of adding one row of the node to a row of pair counts.
    std::int64_t update_work(const Node& node, std::size_t lane_bytes) const;
    /// Work of counting a row of pair counts.
    std::int64_t count_work(const Node& node) const {
        return static_cast<std::int64_t>(node.features) * words_ * work::kCommonWord;
    }
    void weigh_words(const Node& node, const NodePlanes& planes, bool margins);
    /// Turns the rows of pair counts of feature `from` (-1: none) into those of feature `to`.
    /// Returns false if the search was stopped meanwhile, as `add` and `count` do.
    template <class T>
    [[nodiscard]] bool move(const Node& node, const Depth2<T>& in, int from, int to,
                            T* const* rows);
    template <class T>
    [[nodiscard]] bool add(const Node& node, int from, int to, T* const* rows);
    template <class T>
    [[nodiscard]] bool count(const Node& node, const Depth2<T>& in, int f, T* const* rows);

    const Dataset& data_;
    const Kernel& kernel_;
    StoppableLoop& loop_;
    int segments_ = 0, words_ = 0;  ///< those of the node that are counted
    Chains chains_;
    bool listed_ = false;               ///< the ranges of the rows are few enough to be listed
    std::int64_t update_work_ = 0;      ///< for the present node, see the function
    std::vector<WordWeight> word_;      ///< (words,)
    std::vector<std::int32_t> common_;  ///< (segments,)
};

}  // namespace beamtree
