// The counts of one node: for every plane, the weight of the rows in which a feature is 1, and in
// which both features of a pair are 1. Their memory is kept from node to node, so that nothing is
// allocated per node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "node/counter.hpp"
#include "node/lanes.hpp"
#include "node/node.hpp"

namespace beamtree {

/// The counts in lanes of type T. Arrays over features are padded to `stride`, a whole number of
/// blocks.
template <class T>
struct LaneCounts {
    std::vector<T*> pairs;   ///< [plane] -> (features, stride), symmetric
    std::vector<T*> single;  ///< [plane] -> (stride,)
    std::vector<T> total;    ///< [plane] weight of all rows
    /// Whether margins are counted too: the first of two classes less the second, modulo the lane.
    bool margins = false;
    T* margin_pairs = nullptr;   ///< (features, stride)
    T* margin_single = nullptr;  ///< (stride,)
    T margin_total = 0;
    T* weight_one = nullptr;      ///< (stride,) weight of all classes in which a feature is 1
    const T* rows_one = nullptr;  ///< (stride,) rows in which a feature is 1
};

/// Pair counts of the rows in which a feature is 1, for those features of a node whose sides were
/// counted so far. exact/triples.hpp fills it.
struct TripleStore {
    std::vector<int> slot;  ///< (features,) place of each feature's counts, or -1
    int used = 0;           ///< number of slots in use
    AlignedBuffer memory;   ///< [slot][plane] -> (features, stride)

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
    [[nodiscard]] bool count(const Dataset& data, const Node& node,
                             const Misclassification& objective, Counter& counter);
    /// Counts the features of a node alone. There are no pair counts then. Returns false if the
    /// search was stopped meanwhile.
    template <class T>
    [[nodiscard]] bool count_singles(const Dataset& data, const Node& node,
                                     const Misclassification& objective, const Kernel& kernel,
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

    TripleStore triples;  ///< pair counts of the sides of the same node

  private:
    template <class T>
    LaneCounts<T>& lay_out(const Dataset& data, const Node& node,
                           const Misclassification& objective);
    template <class T>
    void lay_out_pairs(LaneCounts<T>& counts);
    template <class T>
    void count_margin_singles(LaneCounts<T>& counts) const;
    template <class T>
    [[nodiscard]] bool count_margins(LaneCounts<T>& counts, StoppableLoop& loop) const;
    /// Sets `out` to the pair counts from the parent's store. Returns false if it has none.
    template <class T>
    bool inherit(const Node& node, T* const* out) const;
    template <class T, class From>
    void inherit_from(const Node& node, T* const* out) const;

    NodePlanes planes_;
    int features_ = 0, stride_ = 0;
    CoverKey cover_;            ///< cover of the counted node
    std::vector<int> feature_;  ///< its features: a cover may come back with fewer of them
    int lane_bytes_ = 0;        ///< size of a lane of the pair counts, or 0 if there are none
    AlignedBuffer pairs_, arrays_;
    PerLane<LaneCounts> lanes_;
};

}  // namespace beamtree
