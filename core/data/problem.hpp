// The training rows as the caller gives them, before any are dropped, merged or cancelled.
//
// A *test* sends each row to the left or to the right. The tests are numbered from 0; trees name
// them by their numbers. There are two ways to give them: as columns of zeros and ones, one per
// test, or as *orders*. An order ranks the rows by one column of the user's table, and has one test
// per *cut* between two neighbouring ranks. So a column with a million different values is one
// array, and not a million columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "objective/targets.hpp"

namespace beamtree {

/// A test as a cut of an order: rows whose rank is less than `cut` go left.
struct Cut {
    int order = 0;
    std::uint32_t cut = 0;  ///< from 1 to the number of cuts of the order
};

/// The ranks of all rows in all orders.
struct Ranks {
    const std::uint32_t* rank = nullptr;  ///< (orders, rows), 0 .. cuts of the order
    std::vector<std::int32_t> first;      ///< (orders + 1,) number of the first test of each order

    int orders() const { return static_cast<int>(first.size()) - 1; }
    int tests() const { return first.back(); }
    int cuts(int order) const { return first[order + 1] - first[order]; }
    Cut cut_of(int test) const {
        const auto after = std::upper_bound(first.begin(), first.end(), test);
        const int order = static_cast<int>(after - first.begin()) - 1;
        return {order, static_cast<std::uint32_t>(test - first[order]) + 1};
    }
    int test_of(const Cut& cut) const { return first[cut.order] + static_cast<int>(cut.cut) - 1; }
};

struct Problem : Targets {
    const std::uint8_t* features = nullptr;  ///< (rows, columns), row-major, values 0 and 1
    const Ranks* ranks = nullptr;            ///< used in place of `features` if it is not null
    int columns = 0;                         ///< number of tests

    const std::uint8_t* row(std::int64_t i) const {
        return features + static_cast<std::size_t>(i) * static_cast<std::size_t>(columns);
    }
    /// The ranks of all rows in an order.
    const std::uint32_t* order(int order) const {
        return ranks->rank + static_cast<std::size_t>(order) * static_cast<std::size_t>(rows);
    }
    /// Whether a row goes right.
    bool right(std::int64_t i, int test) const {
        if (ranks == nullptr) return row(i)[test] != 0;
        const Cut cut = ranks->cut_of(test);
        return order(cut.order)[i] >= cut.cut;
    }
};

}  // namespace beamtree
