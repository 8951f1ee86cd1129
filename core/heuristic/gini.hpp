// Gini gain (Breiman et al. 1984): how much a split lowers the probability that two
// rows differ in their class.
#pragma once

#include "heuristic/split_weights.hpp"

namespace beamtree {

struct Gini {
    static constexpr const char* kName = "gini";

    static double gain(const SplitWeights& split) { return impurity_gain(split, weighted); }

  private:
    static double weighted(const std::int64_t* class_weight, int classes) {
        double total = 0, squares = 0;
        for (int k = 0; k < classes; ++k) {
            const auto weight = static_cast<double>(class_weight[k]);
            total += weight;
            squares += weight * weight;
        }
        return total > 0 ? total - squares / total : 0;
    }
};

}  // namespace beamtree
