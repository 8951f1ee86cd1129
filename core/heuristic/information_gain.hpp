// Information gain in bits (Quinlan 1986): how much a split lowers the entropy of the class.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

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
            sum += weight_times_log(weight);
        }
        return weight_times_log(total) - sum;
    }

  private:
    /// Small weights, which most nodes have, are looked up in a table. It holds the same numbers.
    static double weight_times_log(double weight) {
        static const std::vector<double> small = [] {
            std::vector<double> table(4096, 0.0);
            for (std::size_t w = 1; w < table.size(); ++w)
                table[w] = static_cast<double>(w) * std::log2(static_cast<double>(w));
            return table;
        }();
        if (weight < static_cast<double>(small.size()))
            return small[static_cast<std::size_t>(weight)];
        return weight * std::log2(weight);
    }
};

}  // namespace beamtree
