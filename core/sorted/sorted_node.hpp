// The rows that reach a node of the tree, in sorted form: all orders that can still split them,
// each with the node's rows sorted by rank. They are filtered from the parent's, and never sorted
// again.
#pragma once

#include <cstdint>
#include <vector>

#include "data/cover.hpp"
#include "objective/objective.hpp"
#include "sorted/sorted_data.hpp"

namespace beamtree {

/// A split of a node: the rows up to a place of one of its orders go left.
struct Place {
    int order = -1;  ///< index among the node's orders
    int last = 0;    ///< place of the last row that goes left
};

template <SearchObjective O>
struct SortedNode {
    int rows = 0;
    int orders = 0;                  ///< number of orders that can still split the node
    std::vector<int> order;          ///< (orders,) indices in the data, increasing
    std::vector<Entry> entries;      ///< (orders, rows) rows of the node, numbered from 0
    std::vector<std::uint32_t> row;  ///< (rows,) their numbers in the data
    typename O::Rows values;         ///< what the objective knows of the rows
    typename O::Sums sums;           ///< what the node costs as a leaf follows from these
    std::int64_t leaf_rows = 0;      ///< rows, or weight, as min_samples_leaf counts them
    CoverHash hash;

    const Entry* sorted(int o) const { return entries.data() + static_cast<std::size_t>(o) * rows; }
    Entry* sorted(int o) { return entries.data() + static_cast<std::size_t>(o) * rows; }
    std::int64_t weight_of(std::uint32_t i) const { return values.weight_of(i); }

    void make_root(const SortedData& data, const O& objective);
    /// Becomes one side of a split of `parent`. A side that is a leaf in any case gets no orders,
    /// which take most of the time. `scratch` is memory that calls reuse.
    void make_child(const SortedData& data, const O& objective, const SortedNode& parent,
                    const Place& place, bool right, bool is_leaf,
                    std::vector<std::uint32_t>& scratch);

    /// Returns the number of a test that splits the node at a place.
    int test_at(const SortedData& data, const Place& place) const;
    /// Returns where a test splits the node; the order is -1 if all rows are on one side.
    Place place_of(const SortedData& data, int test) const;

  private:
    void finish(const SortedData& data, const O& objective);
};

}  // namespace beamtree
