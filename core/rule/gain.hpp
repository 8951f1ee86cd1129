// Gain (paper, table 1): the differences between the best gain of a node and the gain of its split,
// added up along a path, are at most the threshold.
#pragma once

#include <cmath>

#include "rule/threshold.hpp"

namespace beamtree {

struct Gain {
    static constexpr const char* kName = "gain";
    static constexpr ThresholdRange kUsualRange{0, 0.01};
    static constexpr bool kAdds = true;
    static constexpr bool kReadsGain = true;
    static constexpr bool kClosesNodes = false;
    static double cost(const NodeContext& child) { return child.best_gain - child.gain; }
    /// Gains are whole multiples of 2^-40, so that sums of gaps and their differences are exact.
    static double round(double threshold) {
        return std::ldexp(std::floor(std::ldexp(threshold, 40)), -40);
    }
};

}  // namespace beamtree
