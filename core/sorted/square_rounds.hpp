// Rounds for the squared error, see sorted/rounds.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "kernel/kernel.hpp"
#include "limits/limits.hpp"
#include "objective/squared_error.hpp"
#include "options/statistics.hpp"
#include "sorted/rounds.hpp"
#include "sorted/sorted_node.hpp"
#include "sorted/thresholds.hpp"

namespace beamtree {

class SquareRounds {
  public:
    SquareRounds(const SquaredError& objective, const Kernel& kernel, Meter& meter,
                 Statistics& statistics)
        : objective_(objective), kernel_(kernel), meter_(meter), statistics_(statistics) {}

    void start(const SortedNode<SquaredError>& node);
    OrderScore best_stump(const SortedNode<SquaredError>& node, int order);
    bool evaluate(int order, const Thresholds& thresholds, const std::vector<int>& lanes, Cost goal,
                  const std::vector<std::uint8_t>& items, LaneCosts& costs);
    /// All stumps are evaluated in all rounds.
    static Cost drop_items(const std::vector<Gap>&, Cost, std::vector<std::uint8_t>&) {
        return kInfiniteCost;
    }

  private:
    const SquaredError& objective_;
    const Kernel& kernel_;
    Meter& meter_;
    Statistics& statistics_;
    const SortedNode<SquaredError>* node_ = nullptr;
    std::vector<double> weight_, value_, count_;  ///< (rows,) as the kernel reads them
    std::vector<std::uint8_t> bucket_;            ///< (rows,)
};

template <>
struct RoundsOf<SquaredError> {
    using Type = SquareRounds;
};

}  // namespace beamtree
