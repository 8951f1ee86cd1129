// A round: the evaluation of sixteen thresholds of one order as first splits of a node, each with
// the best second splits on its two sides. sorted/plain_rounds.hpp does it for every objective. An
// objective that can be computed in lanes has a faster class, which RoundsOf names:
//
//     explicit Rounds(const O& objective, const Kernel&, Meter&, Statistics&);
//     /// Prepares a node.
//     void start(const SortedNode<O>& node);
//     /// Returns the best single split of the node by one order.
//     OrderScore best_stump(const SortedNode<O>& node, int order);
//     /// Evaluates thresholds of one order; `lanes` are at most kLanes indices, increasing. Trees
//     /// that cost `goal` or more are of no interest. Only the stumps of `items` are evaluated, or
//     /// all if there are none. Returns false if the search was stopped; the costs are not
//     complete
//     /// then.
//     bool evaluate(int order, const Thresholds& thresholds, const std::vector<int>& lanes,
//                   Cost goal, const std::vector<std::uint8_t>& items, LaneCosts& costs);
//     /// Drops the items whose stumps cannot be part of a tree that costs less than the goal, in
//     /// any of the gaps. Returns the least cost of such a tree with an item that was dropped.
//     Cost drop_items(const std::vector<Gap>& gaps, Cost goal, std::vector<std::uint8_t>& items);
#pragma once

#include <array>

#include "kernel/kernel.hpp"
#include "objective/objective.hpp"

namespace beamtree {

inline constexpr int kLanes = kBlock;  ///< thresholds that are evaluated together

/// The best tree of an order that was found, of one level or of two.
struct OrderScore {
    Cost cost = kInfiniteCost;
    int last = -1;  ///< place of its first split: the last row that goes left
};

/// The two sides of each threshold, with at most one split each: what their best trees cost, and
/// lower bounds. A bound is less than the cost only if it rules out that the threshold is better
/// than the goal.
struct LaneCosts {
    std::array<Cost, kLanes> cost[2], lower[2];  ///< left side and right side
    std::array<Cost, kLanes> leaf[2];            ///< what the two sides cost without a split
};

/// Thresholds between two that were evaluated in the last round, or from one of these on. `others`
/// and a stump of one side at one of the two ([side][end]) are a bound for the trees that have a
/// stump of the same item on this side.
struct Gap {
    int lane[2] = {-1, -1};
    Cost others[2][2];
};

template <SearchObjective O>
class PlainRounds;

/// The class that evaluates rounds for an objective, as RoundsOf<O>::Type.
template <SearchObjective O>
struct RoundsOf {
    using Type = PlainRounds<O>;
};

}  // namespace beamtree
