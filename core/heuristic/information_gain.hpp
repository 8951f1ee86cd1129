// Information gain in bits (Quinlan 1986): how much a split lowers the entropy of the class.
#pragma once

#include <cmath>

#include "heuristic/split_weights.hpp"

namespace beamtree {

struct InformationGain {
    static constexpr const char* kName = "information_gain";

    static double gain(const SplitWeights& split) { return impurity_gain(split, weighted_entropy); }

    static double weighted_entropy(const std::int64_t* class_weight, int classes) {
        double total = 0, sum = 0;
        for (int k = 0; k < classes; ++k) {
            const auto weight = static_cast<double>(class_weight[k]);
            total += weight;
            if (weight > 0) sum += weight * std::log2(weight);
        }
        return total > 0 ? total * std::log2(total) - sum : 0;
    }
};

}  // namespace beamtree
