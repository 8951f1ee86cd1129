// The counts of one node, for all pairs of its features, in memory that is kept from node to node:
// nothing is allocated per node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "node/counter.hpp"
#include "node/lanes.hpp"
#include "node/node.hpp"

namespace beamtree {

template <class T>
struct LaneCounts {
    std::vector<T*> pairs;   ///< [plane] -> (features, stride), symmetric
    std::vector<T*> single;  ///< [plane] -> (stride,)
    std::vector<T> total;    ///< [plane]
    /// Two classes without a minimum of rows: the first less the second, modulo the lane.
    bool margins = false;
    T* margin_pairs = nullptr;   ///< (features, stride)
    T* margin_single = nullptr;  ///< (stride,)
    T margin_total = 0;
    T* weight_one = nullptr;      ///< (stride,) weight of all classes in which a feature is 1
    const T* rows_one = nullptr;  ///< (stride,) rows in which a feature is 1
};

/// Pair counts of the rows in which a feature is 1, for the features of a node that were evaluated
/// so far. Counts of triples are symmetric: the row of g below f is the row of f below g, so that
/// every triple is counted once and not three times.
struct TripleStore {
    std::vector<int> slot;  ///< (features,) or -1
    int used = 0;
    AlignedBuffer memory;  ///< [slot][plane] -> (features, stride)

    void clear(int features) {
        slot.assign(features, -1);
        used = 0;
    }
};

class NodeCounts {
  public:
    /// Counts the pairs of a node, unless it is counted already. Returns false if the search was
    /// stopped meanwhile: there are no counts then, and nothing may be learned from them.
    template <class T>
    [[nodiscard]] bool count(const Dataset& data, const Node& node, const Objective& objective,
                             Counter& counter);
    /// Counts the features of a node alone. There are no pair counts then. Returns false if the
    /// search was stopped meanwhile.
    template <class T>
    [[nodiscard]] bool count_singles(const Dataset& data, const Node& node,
                                     const Objective& objective, const Kernel& kernel,
                                     StoppableLoop& loop);

    /// Whether the pairs of some node are counted.
    bool counted() const { return lane_bytes_ > 0; }
    /// Whether the pairs of this node are counted.
    template <class T>
    bool has(const Node& node) const {
        return lane_bytes_ == sizeof(T) && cover_ == node.hash.key() &&
               features_ == node.features &&
               std::equal(feature_.begin(), feature_.end(), node.feature.begin());
    }
    /// Whether the pair counts of the node follow from those that its parent keeps.
    static bool inherits(const Node& node) {
        const NodeCounts* parent = node.origin.parent;
        return parent != nullptr && parent->triples.slot[node.origin.feature] >= 0;
    }

    const NodePlanes& planes() const { return planes_; }
    template <class T>
    const LaneCounts<T>& lanes() const {
        return std::get<LaneCounts<T>>(lanes_);
    }
    /// Whether memory was ever taken for pair counts.
    bool holds_pairs() const { return pairs_.data<char>() != nullptr; }

    TripleStore triples;  ///< of the counted node

  private:
    template <class T>
    LaneCounts<T>& lay_out(const Dataset& data, const Node& node, const Objective& objective);
    template <class T>
    void lay_out_pairs(LaneCounts<T>& counts);
    template <class T>
    void count_margin_singles(LaneCounts<T>& counts) const;
    template <class T>
    [[nodiscard]] bool count_margins(LaneCounts<T>& counts, StoppableLoop& loop) const;
    /// Takes the pair counts from the parent's store, if it has them.
    template <class T>
    bool inherit(const Node& node, T* const* out) const;
    template <class T, class From>
    void inherit_from(const Node& node, T* const* out) const;

    NodePlanes planes_;
    int features_ = 0, stride_ = 0;
    CoverKey cover_;            ///< of the counted node
    std::vector<int> feature_;  ///< its features: a cover may be asked for with some of them
    int lane_bytes_ = 0;        ///< 0: no pairs are counted
    AlignedBuffer pairs_, arrays_;
    PerLane<LaneCounts> lanes_;
};

}  // namespace beamtree
