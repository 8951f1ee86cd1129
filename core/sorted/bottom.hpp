// Solves subproblems of one and two levels exactly, over all thresholds of all orders.
//
// Two levels are solved in *rounds*: sixteen thresholds of an order are evaluated together, spread
// over the intervals in which a better tree may still be. What lies between two evaluated
// thresholds is bounded by them. The intervals that are left go into the next round.
#pragma once

#include <cstdint>
#include <vector>

#include "cache/facts.hpp"
#include "sorted/lane_rounds.hpp"
#include "sorted/sorted_node.hpp"
#include "sorted/thresholds.hpp"

namespace beamtree {

/// What the first round says of an order.
struct OrderScore {
    Cost cost = kInfiniteCost;  ///< of the best tree of two levels that was found
    int last = -1;              ///< place of its first split: the last row that goes left
};

class SortedBottom {
  public:
    SortedBottom(const SortedData& data, const Objective& objective, const Kernel& kernel,
                 Meter& meter, Statistics& statistics)
        : data_(data),
          objective_(objective),
          meter_(meter),
          rounds_(objective, kernel, meter, statistics) {}

    /// Searches a node with one or two levels for trees that cost less than `bound`, until its
    /// facts are settled. If the search is stopped, only the upper bound may have changed.
    void solve(const SortedNode& node, int depth, Cost bound, Facts& facts);
    /// Runs the first round of every order. Improves the upper bound, and writes a score per order.
    /// Returns false if the search was stopped.
    bool look_ahead(const SortedNode& node, Facts& facts, std::vector<OrderScore>& scores);

  private:
    /// An order whose thresholds are being evaluated.
    struct Sweep {
        int order = 0;
        Thresholds thresholds;
        std::vector<Interval> intervals;  ///< where a better tree may still be
        OrderScore score;
    };

    void solve_one(const SortedNode& node, Facts& facts);
    void solve_two(const SortedNode& node, Cost bound, Facts& facts);
    /// Returns false if the search was stopped.
    bool first_rounds(const SortedNode& node, Cost bound, Facts& facts);
    bool round(const SortedNode& node, Sweep& sweep, Cost bound, Facts& facts);
    /// Removes intervals and ends of intervals whose bounds reach the goal.
    void shrink(Sweep& sweep, Cost goal);
    void choose_lanes(const SortedNode& node, Sweep& sweep);

    const SortedData& data_;
    const Objective& objective_;
    Meter& meter_;
    LaneRounds rounds_;
    std::vector<Sweep> sweeps_;
    std::vector<int> best_first_;   ///< orders by score
    std::vector<int> lanes_;        ///< thresholds of this round, increasing
    std::vector<int> lanes_until_;  ///< (intervals,) how many of them lie up to each interval
    std::vector<Interval> next_;    ///< intervals of the next round
    Cost least_ = kInfiniteCost;    ///< least bound of all that was evaluated or removed
};

}  // namespace beamtree
