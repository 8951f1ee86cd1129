// The training rows as the caller gives them, before any are dropped, merged or cancelled.
#pragma once

#include <cstddef>
#include <cstdint>

namespace beamtree {

struct Problem {
    const std::uint8_t* features = nullptr;  ///< (rows, columns), row-major, values 0 and 1
    const std::int32_t* label = nullptr;     ///< (rows,), 0 .. classes - 1
    const std::int64_t* weight = nullptr;    ///< (rows,), all at least 1
    std::int64_t rows = 0;
    int columns = 0;
    int classes = 0;

    const std::uint8_t* row(std::int64_t i) const {
        return features + static_cast<std::size_t>(i) * static_cast<std::size_t>(columns);
    }
};

}  // namespace beamtree
