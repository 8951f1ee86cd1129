// Discrepancy (paper, table 1; Harvey & Ginsberg 1995): the ranks on a path add up to at most the
// budget. Budget 0 gives the greedy tree, as the paper's text says; its pseudo-code prunes at >=.
#pragma once

#include "rule/threshold.hpp"

namespace beamtree {

struct Discrepancy {
    static constexpr const char* kName = "discrepancy";
    static constexpr ThresholdRange kUsualRange{0, 1};
    static constexpr bool kAdds = true;
    static constexpr bool kReadsGain = false;
    static constexpr bool kClosesNodes = false;
    static double cost(const NodeContext& child) { return child.rank; }
    static double round(double threshold) { return threshold; }
};

}  // namespace beamtree
