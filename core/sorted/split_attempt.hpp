// A split of a node that is tried, and what is known of its two sides before they are searched. The
// sides are only summed up: to make nodes of them takes as many times longer as there are orders.
#pragma once

#include <cstdint>

#include "cache/facts.hpp"
#include "data/cover.hpp"
#include "objective/objective.hpp"
#include "sorted/sorted_node.hpp"

namespace beamtree {

template <SearchObjective O>
struct SplitAttempt {
    Place place;
    typename O::Sums sums[2];
    std::int64_t rows[2] = {0, 0};  ///< rows, or weight, as min_samples_leaf counts them
    CoverHash hash[2];
    Cost leaf[2] = {0, 0};  ///< what each side costs as a leaf
    Facts child[2];

    /// Sums up the two sides of the place, and returns the number of rows that were looked at.
    int weigh_sides(const SortedData& data, const O& objective, const SortedNode<O>& node);
};

}  // namespace beamtree
