// A test is a function; EXPECT counts what fails; the program ends with that count.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include "data/problem.hpp"

namespace testing {

inline int failures = 0;

#define EXPECT(condition)                                                       \
    do {                                                                        \
        if (!(condition)) {                                                     \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ++testing::failures;                                                \
        }                                                                       \
    } while (false)

inline int report() {
    if (failures == 0) std::printf("all as expected\n");
    return failures == 0 ? 0 : 1;
}

/// A small generator with the same numbers everywhere.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed * 2654435761u + 88172645463325252ull) {}
    std::uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ * 2685821657736338717ull;
    }
    int below(int bound) { return static_cast<int>((next() >> 33) % static_cast<unsigned>(bound)); }

  private:
    std::uint64_t state_;
};

/// A problem that owns its arrays.
struct OwnedProblem {
    std::vector<std::uint8_t> features;
    std::vector<std::int32_t> label;
    std::vector<std::int64_t> weight;
    int columns = 0, classes = 2;

    beamtree::Problem view() const {
        return {features.data(), label.data(),
                weight.data(),   static_cast<std::int64_t>(label.size()),
                columns,         classes};
    }
};

/// Rows with noise, repeats and contradictions; column 0 also stands as its complement.
inline OwnedProblem random_problem(Random& random, int rows, int columns, int classes,
                                   int max_weight) {
    OwnedProblem out;
    out.columns = columns;
    out.classes = classes;
    for (int i = 0; i < rows; ++i) {
        if (i > 0 && random.below(4) == 0) {  // repeat an earlier row, perhaps with another label
            const int from = random.below(i);
            for (int j = 0; j < columns; ++j)
                out.features.push_back(out.features[from * columns + j]);
        } else {
            for (int j = 0; j < columns; ++j)
                out.features.push_back(static_cast<std::uint8_t>(random.below(3) == 0));
            if (columns > 2)
                out.features[i * columns + columns - 1] = 1 - out.features[i * columns];
        }
        const int hint = out.features[i * columns] * 2 + out.features[i * columns + columns / 2];
        out.label.push_back(random.below(3) == 0 ? random.below(classes) : hint % classes);
        out.weight.push_back(1 + random.below(max_weight));
    }
    return out;
}

/// All tests of columns of numbers, as x > t or as x <= t, and a few features without an order.
inline OwnedProblem threshold_problem(Random& random, int rows, int numbers, int classes,
                                      int max_weight) {
    OwnedProblem out;
    out.classes = classes;
    std::vector<int> values;
    std::vector<bool> upwards;
    for (int j = 0; j < numbers; ++j) {
        values.push_back(1 + random.below(j % 3 == 2 ? 2 : 12));
        upwards.push_back(random.below(3) > 0);
        out.columns += values.back();
    }
    for (int i = 0; i < rows; ++i) {
        int sum = 0;
        for (int j = 0; j < numbers; ++j) {
            const int x = random.below(values[j] + 1);
            if (j < 2) sum += 3 * x / (values[j] + 1);
            for (int t = 0; t < values[j]; ++t)
                out.features.push_back(static_cast<std::uint8_t>((x > t) == upwards[j]));
        }
        out.label.push_back(random.below(4) == 0 ? random.below(classes) : sum % classes);
        out.weight.push_back(1 + random.below(max_weight));
    }
    return out;
}

}  // namespace testing
