// Ranks the values of a column: every row gets the position of its value among the sorted distinct
// values. This is how the numbers of a table become the integers that a search compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace beamtree {

template <class T>
struct RankedValues {
    std::vector<T> values;            ///< the distinct values, increasing
    std::vector<std::uint32_t> rank;  ///< (rows,) position in `values`; their number for a NaN
};

/// Ranks floats or integers of 64 bits. The numbers 0.0 and -0.0 are equal; both become 0.0.
template <class T>
RankedValues<T> rank_values(const T* column, std::size_t rows);

}  // namespace beamtree
