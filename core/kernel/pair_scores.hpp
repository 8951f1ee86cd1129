// The interface of the kernel at the bottom of the search for regression trees over groups of equal
// rows. For every feature g of a node, it looks for the best second splits h on both sides of g.
//
// A *packed sum* is one integer, value * 2^bits + weight, of which both parts are exact: sums and
// differences of packed sums take one operation. The score of a leaf of weight n and value S is
// S * S / n in units of the objective, rounded to an integer as SquaredError does it.
#pragma once

#include <cstdint>

namespace beamtree {

struct PairScores {
    int features = 0;
    int stride = 0;  ///< features and some padding, in which all sums are 0; a multiple of 8
    /// (features, stride) Packed sums of the rows in which g and h are both 1, for h >= g.
    const std::int64_t* pairs = nullptr;
    /// If it is not null, the packed sums are those of this matrix less those of `pairs`.
    const std::int64_t* whole = nullptr;
    int bits = 0;                    ///< of the weight, at least 12
    double factor = 1;               ///< by which values are multiplied
    const double* weight = nullptr;  ///< (stride,) of the rows in which g is 1
    const double* value = nullptr;   ///< (stride,) the same, times the factor
    double all_weight = 0, all_value = 0;
    double min_weight = 1;  ///< of every leaf
    double penalty = 0;     ///< of every split
    /// Output (stride,): the largest score of the rows in which g is 1 with at most one split, less
    /// the penalty of the split, and the same of the rows in which g is 0.
    double* best_one = nullptr;
    double* best_zero = nullptr;
};

}  // namespace beamtree
