#include "data/rank_values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

namespace beamtree {

namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kMissing = ~std::uint64_t{0};  // above the key of infinity
constexpr std::size_t kFewRows = 400;                  // these are sorted by comparisons
constexpr int kDigits = 8;

/// A key is an unsigned integer; keys are in the order of the values.
struct Item {
    std::uint64_t key;
    std::uint32_t row;
};

template <class T>
std::uint64_t key_of(T value) {
    if constexpr (std::is_same_v<T, double>) {
        if (std::isnan(value)) return kMissing;
        const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // turns -0.0 into 0.0
        return bits & kSign ? ~bits : bits | kSign;
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<std::uint64_t>(value) ^ kSign;
    } else {
        return value;
    }
}

/// Sorts by one byte of the keys after the other, from the lowest on (radix sort). A byte that all
/// keys have in common is left out, so integers in a small range take few steps.
void sort_by_digits(std::vector<Item>& items) {
    std::array<std::array<std::uint32_t, 256>, kDigits> count{};
    for (const Item& item : items)
        for (int d = 0; d < kDigits; ++d) ++count[d][item.key >> (8 * d) & 0xFF];
    std::vector<Item> sorted(items.size());
    for (int d = 0; d < kDigits; ++d) {
        auto& start = count[d];
        if (start[items[0].key >> (8 * d) & 0xFF] == items.size()) continue;
        std::uint32_t before = 0;
        for (std::uint32_t& place : start) {
            const std::uint32_t here = place;
            place = before;
            before += here;
        }
        for (const Item& item : items) sorted[start[item.key >> (8 * d) & 0xFF]++] = item;
        items.swap(sorted);
    }
}

}  // namespace

template <class T>
RankedValues<T> rank_values(const T* column, std::size_t rows) {
    std::vector<Item> items(rows);
    for (std::size_t i = 0; i < rows; ++i)
        items[i] = {key_of(column[i]), static_cast<std::uint32_t>(i)};
    if (rows > kFewRows)
        sort_by_digits(items);
    else
        std::sort(items.begin(), items.end(),
                  [](const Item& a, const Item& b) { return a.key < b.key; });
    RankedValues<T> result;
    result.rank.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        const Item& item = items[i];
        if (std::is_same_v<T, double> && item.key == kMissing) {
            result.rank[item.row] = static_cast<std::uint32_t>(result.values.size());
            continue;
        }
        if (i == 0 || item.key != items[i - 1].key)
            result.values.push_back(static_cast<T>(column[item.row] + T{0}));
        result.rank[item.row] = static_cast<std::uint32_t>(result.values.size()) - 1;
    }
    return result;
}

template RankedValues<double> rank_values(const double*, std::size_t);
template RankedValues<std::int64_t> rank_values(const std::int64_t*, std::size_t);
template RankedValues<std::uint64_t> rank_values(const std::uint64_t*, std::size_t);

}  // namespace beamtree
