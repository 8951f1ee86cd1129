// The class weights of a node and of the two sides of a split, which is all that a heuristic sees.
//
// A heuristic is one file with a function `static double gain(const SplitWeights&)`; larger gains
// are better. The search rounds gains to multiples of 2^-40, so that machines whose logarithms
// differ in the last bit agree on ties.
#pragma once

#include <cstdint>

namespace beamtree {

struct SplitWeights {
    int classes = 0;
    const std::int64_t* total = nullptr;  ///< (classes,) in the node
    const std::int64_t* one = nullptr;    ///< (classes,) where the feature is 1
    const std::int64_t* zero = nullptr;   ///< (classes,) where the feature is 0
};

inline double sum_of(const std::int64_t* weight, int classes) {
    double sum = 0;
    for (int k = 0; k < classes; ++k) sum += static_cast<double>(weight[k]);
    return sum;
}

/// Returns how much a split lowers the impurity per unit of weight. weighted(class_weight, classes)
/// must return weight times impurity.
template <class Weighted>
double impurity_gain(const SplitWeights& split, Weighted weighted) {
    const double gain = weighted(split.total, split.classes) - weighted(split.one, split.classes) -
                        weighted(split.zero, split.classes);
    return gain / sum_of(split.total, split.classes);
}

}  // namespace beamtree
