// Top-k (paper, table 1; Blanc et al. 2024): only the k best features of a node are tried.
#pragma once

#include "rule/threshold.hpp"

namespace beamtree {

struct TopK {
    static constexpr const char* kName = "top-k";
    static constexpr ThresholdRange kUsualRange{1, 1};
    static constexpr bool kAdds = false;
    static constexpr bool kReadsGain = false;
    static constexpr bool kClosesNodes = false;
    static double cost(const NodeContext& child) { return child.rank + 1.0; }
    static double round(double threshold) { return threshold; }
};

}  // namespace beamtree
