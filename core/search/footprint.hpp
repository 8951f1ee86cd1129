// How much scratch memory one thread of a search needs, for limits of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/dataset.hpp"
#include "search/options.hpp"
#include "search/pairs.hpp"

namespace beamtree {

/// Bytes of a lane that holds the weights of all rows.
inline std::size_t widest_lane(const Dataset& data) {
    std::int64_t weight = 0, rows = 0;
    for (const Segment& segment : data.segments()) {
        const std::int64_t total = static_cast<std::int64_t>(segment.rows) << segment.shift;
        if (segment.plane < data.planes().classes) weight += total;
        if (segment.plane == data.planes().rows) rows += total;
    }
    const std::int64_t most = std::max(weight, rows);
    return most <= 0x7FFF ? 2 : most <= 0x7FFFFFFF ? 4 : 8;
}

/// An upper estimate of what the levels and the kernels of one thread take in the whole search:
/// every level that a pass, a rebuild or a narrow node uses, at all features and rows. Levels take
/// it when a node first needs it, so most searches stay far below. Without cache, memos, archive
/// and cell table, which are of the search and not of a thread. At most `widest` features of a node
/// are counted, and a level's store of triples takes at most so many bytes.
inline std::size_t scratch_bytes(const Dataset& data, const Options& options, int widest,
                                 std::size_t triple_bytes) {
    const auto features = static_cast<std::size_t>(data.features());
    const auto width = static_cast<std::size_t>(std::min(data.features(), widest));
    const auto stride = static_cast<std::size_t>(padded(std::min(data.features(), widest)));
    const auto words = static_cast<std::size_t>(data.words());
    const auto depth = static_cast<std::size_t>(options.max_depth);
    const std::size_t lane = widest_lane(data);
    const std::size_t planes = data.planes().classes + (data.planes().rows >= 0 ? 1 : 0);
    const std::size_t margins = data.planes().classes == 2 && options.min_samples_leaf <= 1 ? 1 : 0;

    // A node: its columns, and the positions and words of its cover.
    const std::size_t node =
        features * (words * sizeof(Word) + 2 * sizeof(int)) + words * (sizeof(Word) + 4);
    const std::size_t matrix = width * stride * lane;
    const std::size_t needed = matrix * planes * width;
    const std::size_t triples = needed <= triple_bytes ? needed : 0;
    // What a level keeps of each feature: arrays of lanes, keys, gains, orders, hashes.
    const std::size_t by_feature = stride * lane * (2 * planes + 11) + features * 96;
    const std::size_t level = matrix * (planes + margins) + triples + by_feature + node;
    const std::size_t few = options.subsets ? node : 0;  // of the node itself, with less features

    // Level 1 counts nothing if kernels solve it.
    const std::size_t counted = depth > 0 && options.exact_levels > 0 ? depth - 1 : depth;
    const std::size_t narrow = options.subsets ? level : 0;
    // Of the sides of a split, one for all levels: packed rows, two matrices a plane.
    const std::size_t sides = stride * words * sizeof(Word) + 2 * matrix * planes;
    // The bottom two levels are counted with all features, for want of a way to choose.
    const std::size_t full = features * padded(data.features()) * lane * (planes + margins);
    const std::size_t bottom = width < features ? (options.exact_levels > 0 ? 1 : 2) * full : 0;
    const std::size_t selected = (depth + 1) * words * (sizeof(SelectedWord) + sizeof(Moves));
    const std::size_t root = node;
    return counted * (level + few) + 2 * node + narrow + sides + selected + root + bottom;
}

}  // namespace beamtree
