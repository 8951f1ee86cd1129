// How much scratch memory one thread of a search needs, for limits of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/dataset.hpp"
#include "exact/two_levels.hpp"
#include "node/lanes.hpp"
#include "options/options.hpp"

namespace beamtree {

/// Bytes of a lane that holds the weights of all rows.
inline std::size_t widest_lane(const Dataset& data) {
    std::int64_t weight = 0, rows = 0;
    for (const Segment& segment : data.segments()) {
        const std::int64_t total = static_cast<std::int64_t>(segment.rows) << segment.shift;
        if (data.planes().is_class(segment.plane)) weight += total;
        if (segment.plane == data.planes().rows) rows += total;
    }
    return lane_bytes_for(std::max(weight, rows));
}

/// An upper estimate of what the levels and the kernels of one thread take in the whole search:
/// every level that a pass, a rebuild or a narrow node uses, at all features and rows. Levels take
/// it when a node first needs it, so most searches stay far below. Without cache, memos, archive
/// and cell table, which are of the search and not of a thread. At most `widest` features of a node
/// are counted, a level's store of triples takes at most so many bytes, and so do the pair counts
/// of a node that can be swept.
inline std::size_t scratch_bytes(const Dataset& data, const Options& options, int widest,
                                 std::size_t triple_bytes, std::size_t pair_bytes) {
    const auto features = static_cast<std::size_t>(data.features());
    const auto width = static_cast<std::size_t>(std::min(data.features(), widest));
    const auto words = static_cast<std::size_t>(data.words());
    const auto depth = static_cast<std::size_t>(options.max_depth);
    const std::size_t lane = widest_lane(data);
    const std::size_t planes = data.planes().counted_planes();
    Objective objective;
    objective.min_rows = options.min_samples_leaf;
    const std::size_t margins = objective.counts_margins(data.planes().classes) ? 1 : 0;
    const auto stride = [](std::size_t count) {
        return static_cast<std::size_t>(padded(static_cast<int>(count)));
    };

    // A node: its columns, and the positions and words of its cover.
    const std::size_t columns = features * words * sizeof(Word);
    const std::size_t node = columns + features * 2 * sizeof(int) + words * (sizeof(Word) + 4);
    const auto matrix = [&](std::size_t count) { return count * stride(count) * lane; };
    // What a level keeps of each feature: arrays of lanes, scores, gains, orders, hashes. The
    // arrays of the solver of two levels, which all levels share, are counted with every level.
    const auto arrays = [&](std::size_t count) {
        return stride(count) * lane * (2 * planes + 11) + features * 96;
    };

    // Levels from the third on: of the node there may be one with less features as well.
    const std::size_t needed = matrix(width) * planes * width;
    const std::size_t triples = needed <= triple_bytes ? needed : 0;
    const std::size_t level = matrix(width) * (planes + margins) + triples + arrays(width) + node;
    const std::size_t few = options.subsets ? node : 0;
    const std::size_t narrow = options.subsets ? level : 0;
    // Of the sides of a split, one for all levels: packed rows, two matrices a plane.
    const std::size_t sides = stride(width) * words * sizeof(Word) + 2 * matrix(width) * planes;
    const std::size_t upper = depth > 2 ? (depth - 2) * (level + few) + narrow + sides : 0;

    // The bottom two levels have all features, for want of a way to choose. If kernels solve them
    // both, the second is swept rather than counted where its pair counts are too many; the first
    // is counted only if no kernel solves it.
    const std::size_t full = matrix(features) * (planes + margins);
    const bool swept = options.exact_levels >= 2 && options.ablations.sweep != "never";
    const std::size_t sweep = swept
                                  ? Sweep::list_bytes(columns) + stride(features) * lane * planes +
                                        words * sizeof(Word) * 2
                                  : 0;
    const std::size_t second =
        depth > 1 ? (swept ? std::min(full, pair_bytes) : full) + sweep + arrays(features) + node
                  : 0;
    const std::size_t first =
        depth > 0 && options.exact_levels == 0 ? full + arrays(features) + node : 0;
    const std::size_t selected =
        (depth + 1) * words * (sizeof(SelectedWord) + sizeof(CompressSteps));
    const std::size_t root = node;
    return upper + second + first + 2 * node + selected + root;
}

}  // namespace beamtree
