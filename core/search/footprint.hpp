// How much memory the buffers of one thread need; see memory_plan.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/dataset.hpp"
#include "exact/two_levels.hpp"
#include "node/lanes.hpp"
#include "options/options.hpp"
#include "price/price_pass.hpp"

namespace beamtree {

/// Number of bytes of a lane that can hold the weight of all rows.
inline std::size_t widest_lane(const Dataset& data) {
    std::int64_t weight = 0, rows = 0;
    for (const Segment& segment : data.segments()) {
        const std::int64_t total = static_cast<std::int64_t>(segment.rows) << segment.shift;
        if (data.planes().is_class(segment.plane)) weight += total;
        if (segment.plane == data.planes().rows) rows += total;
    }
    return lane_bytes_for(std::max(weight, rows));
}

/// An upper estimate of the bytes that the buffers of one thread take during the whole search: the
/// buffers of every depth, for all features and rows. Buffers grow when a node first needs them, so
/// most searches use far less. The tables that all threads share are not included. At most `widest`
/// features of a node are counted; the store of triples of one depth takes at most `triple_bytes`,
/// and the pair counts of a node that can be solved by sweeps take at most `pair_bytes`.
inline std::size_t scratch_bytes(const Dataset& data, const Options& options, int widest,
                                 std::size_t triple_bytes, std::size_t pair_bytes) {
    const auto features = static_cast<std::size_t>(data.features());
    const auto width = static_cast<std::size_t>(std::min(data.features(), widest));
    const auto words = static_cast<std::size_t>(data.words());
    // Priced passes have buffers of their own, by level.
    const auto depth =
        static_cast<std::size_t>(options.max_depth) * (has_priced_passes(options) ? 2 : 1);
    const std::size_t lane = widest_lane(data);
    const std::size_t planes = data.planes().counted_planes();
    Misclassification objective;
    objective.min_rows = options.min_samples_leaf;
    const std::size_t margins = objective.counts_margins(data.planes().classes) ? 1 : 0;
    const auto stride = [](std::size_t count) {
        return static_cast<std::size_t>(padded(static_cast<int>(count)));
    };

    // One node: its columns, and the positions and words of its cover.
    const std::size_t columns = features * words * sizeof(Word);
    const std::size_t node = columns + features * 2 * sizeof(int) + words * (sizeof(Word) + 4);
    const auto matrix = [&](std::size_t count) { return count * stride(count) * lane; };
    // What is kept per feature at one depth: arrays of lanes, scores, gains, orders and hashes. The
    // arrays of the solver of two levels, which all depths share, are counted with every depth.
    // If leaves are limited, there are bounds of the children for every number of leaves.
    const auto leaves = static_cast<std::size_t>(options.max_leaf_nodes);
    const auto arrays = [&](std::size_t count) {
        return stride(count) * lane * (2 * planes + 11 + 2 * leaves) + features * 96;
    };

    // Depths from three on. A node may have a copy with fewer features.
    const std::size_t needed = matrix(width) * planes * width;
    const std::size_t triples = needed <= triple_bytes ? needed : 0;
    const std::size_t level = matrix(width) * (planes + margins) + triples + arrays(width) + node;
    const std::size_t few = options.subsets ? node : 0;
    const std::size_t narrow = options.subsets ? level : 0;
    // The two sides of a split, shared by all depths: packed rows, and two matrices per plane.
    const std::size_t sides = stride(width) * words * sizeof(Word) + 2 * matrix(width) * planes;
    const std::size_t upper = depth > 2 ? (depth - 2) * (level + few) + narrow + sides : 0;

    // The bottom two depths have all features, since nothing chooses among them. If kernels solve
    // both, the second is solved by sweeps where its pair counts would be too large. The first is
    // counted only if no kernel solves it.
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
