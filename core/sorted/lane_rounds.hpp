// Evaluates the first splits of a node, sixteen thresholds of one order at a time: for each of
// them, the least costs of its two sides with one more level.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "kernel/kernel.hpp"
#include "limits/limits.hpp"
#include "node/lanes.hpp"
#include "objective/objective.hpp"
#include "options/statistics.hpp"
#include "sorted/sorted_node.hpp"
#include "sorted/thresholds.hpp"

namespace beamtree {

inline constexpr int kLanes = kBlock;  ///< thresholds that are evaluated together

/// The optima of the two sides of each threshold, with at most one split each.
struct LaneCosts {
    std::array<Cost, kLanes> left, right;            ///< with at most one more split
    std::array<Cost, kLanes> left_leaf, right_leaf;  ///< as leaves
};

class LaneRounds {
  public:
    LaneRounds(const Objective& objective, const Kernel& kernel, Meter& meter,
               Statistics& statistics)
        : objective_(objective), kernel_(kernel), meter_(meter), statistics_(statistics) {}

    /// Prepares the node, whose rows must have two classes or more.
    void start(const SortedNode& node);
    /// Evaluates thresholds of one order; `lanes` are at most kLanes indices, increasing. Returns
    /// false if the search was stopped; the costs are not complete then.
    bool evaluate(int order, const Thresholds& thresholds, const std::vector<int>& lanes,
                  LaneCosts& costs);

  private:
    /// What kernels read and write, for one type of lanes.
    template <class T>
    struct Rows {
        std::vector<T> step;      ///< (rows,) weights, as StumpLanes wants them
        std::vector<T> count;     ///< (rows,) for the minimum of leaves
        AlignedBuffer side_sums;  ///< class_weight, side_rows and error of StumpLanes
    };

    template <class T>
    void start_lanes();
    template <class T>
    bool evaluate_lanes(int order, const Thresholds& thresholds, const std::vector<int>& lanes,
                        LaneCosts& costs);

    const Objective& objective_;
    const Kernel& kernel_;
    Meter& meter_;
    Statistics& statistics_;
    const SortedNode* node_ = nullptr;
    int lane_bytes_ = 0;
    int classes_ = 0;                    ///< number of classes that the node has
    std::vector<std::uint16_t> number_;  ///< by class of the problem: its number among these
    std::vector<std::uint16_t> label_;   ///< (rows,) number of the row's class
    std::vector<std::int64_t> total_;    ///< (classes_,) weight in the node
    std::vector<std::uint8_t> code_;     ///< (rows,) as the kernel reads it
    AlignedBuffer scratch_;
    PerLane<Rows> rows_;
};

}  // namespace beamtree
