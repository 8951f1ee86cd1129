// What is minimised, in integers, so that `lower == upper` is exact.
#pragma once

#include <cstdint>
#include <limits>

namespace beamtree {

/// Of a tree: unit * (weight of the misclassified rows) + penalty * (leaves - 1).
using Cost = std::int64_t;
inline constexpr Cost kInfiniteCost = std::numeric_limits<Cost>::max() / 4;

struct Objective {
    Cost unit = 1;                ///< cost of one unit of misclassified weight
    Cost penalty = 0;             ///< cost of one more leaf
    std::int64_t min_rows = 1;    ///< rows that every leaf must hold, or weight
    bool rows_are_weight = true;  ///< weight is what counts, or every row weighs 1

    Cost leaf(std::int64_t weight, std::int64_t majority) const {
        return unit * (weight - majority);
    }
    /// A leaf that costs no more than one split, or that cannot be split: it is optimal.
    bool closed(Cost leaf_cost, std::int64_t rows) const {
        return leaf_cost <= penalty || rows < 2 * min_rows;
    }
    /// The largest whole weight whose cost is at most `cost`: how lower bounds enter the lanes.
    std::int64_t whole_weight(Cost cost) const { return cost <= 0 ? 0 : cost / unit; }
};

}  // namespace beamtree
