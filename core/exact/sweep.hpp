// The bottom two levels without a matrix of pair counts: its rows are made one after the other, and
// each is read as soon as it is there.
//
// Along a chain the row of a feature follows from that of the feature before by the few rows of the
// node that are new, each of which adds its weight to the features that it has: some ranges, one of
// a chain at most. Where too many are new, the row is counted. So m tests of a few columns of n
// numbers take n updates a column, of m / 2 features each, in place of m^2 / 2 counts of n rows.
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

    /// Looks for the chains of a node. False: it was stopped.
    [[nodiscard]] bool prepare(const Node& node);
    /// What `run` would cost for the node, with so many planes in lanes of so many bytes.
    std::int64_t work(const Node& node, int planes, std::size_t lane_bytes) const;
    /// Sets in.small.best_one and best_zero for every feature, from the singles of the node. `rows`
    /// has a row of pair counts for each of the `planes`. False: it was stopped.
    template <class T>
    [[nodiscard]] bool run(const Node& node, const NodePlanes& planes, Depth2<T>& in,
                           T* const* rows);

    /// The most that the list of ranges takes, of columns of so many bytes.
    static std::size_t list_bytes(std::size_t column_bytes) { return 4 * column_bytes; }

  private:
    /// Where the rows of a word count, and what each of them weighs.
    struct WordWeight {
        int plane = -1;  ///< of the rows of pair counts; -1: nowhere
        int shift = 0;
        bool minus = false;
    };

    std::int64_t update_work(const Node& node, std::size_t lane_bytes) const;
    /// Of counting a row of pair counts.
    std::int64_t count_work(const Node& node) const {
        return static_cast<std::int64_t>(node.features) * words_ * work::kCommonWord;
    }
    void weigh_words(const Node& node, const NodePlanes& planes, bool margins);
    /// Make the rows of pair counts those of feature `to`, from those of `from` if it is not -1.
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
    int segments_ = 0, words_ = 0;  ///< of the node that are counted
    Chains chains_;
    bool listed_ = false;               ///< the ranges of the rows are not too many to be listed
    std::int64_t update_work_ = 0;      ///< of adding one row of the node to a row of pair counts
    std::vector<WordWeight> word_;      ///< (words,)
    std::vector<std::int32_t> common_;  ///< (segments,)
};

}  // namespace beamtree
