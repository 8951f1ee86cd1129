// Rounds for misclassified weight, see sorted/rounds.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "kernel/kernel.hpp"
#include "limits/limits.hpp"
#include "node/lanes.hpp"
#include "objective/misclassification.hpp"
#include "options/statistics.hpp"
#include "sorted/class_pairs.hpp"
#include "sorted/rounds.hpp"
#include "sorted/sorted_node.hpp"
#include "sorted/thresholds.hpp"

namespace beamtree {

/// The stumps of a side that split by one order and predict one pair of classes are an *item*.
/// Later rounds evaluate only items that can still be part of a better tree.
class LaneRounds {
  public:
    LaneRounds(const Misclassification& objective, const Kernel& kernel, Meter& meter,
               Statistics& statistics)
        : objective_(objective), kernel_(kernel), meter_(meter), statistics_(statistics) {}

    /// The rows of the node must have two classes or more.
    void start(const SortedNode<Misclassification>& node);
    OrderScore best_stump(const SortedNode<Misclassification>& node, int order);
    bool evaluate(int order, const Thresholds& thresholds, const std::vector<int>& lanes, Cost goal,
                  const std::vector<std::uint8_t>& items, LaneCosts& costs);
    Cost drop_items(const std::vector<Gap>& gaps, Cost goal, std::vector<std::uint8_t>& items);

  private:
    /// What kernels read and write, for one type of lanes.
    template <class T>
    struct Rows {
        std::vector<T> step;      ///< (bits_, rows) weights, as StumpLanes wants them
        std::vector<T> count;     ///< (rows,) for the minimum of leaves
        AlignedBuffer side_sums;  ///< what Sums points to
        std::vector<T> item;      ///< (pairs, orders, 2, kLanes) least errors of the last round
    };
    /// Sums of all sides and lanes, each of the shape (2, kLanes).
    template <class T>
    struct Sums {
        T* class_weight;  ///< (classes_, 2, kLanes)
        T* weight;
        T* rows;         ///< rows, or weight, as min_samples_leaf counts them
        T* error;        ///< of the best stumps so far
        T* lower;        ///< least error of the stumps that were left out, or the error
        T* pair_weight;  ///< (2, 2, kLanes) of the pair of classes that is being evaluated
        T* pair_error;   ///< of its rows alone
    };

    template <class T>
    void start_lanes();
    template <class T>
    bool evaluate_lanes(int order, const Thresholds& thresholds, const std::vector<int>& lanes,
                        Cost goal, const std::vector<std::uint8_t>& items, LaneCosts& costs);
    template <class T>
    Sums<T> sum_sides(int order, const Thresholds& thresholds, const std::vector<int>& lanes);
    template <class T>
    bool lower_at_once(const Sums<T>& sums);
    template <class T>
    bool lower_by_pairs(const Sums<T>& sums, const T* enough,
                        const std::vector<std::uint8_t>& items);
    template <class T>
    Cost drop_items_of(const std::vector<Gap>& gaps, Cost goal, std::vector<std::uint8_t>& items);
    template <class T>
    StumpLanes<T> task_of(const Sums<T>& sums, int classes, int bit);

    const Misclassification& objective_;
    const Kernel& kernel_;
    Meter& meter_;
    Statistics& statistics_;
    const SortedNode<Misclassification>* node_ = nullptr;
    int lane_bytes_ = 0;
    int classes_ = 0;                    ///< number of classes that the node has
    std::vector<std::uint16_t> number_;  ///< by class of the problem: its number among these
    std::vector<std::uint16_t> label_;   ///< (rows,) number of the row's class
    std::vector<std::int64_t> total_;    ///< (classes_,) weight in the node
    bool by_pairs_ = false;              ///< the classes are evaluated in pairs
    ClassPairs pairs_;
    int bits_ = 1;                      ///< of class numbers, of which a pair has one that differs
    std::vector<std::uint8_t> bucket_;  ///< (rows,) of StumpLanes
    std::vector<std::uint8_t> class_bit_;  ///< (bits_, rows) bits of the class numbers
    std::vector<std::uint8_t> code_;       ///< (bits_, rows) as the kernel reads it
    AlignedBuffer scratch_;
    PerLane<Rows> rows_;
    std::vector<std::int64_t> left_;  ///< scratch: class weights on the left of a threshold
};

template <>
struct RoundsOf<Misclassification> {
    using Type = LaneRounds;
};

}  // namespace beamtree
