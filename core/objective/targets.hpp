// What is to be predicted: a class or a number for every row, or statistics for an objective of the
// caller's own; and what the rows weigh.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace beamtree {

/// What leaves cost, as the caller computes it.
class LeafPrices {
  public:
    virtual ~LeafPrices() = default;
    /// Sets `cost` (leaves,) from the sums of their statistics (leaves, width). Costs are at least
    /// 0 and depend on the sums alone. One thread calls it at a time.
    virtual void price(const std::int64_t* sums, std::size_t leaves, int width,
                       std::int64_t* cost) = 0;
};

struct Targets {
    static constexpr int kMostStatistics = 16;

    std::int64_t rows = 0;
    /// (rows,) All at least 1. If rows have statistics, this is the most by which a cost falls if
    /// the row is removed, or 1 if that is not known.
    const std::int64_t* weight = nullptr;
    /// (rows,) For how many equal rows each row stands, which weigh as much as it does together;
    /// null for one. Only searches over columns of bits take such rows.
    const std::int64_t* count = nullptr;
    const std::int32_t* label = nullptr;  ///< (rows,), 0 .. classes - 1, if rows have classes
    int classes = 0;
    /// (rows,) The numbers to predict, times the weights of their rows, if rows have numbers.
    const std::int64_t* value = nullptr;
    const std::int64_t* square = nullptr;     ///< (rows,) their scores, see squared_error.hpp
    const std::int64_t* statistic = nullptr;  ///< (rows, statistics) if rows have statistics
    int statistics = 0;
    LeafPrices* prices = nullptr;  ///< what leaves cost then

    bool has_classes() const { return label != nullptr; }
    bool has_values() const { return value != nullptr; }
    bool has_statistics() const { return statistic != nullptr; }
    std::int64_t count_of(std::int64_t i) const { return count == nullptr ? 1 : count[i]; }
    /// Whether all rows weigh 1, also those for which a row stands.
    bool unit_weights() const {
        if (count != nullptr) return std::equal(weight, weight + rows, count);
        return std::all_of(weight, weight + rows, [](auto w) { return w == 1; });
    }
};

}  // namespace beamtree
