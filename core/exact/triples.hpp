// Pair counts of one side of a split, from those of the splits that were counted before it.
//
// A count of the pair (g, h) on the side where f is 1 is a count of the triple (f, g, h). Triples
// are symmetric, so a side needs to be counted only for the pairs of features whose own sides were
// not counted yet. The TripleStore of the node's counts keeps all of them.
#pragma once

#include <cstddef>
#include <vector>

#include "data/aligned.hpp"
#include "exact/side_rows.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/counter.hpp"
#include "node/node.hpp"
#include "node/node_counts.hpp"

namespace beamtree {

class TripleCounter {
  public:
    TripleCounter(Counter& counter, StoppableLoop& loop) : counter_(counter), loop_(loop) {}

    static constexpr std::size_t kUsualBytes = 32 << 20;
    /// The most that the store of a node may take.
    void set_bytes(std::size_t bytes) { bytes_ = bytes; }

    /// Whether the store of a node is small enough.
    template <class T>
    bool fits(const Node& node, const NodePlanes& planes) const;

    /// Pair counts of the side where `f` is 1: [plane] -> (features, stride), in the store of
    /// `counts`. `rows` has the smaller side, which is the one where `f` is 1 if `selected_one`.
    /// Returns a null pointer if the search was stopped meanwhile.
    template <class T>
    [[nodiscard]] const T* const* count_one_side(const Node& node, NodeCounts& counts, int f,
                                                 SideRows& rows, bool selected_one);

  private:
    template <class T>
    struct LanePlanes {
        std::vector<T*> one;   ///< [plane] -> (features, stride) of the side where f is 1
        std::vector<T*> rest;  ///< [plane] of the features in rest_, on the smaller side
    };

    template <class T>
    void fill(const Node& node, const NodeCounts& counts, int f, int plane, bool selected_one,
              const T* counted, T* out) const;

    Counter& counter_;
    StoppableLoop& loop_;
    std::size_t bytes_ = kUsualBytes;
    std::vector<int> rest_;  ///< features of the node that are not in the store
    AlignedBuffer rest_pairs_;
    PerLane<LanePlanes> planes_;
};

}  // namespace beamtree
