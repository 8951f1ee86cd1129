// The thresholds of one order of a node, and bounds for those that lie between two of them whose
// children are known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "objective/objective.hpp"
#include "sorted/sorted_node.hpp"

namespace beamtree {

/// The boundaries of one order at which both sides have enough rows, from left to right.
struct Thresholds {
    std::vector<int> last;             ///< place of the last row on the left side
    std::vector<std::int64_t> weight;  ///< weight of the left side; empty if all rows weigh 1
    std::int64_t total = 0;            ///< weight of the node

    int size() const { return static_cast<int>(last.size()); }
    /// Weight on the left of threshold j. Before the first one it is 0, after the last one all.
    std::int64_t left(int j) const {
        if (j < 0) return 0;
        if (j >= size()) return total;
        return weight.empty() ? last[j] + 1 : weight[j];
    }
    /// Number of rows on the left of threshold j.
    int rows(int j, int all) const { return j < 0 ? 0 : j >= size() ? all : last[j] + 1; }

    template <SearchObjective O>
    void list(const SortedNode<O>& node, const O& objective, int order) {
        last.clear();
        weight.clear();
        total = node.sums.weight;
        const Entry* sorted = node.sorted(order);
        const bool weighted = node.values.weighted();
        // Vectors that grow step by step would take up to twice the memory.
        const auto boundaries = std::count_if(sorted, sorted + node.rows, has_boundary);
        last.reserve(boundaries);
        if (weighted) weight.reserve(boundaries);
        std::int64_t sum = 0;
        for (int i = 0; i + 1 < node.rows; ++i) {
            sum += node.weight_of(row_of(sorted[i]));
            if (!has_boundary(sorted[i])) continue;
            const std::int64_t rows_left = objective.rows_are_weight ? sum : i + 1;
            if (!objective.can_split(rows_left, node.leaf_rows - rows_left)) continue;
            last.push_back(i);
            if (weighted) weight.push_back(sum);
        }
    }
};

/// The thresholds between `begin` and `end`, without these two. Their children are known: `left`
/// and `right` are lower bounds for the two sides at begin ([0]) and at end ([1]). Before the first
/// threshold and after the last one, bounds are 0.
///
/// Two facts bound a threshold t in between. Its left side holds that of `begin` and more rows, and
/// its right side that of `end`: costs grow with the rows. And its left side lacks only the rows
/// from t to `end` of the left side at `end`: rows that are removed lower a cost at most by what
/// they cost themselves. The first fact fails if leaves have a minimum: with more rows, trees may
/// be allowed that were not allowed before. The bounds of an interval are for other rows than those
/// from which they come, so they are less by the slack of the objective.
struct Interval {
    int begin = -1, end = 0;
    Cost left[2] = {0, 0}, right[2] = {0, 0};

    template <SearchObjective O>
    Cost left_at(const Thresholds& thresholds, const O& objective, int t) const {
        const Cost by_end = left[1] - objective.removal(thresholds.left(end) - thresholds.left(t));
        return std::max({objective.similar_is_subset() ? 0 : left[0], by_end, Cost{0}});
    }
    template <SearchObjective O>
    Cost right_at(const Thresholds& thresholds, const O& objective, int t) const {
        const Cost by_begin =
            right[0] - objective.removal(thresholds.left(t) - thresholds.left(begin));
        return std::max({objective.similar_is_subset() ? 0 : right[1], by_begin, Cost{0}});
    }
    /// A lower bound for the trees that split at threshold t.
    template <SearchObjective O>
    Cost bound_at(const Thresholds& thresholds, const O& objective, int t) const {
        return left_at(thresholds, objective, t) + right_at(thresholds, objective, t) +
               objective.penalty;
    }
    /// A lower bound for all thresholds in between.
    template <SearchObjective O>
    Cost bound(const Thresholds& thresholds, const O& objective) const {
        const Cost similar =
            left[1] + right[0] - objective.removal(thresholds.left(end) - thresholds.left(begin));
        const Cost nested = objective.similar_is_subset() ? 0 : left[0] + right[1];
        return std::max(similar, nested) + objective.penalty;
    }
    bool empty() const { return begin + 1 >= end; }
    /// The two parts beside a threshold whose children have these bounds.
    Interval before(int t, Cost left_t, Cost right_t) const {
        return {begin, t, {left[0], left_t}, {right[0], right_t}};
    }
    Interval after(int t, Cost left_t, Cost right_t) const {
        return {t, end, {left_t, left[1]}, {right_t, right[1]}};
    }
};

/// Returns the threshold from `first` to `last` - 1 at which the number of rows on the left is
/// nearest above `rows`.
inline int nearest(const Thresholds& thresholds, int first, int last, int rows) {
    const auto begin = thresholds.last.begin();
    const auto at = std::lower_bound(begin + first, begin + last, rows - 1);
    return std::min(static_cast<int>(at - begin), last - 1);
}

}  // namespace beamtree
