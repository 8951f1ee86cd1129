// What is to be predicted: a class or a number for every row, and what the rows weigh.
#pragma once

#include <algorithm>
#include <cstdint>

namespace beamtree {

struct Targets {
    std::int64_t rows = 0;
    const std::int64_t* weight = nullptr;  ///< (rows,), all at least 1
    const std::int32_t* label = nullptr;   ///< (rows,), 0 .. classes - 1, if rows have classes
    int classes = 0;
    /// (rows,) The numbers to predict, times the weights of their rows, if rows have numbers.
    const std::int64_t* value = nullptr;
    const std::int64_t* square = nullptr;  ///< (rows,) their scores, see squared_error.hpp

    bool has_classes() const { return value == nullptr; }
    bool unit_weights() const {
        return std::all_of(weight, weight + rows, [](auto w) { return w == 1; });
    }
};

}  // namespace beamtree
