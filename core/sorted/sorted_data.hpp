// The rows of a problem in sorted form: for each order, all rows sorted by their rank. No test has
// a column of its own, however many there are. A *boundary* is a place where the rank changes;
// tests split rows at boundaries. Entry (see kernel/stumps.hpp) is a row and whether a boundary
// follows.
#pragma once

#include <cstdint>
#include <vector>

#include "data/cover.hpp"
#include "data/problem.hpp"
#include "kernel/stumps.hpp"

namespace beamtree {

class SortedData {
  public:
    /// The problem must have ranks. Its arrays must outlive the data.
    explicit SortedData(const Problem& problem);

    int rows() const { return static_cast<int>(problem_.rows); }
    int orders() const { return problem_.ranks->orders(); }
    int classes() const { return problem_.classes; }  ///< 0 if rows have numbers
    /// (rows,) All rows, sorted by the rank in an order.
    const Entry* sorted(int order) const {
        return sorted_.data() + static_cast<std::size_t>(order) * problem_.rows;
    }
    const Targets& targets() const { return problem_; }
    bool unit_weights() const { return unit_weights_; }
    std::uint32_t rank(int order, std::uint32_t row) const { return problem_.order(order)[row]; }
    /// (rows,) The ranks of all rows in an order.
    const std::uint32_t* ranks_of(int order) const { return problem_.order(order); }
    const Ranks& ranks() const { return *problem_.ranks; }
    /// Random numbers, one per row. The hash of a cover is their sum.
    const CoverHasher& hasher() const { return hasher_; }

  private:
    Problem problem_;
    std::vector<Entry> sorted_;  ///< (orders, rows)
    bool unit_weights_ = true;
    CoverHasher hasher_;
};

}  // namespace beamtree
