// The memory of one level of the search, made when the level is first reached and then kept: no
// allocation a node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "data/aligned.hpp"
#include "node/counts.hpp"
#include "node/node.hpp"
#include "node/selection.hpp"

namespace beamtree {

/// What is known of one side of a split before its pairs are counted.
template <class T>
struct SideLanes {
    std::vector<const T*> single;  ///< [plane] -> (stride,)
    std::vector<T> total;          ///< [plane]
    const T* margin_single = nullptr;
    T margin_total = 0;
    T* rows = nullptr;  ///< (stride,) rows in which a feature is 1
};

/// The arrays of a level that depend on the width of the lanes.
template <class T>
struct NodeLanes {
    NodeCounts<T> counts;
    std::vector<T*> small_pairs;  ///< of one side of a split, if counted apart
    std::vector<T*> rest_pairs;   ///< of the features that are not in the store
    SideLanes<T> small, big;
    std::vector<T*> rest;      ///< [plane] -> (stride,) singles of the side where the split is 0
    T* margin_rest = nullptr;  ///< (stride,)
    T *best_one = nullptr, *best_zero = nullptr;    ///< (stride,)
    T *other_one = nullptr, *other_zero = nullptr;  ///< (stride,) of the big side
    T *lower_one = nullptr, *lower_zero = nullptr;  ///< (stride,) bounds of children, in weight
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

struct NodeBuffers {
    Node child;
    Node few;  ///< the node of this level, with some of its features
    Selection selection;
    NodePlanes planes;
    TripleStore triples;
    int features = 0, stride = 0;  ///< of the node that is counted here
    CoverKey counted;              ///< its cover
    std::vector<int> feature;      ///< its features: a cover may be asked for with some of them
    int lane_bytes = 0;            ///< and lanes; 0: none is counted
    AlignedBuffer pairs, arrays;
    std::vector<int> every_feature;  ///< 0 .. features - 1 of the node
    std::vector<int> side_segment_word, side_segment_rows;
    std::tuple<NodeLanes<std::uint16_t>, NodeLanes<std::uint32_t>, NodeLanes<std::uint64_t>> lanes;
    std::vector<std::pair<Cost, int>> order;  ///< features of the node by score, at three levels
    std::vector<Cost> score;                  ///< (features,) smaller is better
    std::vector<std::int64_t> gain;           ///< (features,) in kGainUnit, larger is better
    std::int64_t best_gain = 0;
    std::vector<int> ranked;                    ///< admissible features, best first
    std::vector<int> by_score, by_gain;         ///< the same by one measure, while they are mixed
    std::vector<bool> taken;                    ///< (features,) while they are mixed
    std::vector<std::pair<int, int>> deferred;  ///< features that others were at, and their ranks
    std::vector<CoverHash> child_hash;          ///< (features,) of the side where the feature is 1

    /// Counts the pairs of a node, unless it is counted already. False: it was stopped, the level
    /// has no counts, and nothing may be learned from it.
    template <class T>
    [[nodiscard]] bool count(const Dataset& data, const Node& node, const Objective& objective,
                             Counter& counter);

    /// Counts the features of a node alone. The level has no pair counts then. False: it was
    /// stopped.
    template <class T>
    [[nodiscard]] bool count_singles(const Dataset& data, const Node& node,
                                     const Objective& objective, const Kernel& kernel,
                                     StoppableLoop& loop);
    /// Whether the pair counts of the node follow from those that its parent keeps.
    static bool inherits(const Node& node) {
        const NodeBuffers* parent = node.origin.parent;
        return parent != nullptr && parent->triples.slot[node.origin.feature] >= 0;
    }
    /// Whether the pairs of the node are counted.
    template <class T>
    bool has(const Node& node) const {
        return lane_bytes == sizeof(T) && counted == node.hash.key() && features == node.features &&
               std::equal(feature.begin(), feature.end(), node.feature.begin());
    }

  private:
    template <class T>
    void lay_out(const Dataset& data, const Node& node, const Objective& objective);
    template <class T>
    void lay_out_pairs();
    template <class T>
    void count_margin_singles(NodeCounts<T>& counts) const;
    template <class T>
    [[nodiscard]] bool count_margins(NodeCounts<T>& counts, StoppableLoop& loop) const;
    /// Takes the pair counts from the parent's store, if it has them.
    template <class T>
    bool inherit(const Node& node, T* const* out) const;
    template <class T, class From>
    void inherit_from(const Node& node, T* const* out) const;
};

}  // namespace beamtree
