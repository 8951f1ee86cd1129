// Ranks of columns are compared with those that sorting and searching give.
#include "data/rank_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "testing.hpp"

using namespace beamtree;

namespace {

template <class T>
void check(const std::vector<T>& column) {
    std::vector<T> values;
    for (const T value : column)
        if (value == value) values.push_back(value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const RankedValues<T> ranked = rank_values(column.data(), column.size());
    EXPECT(ranked.values == values);
    EXPECT(ranked.rank.size() == column.size());
    for (std::size_t i = 0; i < column.size(); ++i) {
        const auto at = std::lower_bound(values.begin(), values.end(), column[i]);
        const auto rank = column[i] == column[i] ? at - values.begin() : std::ssize(values);
        EXPECT(ranked.rank[i] == static_cast<std::uint32_t>(rank));
    }
}

void ranks_are_positions() {
    for (auto& [random, trial] : testing::Trials(1, 200)) {
        const std::size_t rows = trial % 4 == 0 ? 401 + random.below(500) : random.below(60);
        std::vector<double> floats(rows);
        std::vector<std::int64_t> integers(rows);
        std::vector<std::uint64_t> naturals(rows);
        const bool wide = random.below(2) == 0;
        for (std::size_t i = 0; i < rows; ++i) {
            const std::uint64_t bits = random.next();
            naturals[i] = wide ? bits : bits % 1000;
            integers[i] = static_cast<std::int64_t>(wide ? bits : bits % 1000) - (wide ? 0 : 500);
            floats[i] = wide ? std::bit_cast<double>(bits) : (random.below(40) - 20) * 0.1;
            if (random.below(20) == 0) floats[i] = std::numeric_limits<double>::quiet_NaN();
            if (random.below(20) == 0) floats[i] = -std::numeric_limits<double>::infinity();
        }
        check(floats);
        check(integers);
        check(naturals);
    }
}

void both_zeros_are_one_value() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> column{-0.0, 1.0, 0.0, -1.0, nan, -nan};
    for (const int times : {1, 200}) {
        std::vector<double> repeated;
        for (int i = 0; i < times; ++i)
            repeated.insert(repeated.end(), column.begin(), column.end());
        const auto ranked = rank_values(repeated.data(), repeated.size());
        EXPECT(ranked.values == std::vector<double>({-1.0, 0.0, 1.0}));
        EXPECT(!std::signbit(ranked.values[1]));
        for (std::size_t i = 0; i < repeated.size(); ++i) {
            const std::uint32_t expected[] = {1, 2, 1, 0, 3, 3};
            EXPECT(ranked.rank[i] == expected[i % 6]);
        }
    }
}

}  // namespace

int main() {
    ranks_are_positions();
    both_zeros_are_one_value();
    return testing::report();
}
