// Rounds for any objective, see sorted/rounds.hpp: they ask for the costs of leaves, and know
// nothing else. An objective whose costs can be computed in lanes has a class of its own, which is
// many times faster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/kernel.hpp"
#include "limits/limits.hpp"
#include "options/statistics.hpp"
#include "sorted/rounds.hpp"
#include "sorted/sorted_node.hpp"
#include "sorted/thresholds.hpp"

namespace beamtree {

template <SearchObjective O>
class PlainRounds {
  public:
    PlainRounds(const O& objective, const Kernel&, Meter& meter, Statistics& statistics)
        : objective_(objective), meter_(meter), statistics_(statistics) {}

    void start(const SortedNode<O>& node) { node_ = &node; }

    OrderScore best_stump(const SortedNode<O>& node, int order) {
        node_ = &node;
        lane_of_.assign(node.rows, 0);
        boundaries_.clear();
        sums_.clear();
        sweep(order, 0, true, node.sums);
        price();
        OrderScore score;
        for (std::size_t b = 0; b < boundaries_.size(); ++b) {
            const Cost cost = costs_[2 * b] + costs_[2 * b + 1] + objective_.penalty;
            if (cost < score.cost) score = {cost, boundaries_[b].last};
        }
        return score;
    }

    bool evaluate(int order, const Thresholds& thresholds, const std::vector<int>& lanes, Cost,
                  const std::vector<std::uint8_t>&, LaneCosts& costs) {
        const int count = static_cast<int>(lanes.size());
        std::vector<typename O::Sums> side[2];
        sum_sides(order, thresholds, lanes, side);
        statistics_.cells += count;
        sums_.clear();
        for (const int s : {0, 1}) sums_.insert(sums_.end(), side[s].begin(), side[s].end());
        price();
        for (const int s : {0, 1})
            for (int lane = 0; lane < count; ++lane)
                costs.cost[s][lane] = costs.leaf[s][lane] =
                    costs_[static_cast<std::size_t>(s) * count + lane];
        for (int g = 0; g < node_->orders; ++g) {
            boundaries_.clear();
            sums_.clear();
            for (int lane = 0; lane < count; ++lane)
                for (const int s : {0, 1}) sweep(g, lane, s == 0, side[s][lane]);
            price();
            for (std::size_t b = 0; b < boundaries_.size(); ++b) {
                Cost& best = costs.cost[boundaries_[b].left ? 0 : 1][boundaries_[b].lane];
                best = std::min(best, costs_[2 * b] + costs_[2 * b + 1] + objective_.penalty);
            }
            if (meter_.stopped()) return false;
        }
        for (const int s : {0, 1}) costs.lower[s] = costs.cost[s];
        return true;
    }

    static Cost drop_items(const std::vector<Gap>&, Cost, std::vector<std::uint8_t>&) {
        return kInfiniteCost;
    }

  private:
    /// A stump of one side of a lane. Its two leaves have the sums with the same index, times two.
    struct Boundary {
        int lane, last;
        bool left;
    };

    /// Sets the first lane that has each row on its left side, and the sums of both sides.
    void sum_sides(int order, const Thresholds& thresholds, const std::vector<int>& lanes,
                   std::vector<typename O::Sums> (&side)[2]) {
        const int count = static_cast<int>(lanes.size());
        lane_of_.assign(node_->rows, count);
        const Entry* sorted = node_->sorted(order);
        typename O::Sums left, right;
        left.start(node_->values);
        right.start(node_->values);
        int at = 0;
        for (int lane = 0; lane < count; ++lane) {
            for (; at <= thresholds.last[lanes[lane]]; ++at) {
                lane_of_[row_of(sorted[at])] = lane;
                left.add(node_->values, row_of(sorted[at]));
            }
            right.set_rest(node_->sums, left);
            side[0].push_back(left);
            side[1].push_back(right);
        }
    }

    /// Lists the stumps by one order of one side of a lane, with the sums of their leaves.
    void sweep(int order, int lane, bool on_left, const typename O::Sums& whole) {
        const Entry* sorted = node_->sorted(order);
        typename O::Sums left, right;
        left.start(node_->values);
        right.start(node_->values);
        std::int64_t rows = 0;
        const std::int64_t all_rows =
            objective_.rows_are_weight ? whole.weight : rows_of(lane, on_left);
        for (int i = 0; i + 1 < node_->rows; ++i) {
            const std::uint32_t row = row_of(sorted[i]);
            if ((lane_of_[row] <= lane) == on_left) {
                left.add(node_->values, row);
                rows += objective_.rows_are_weight ? node_->weight_of(row) : 1;
            }
            if (!has_boundary(sorted[i])) continue;
            if (!objective_.can_split(std::max<std::int64_t>(rows, 0), all_rows - rows)) continue;
            right.set_rest(whole, left);
            boundaries_.push_back({lane, i, on_left});
            sums_.push_back(left);
            sums_.push_back(right);
        }
        meter_.spend(10 * static_cast<std::int64_t>(node_->rows));
    }
    std::int64_t rows_of(int lane, bool on_left) const {
        return std::count_if(lane_of_.begin(), lane_of_.end(),
                             [&](int first) { return (first <= lane) == on_left; });
    }
    /// Finds the costs of leaves with the listed sums, all at once if the objective can.
    void price() {
        costs_.resize(sums_.size());
        if constexpr (requires { objective_.leaf_costs(sums_, costs_); }) {
            objective_.leaf_costs(sums_, costs_);
        } else {
            for (std::size_t i = 0; i < sums_.size(); ++i)
                costs_[i] = objective_.leaf_cost(sums_[i]);
        }
    }

    const O& objective_;
    Meter& meter_;
    Statistics& statistics_;
    const SortedNode<O>* node_ = nullptr;
    std::vector<int> lane_of_;  ///< (rows,) the first lane that has the row on its left side
    std::vector<Boundary> boundaries_;
    std::vector<typename O::Sums> sums_;
    std::vector<Cost> costs_;
};

}  // namespace beamtree
