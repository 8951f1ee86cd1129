// The memory of one level of the search, made when the level is first reached and then kept: no
// allocation a node.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "data/aligned.hpp"
#include "data/node.hpp"
#include "data/selection.hpp"
#include "search/counts.hpp"

namespace beamtree {

/// The arrays of a level that depend on the width of the lanes.
template <class T>
struct LevelLanes {
    NodeCounts<T> counts;
    std::vector<T*> small_pairs;                 ///< of a split's small side, if counted apart
    std::vector<T*> side_single;                 ///< [plane] -> (stride,), feature is 0 in the split
    std::vector<const T*> small_single, big_single;
    std::vector<T> small_total, big_total;
    T *best_one = nullptr, *best_zero = nullptr;          ///< (stride,)
    T *other_one = nullptr, *other_zero = nullptr;        ///< (stride,) of the big side
    T *side_rows_one = nullptr, *side_rows_zero = nullptr;///< (stride,) rows on the split's sides
    T *lower_one = nullptr, *lower_zero = nullptr;        ///< (stride,) bounds of children, in weight
};

struct Level {
    Node child;
    Selection selection;
    NodePlanes planes;
    AlignedBuffer pairs, small_pairs, arrays, side_columns;
    std::vector<int> side_segment_word, side_segment_rows;
    std::tuple<LevelLanes<std::uint16_t>, LevelLanes<std::uint32_t>, LevelLanes<std::uint64_t>> lanes;
    std::vector<std::pair<Cost, int>> order;  ///< features of the node by key
    std::vector<Cost> key;                    ///< (features,)
    std::vector<CoverHash> child_hash;        ///< (features,) of the side where the feature is 1

    /// Lays out the arrays for a node and counts its pairs.
    template <class T>
    LevelLanes<T>& count(const Dataset& data, const Node& node, const Objective& objective,
                         Counter& counter);
};

}  // namespace beamtree
