// The harness of the core's tests. A test is a function; EXPECT reports what does not hold; the
// program returns 1 if anything failed.
//
// Random tests run as Trials, each with a seed of its own. If one fails, its seed is printed:
//
//     BEAMTREE_SEED=7000123 test_search    repeats that trial alone
//     BEAMTREE_SOAK=1 test_search          runs kSoakFactor times as many trials
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "data/problem.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace testing {

inline int failures = 0;

#define EXPECT(condition)                                                              \
    do {                                                                               \
        if (!(condition)) {                                                            \
            std::printf("%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            ++testing::failures;                                                       \
        }                                                                              \
    } while (false)

inline int report() {
    if (failures == 0)
        std::printf("everything is as expected\n");
    else
        std::printf("%d expectations failed\n", failures);
    return failures == 0 ? 0 : 1;
}

/// A small generator that gives the same numbers on every machine.
class Random {
  public:
    /// Neighbouring seeds give unrelated numbers.
    explicit Random(std::uint64_t seed) : state_(seed + 0x9E3779B97F4A7C15ull) {
        state_ = (state_ ^ state_ >> 30) * 0xBF58476D1CE4E5B9ull;
        state_ = (state_ ^ state_ >> 27) * 0x94D049BB133111EBull;
        state_ = (state_ ^ state_ >> 31) | 1;  // a xorshift generator must not start from 0
    }
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

struct Trial {
    Random random;
    int number;
};

/// The trials of a random test, up to the first that fails:
///
///     testing::Trials trials(41, 3000);
///     for (auto& [random, number] : trials) ...
class Trials {
  public:
    static constexpr int kSoakFactor = 10;

    /// `test` is a number that no other test of the program has.
    Trials(std::uint64_t test, int count) : first_seed_(test * kMostTrials), end_(count) {
        report_seed_of_crashes();
        if (std::getenv("BEAMTREE_SOAK") != nullptr) end_ *= kSoakFactor;
        const char* wanted = std::getenv("BEAMTREE_SEED");
        if (wanted == nullptr) return;
        const std::uint64_t number = std::strtoull(wanted, nullptr, 10) - first_seed_;
        begin_ = number < kMostTrials ? static_cast<int>(number) : 0;
        end_ = number < kMostTrials ? begin_ + 1 : 0;
        complete_ = false;
    }

    struct End {};
    class Iterator {
      public:
        Iterator(Trials& trials, int number) : trials_(trials), number_(number) { start(); }
        Trial& operator*() { return trial_; }
        bool operator!=(End) const { return number_ < trials_.end_; }
        void operator++() {
            if (failures > failures_before_) {
                report_seed();
                trials_.complete_ = false;
                number_ = trials_.end_;
            } else {
                ++number_;
            }
            running_ = kNoTrial;
            start();
        }

      private:
        void start() {
            if (!(*this != End{})) return;
            running_ = trials_.first_seed_ + number_;
            failures_before_ = failures;
            trial_ = {Random(running_), number_};
        }

        Trials& trials_;
        int number_, failures_before_ = 0;
        Trial trial_{Random(0), 0};
    };
    Iterator begin() { return {*this, begin_}; }
    End end() { return {}; }

    /// Whether every trial ran and passed, so that totals over all of them can be judged.
    bool complete() const { return complete_; }

  private:
    static constexpr std::uint64_t kMostTrials = 1'000'000, kNoTrial = ~std::uint64_t{0};
    static inline std::uint64_t running_ = kNoTrial;

    static void report_seed() {
        if (running_ == kNoTrial) return;
        std::printf("BEAMTREE_SEED=%llu repeats the trial that failed\n",
                    static_cast<unsigned long long>(running_));
        std::fflush(stdout);
    }
    /// An exception that is not caught and an error that a sanitizer finds end the program within a
    /// trial.
    static void report_seed_of_crashes() {
        static const std::terminate_handler usual = std::get_terminate();
        std::set_terminate([] {
            report_seed();
            usual();
        });
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        __sanitizer_set_death_callback(report_seed);
#endif
    }

    std::uint64_t first_seed_;
    int begin_ = 0, end_;
    bool complete_ = true;
};

/// A problem that owns its arrays.
struct OwnedProblem {
    std::vector<std::uint8_t> features;
    std::vector<std::int32_t> label;
    std::vector<std::int64_t> weight;
    int columns = 0, classes = 2;

    beamtree::Problem view() const {
        beamtree::Problem problem;
        problem.features = features.data();
        problem.label = label.data();
        problem.weight = weight.data();
        problem.rows = static_cast<std::int64_t>(label.size());
        problem.columns = columns;
        problem.classes = classes;
        return problem;
    }
};

/// Returns random rows with noise, repeats and contradictions. The last column is the complement of
/// the first one.
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

/// Returns rows of numeric columns, encoded by all their thresholds, as x > t or as x <= t.
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

/// Weights for lanes of 16 bits, for the end of their range, for 32 and for 64 bits.
inline constexpr int kMaxWeights[] = {1, 9, 2500, 70'000, 1'000'000'000};

/// A problem whose tests are the cuts of orders. It owns its arrays, and can be moved but not
/// copied.
struct RankedProblem {
    RankedProblem() = default;
    RankedProblem(RankedProblem&&) = default;
    RankedProblem& operator=(RankedProblem&&) = default;

    std::vector<std::uint32_t> rank;  ///< (orders, rows)
    beamtree::Ranks ranks;
    std::vector<std::int32_t> label;
    std::vector<std::int64_t> weight;
    std::vector<std::int64_t> value;  ///< numbers to predict, times the weights; empty for classes
    int classes = 2;

    beamtree::Problem view() const {
        beamtree::Problem problem;
        problem.ranks = &ranks;
        problem.weight = weight.data();
        problem.rows = static_cast<std::int64_t>(weight.size());
        problem.columns = ranks.tests();
        if (value.empty()) {
            problem.label = label.data();
            problem.classes = classes;
        } else {
            problem.value = value.data();
        }
        return problem;
    }
};

/// Returns random rows in orders of all kinds: with few and with many ranks, with ranks that no row
/// has, with one rank only, with two, and reversed copies of another order.
inline RankedProblem ranked_problem(Random& random, int rows, int orders, int classes,
                                    int max_weight) {
    RankedProblem out;
    out.classes = classes;
    out.rank.resize(static_cast<std::size_t>(orders) * rows);
    out.ranks.rank = out.rank.data();
    out.ranks.first.push_back(0);
    for (int j = 0; j < orders; ++j) {
        const int kind = random.below(6);
        std::uint32_t* rank = out.rank.data() + static_cast<std::size_t>(j) * rows;
        const bool reversed = kind == 5 && j > 0;
        const int cuts = reversed    ? out.ranks.cuts(j - 1)
                         : kind == 0 ? 1
                         : kind == 1 ? random.below(2)
                         : kind == 2 ? 1 + random.below(4)
                                     : 1 + random.below(rows + rows / 2);
        for (int i = 0; i < rows; ++i)
            rank[i] = static_cast<std::uint32_t>(
                reversed ? cuts - static_cast<int>((rank - rows)[i]) : random.below(cuts + 1));
        out.ranks.first.push_back(out.ranks.first.back() + cuts);
    }
    for (int i = 0; i < rows; ++i) {
        int hint = 0;
        for (int j = 0; j < orders && j < 2; ++j) {
            const auto rank = static_cast<int>(out.rank[static_cast<std::size_t>(j) * rows + i]);
            hint += 3 * rank / (out.ranks.cuts(j) + 1);
        }
        out.label.push_back(random.below(3) == 0 ? random.below(classes) : hint % classes);
        out.weight.push_back(1 + random.below(max_weight));
    }
    return out;
}

}  // namespace testing
