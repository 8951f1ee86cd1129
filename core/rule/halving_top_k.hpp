// Top-k* of the paper: k features at the root, half as many a level below, and so on, but one at
// least: max(1, k >> level). Rank r is admitted from k = (r + 1) << level on.
#pragma once

#include <cmath>

#include "rule/threshold.hpp"

namespace beamtree {

struct HalvingTopK {
    static constexpr const char* kName = "top-k-star";
    static constexpr ThresholdRange kUsualRange{1, 1};
    static constexpr bool kAdds = false;
    static constexpr bool kClosesNodes = false;
    static double cost(const NodeContext& child) {
        return child.rank == 0 ? 1.0 : std::ldexp(child.rank + 1.0, child.level - 1);
    }
    static double round(double threshold) { return threshold; }
};

}  // namespace beamtree
