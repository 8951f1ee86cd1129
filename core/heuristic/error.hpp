// Error gain: how much a split lowers the share of misclassified weight, if both sides are leaves.
#pragma once

#include <algorithm>

#include "heuristic/split_weights.hpp"

namespace beamtree {

struct Error {
    static constexpr const char* kName = "error";

    static double gain(const SplitWeights& split) {
        const auto most = [&](const std::int64_t* weight) {
            return static_cast<double>(*std::max_element(weight, weight + split.classes));
        };
        return (most(split.one) + most(split.zero) - most(split.total)) /
               sum_of(split.total, split.classes);
    }
};

}  // namespace beamtree
