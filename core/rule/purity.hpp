// Purity (paper, table 1): a node that is pure enough becomes a leaf. It prunes if purity >=
// threshold, that is, if the next floating-point number above the purity exceeds the threshold.
#pragma once

#include <algorithm>
#include <cmath>

#include "rule/threshold.hpp"

namespace beamtree {

struct Purity {
    static constexpr const char* kName = "purity";
    static constexpr ThresholdRange kUsualRange{0, 0.002, 1};
    static constexpr bool kAdds = false;
    static constexpr bool kReadsGain = false;
    static constexpr bool kClosesNodes = true;
    static double cost(const NodeContext& node) {
        if (node.error == 0) return std::nextafter(1.0, 2.0);
        const double purity =
            1.0 - static_cast<double>(node.error) / static_cast<double>(node.weight);
        // The error may be too small to change a double; the node is not pure nevertheless.
        return std::min(std::nextafter(purity, 2.0), 1.0);
    }
    static double round(double threshold) { return threshold; }
};

}  // namespace beamtree
