// Top-k* of the paper: k features are tried at the root, half as many one level below, and so on,
// but at least one: max(1, k >> level). A split of rank r at a node of this level is tried if k is
// at least (r + 1) << level.
#pragma once

#include <cmath>

#include "rule/threshold.hpp"

namespace beamtree {

struct HalvingTopK {
    static constexpr const char* kName = "top-k-star";
    static constexpr ThresholdRange kUsualRange{1, 1};
    static constexpr bool kAdds = false;
    static constexpr bool kReadsGain = false;
    static constexpr bool kClosesNodes = false;
    static double cost(const NodeContext& child) {
        return child.rank == 0 ? 1.0 : std::ldexp(child.rank + 1.0, child.level - 1);
    }
    static double round(double threshold) { return threshold; }
};

}  // namespace beamtree
