// Purity (paper, table 1): a node that is pure enough becomes a leaf. Pruned at purity >=
// threshold, that is, where the next number above the purity exceeds the threshold.
#pragma once

#include <cmath>

#include "rule/threshold.hpp"

namespace beamtree {

struct Purity {
    static constexpr const char* kName = "purity";
    static constexpr bool kAdds = false;
    static constexpr bool kClosesNodes = true;
    static double cost(const NodeContext& node) {
        const double purity =
            1.0 - static_cast<double>(node.error) / static_cast<double>(node.weight);
        return std::nextafter(purity, 2.0);
    }
    static double round(double threshold) { return threshold; }
};

}  // namespace beamtree
