// Solves subproblems of one and two levels exactly, over all thresholds of all orders.
//
// Two levels are solved in *rounds*: sixteen thresholds of an order are evaluated together, spread
// over the intervals in which a better tree may still be. What lies between two evaluated
// thresholds is bounded by them. The intervals that are left go into the next round.
#pragma once

#include <cstdint>
#include <vector>

#include "cache/facts.hpp"
#include "cache/tree_size.hpp"
#include "sorted/lane_rounds.hpp"
#include "sorted/plain_rounds.hpp"
#include "sorted/rounds.hpp"
#include "sorted/sorted_node.hpp"
#include "sorted/square_rounds.hpp"
#include "sorted/thresholds.hpp"

namespace beamtree {

template <SearchObjective O>
class SortedBottom {
  public:
    SortedBottom(const SortedData& data, const O& objective, const Kernel& kernel, Meter& meter,
                 Statistics& statistics)
        : data_(data),
          objective_(objective),
          meter_(meter),
          rounds_(objective, kernel, meter, statistics) {}

    /// Searches a node for trees of this size, which has one or two levels, that cost less than
    /// `bound`, until its facts are settled. If the search is stopped, only the upper bound may
    /// have changed.
    void solve(const SortedNode<O>& node, const TreeSize& size, Cost bound, Facts& facts);
    /// Runs the first round of every order that has no score yet, and writes the scores. Returns
    /// false if the search was stopped.
    bool look_ahead(const SortedNode<O>& node, std::vector<OrderScore>& scores);
    /// (orders,) The scores that all calls together have found for the node with all rows and trees
    /// of that many levels; empty if there was no such call.
    std::vector<OrderScore> root_scores(int levels) const {
        return levels == root_levels_ ? root_scores_ : std::vector<OrderScore>{};
    }

  private:
    /// An order whose thresholds are being evaluated.
    struct Sweep {
        int order = 0;
        Thresholds thresholds;
        std::vector<Interval> intervals;  ///< where a better tree may still be
        std::vector<std::uint8_t> items;  ///< the stumps that may still be part of a better tree
        OrderScore score;
    };

    bool is_root(const SortedNode<O>& node) const { return node.rows == data_.rows(); }
    void solve_one(const SortedNode<O>& node, Facts& facts);
    void solve_two(const SortedNode<O>& node, Cost bound, Facts& facts);
    Cost tree_cost(const LaneCosts& costs, const std::array<Cost, kLanes> (&side)[2],
                   int lane) const;
    void keep_root_score(const SortedNode<O>& node, int levels, int order, const OrderScore& score);
    /// Prepares a node. With `exact`, first rounds leave nothing out, and scores are exact costs.
    void start(const SortedNode<O>& node, bool exact);
    /// Lists the thresholds of an order, and evaluates the first ones. Returns false if the search
    /// was stopped.
    bool first_round(const SortedNode<O>& node, int order, Cost bound, Facts& facts);
    bool round(const SortedNode<O>& node, Sweep& sweep, Cost bound, Facts& facts);
    /// Removes intervals whose bounds reach the goal.
    void remove_intervals(Sweep& sweep, Cost goal);
    /// Drops the stumps that cannot be part of a better tree in any interval, after a round.
    void drop_items(Sweep& sweep, Cost goal);
    void choose_lanes(const SortedNode<O>& node, Sweep& sweep);

    const SortedData& data_;
    const O& objective_;
    Meter& meter_;
    typename RoundsOf<O>::Type rounds_;
    std::vector<Sweep> sweeps_;
    std::vector<OrderScore> root_scores_;
    int root_levels_ = 0;           ///< levels of the trees of these scores
    std::vector<int> best_first_;   ///< orders by score
    std::vector<int> lanes_;        ///< thresholds of this round, increasing
    std::vector<int> lanes_until_;  ///< (intervals,) how many of them lie up to each interval
    std::vector<Interval> next_;    ///< intervals of the next round
    std::vector<Gap> gaps_;         ///< the same, as they are beside the lanes
    bool exact_ = false;            ///< scores are exact
    Cost least_ = kInfiniteCost;    ///< least bound of all that was evaluated or removed
    bool three_leaves_ = false;     ///< trees have at most three leaves
};

}  // namespace beamtree
