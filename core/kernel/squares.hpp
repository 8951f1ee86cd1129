// The interface of the kernel at the bottom of the search for regression trees over all thresholds.
// As in kernel/stumps.hpp, it looks for the best stumps by thresholds of a column g, for both sides
// of 16 thresholds of a column f, one per lane. Arrays with one number per side and lane have the
// shape (2, 16), left side first, aligned to 64 bytes.
//
// All numbers are doubles that stand for integers (times a common power of two), so sums are exact.
// The score of a leaf of weight n and value S is S * S / n, rounded to an integer as SquaredError
// does it.
#pragma once

#include <cstdint>

namespace beamtree {

struct SquareLanes {
    /// (rows,) A row is on the left side of lane k if its bucket is at most k.
    const std::uint8_t* bucket = nullptr;
    const double* weight = nullptr;  ///< (rows,)
    const double* value = nullptr;   ///< (rows,) times the factor of the objective
    /// (rows,) How much a row counts towards the minimum size of leaves; null if leaves have no
    /// minimum.
    const double* count = nullptr;
    double min_count = 1;
    const double* side_weight = nullptr;  ///< (2, 16)
    const double* side_value = nullptr;   ///< (2, 16)
    const double* side_count = nullptr;   ///< (2, 16) needed if there is a minimum
};

}  // namespace beamtree
