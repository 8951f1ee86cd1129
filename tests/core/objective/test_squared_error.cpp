// The rounded squared error is that of integers, costs no leaf less than nothing, and grows with
// the rows up to its slack.
#include "objective/squared_error.hpp"

#include <cmath>

#include "testing.hpp"

using namespace beamtree;

namespace {

/// Random rows, and an objective whose scores fit.
struct Sample {
    Sample(testing::Random& random, int trial) {
        const int rows = 1 + random.below(40);
        const int bits = 1 + random.below(20);
        std::int64_t weight_sum = 0;
        for (int i = 0; i < rows; ++i) {
            const std::int64_t w = 1 + random.below(testing::kMaxWeights[trial % 3]);
            const auto y = static_cast<std::int64_t>(random.next() >> (64 - bits)) -
                           (std::int64_t{1} << (bits - 1));
            weight.push_back(w);
            value.push_back(w * y);
            weight_sum += w;
        }
        // The sum of the squares is below weight_sum * 2^(2 bits - 2).
        const auto most = static_cast<int>(std::log2(static_cast<double>(weight_sum)) + 2 * bits);
        const int exponent = std::min((50 - most) / 2, random.below(20) - 8);
        objective.factor = std::ldexp(1.0, exponent);
        for (std::size_t i = 0; i < weight.size(); ++i)
            square.push_back(objective.square(weight[i], value[i]));
        Targets targets;
        targets.rows = static_cast<std::int64_t>(weight.size());
        targets.weight = weight.data();
        targets.value = value.data();
        targets.square = square.data();
        rows_of.read(targets);
    }
    ValueSums sum(int begin, int end) const {
        ValueSums sums;
        for (int i = begin; i < end; ++i) sums.add(rows_of, i);
        return sums;
    }
    int rows() const { return static_cast<int>(weight.size()); }

    SquaredError objective;
    std::vector<std::int64_t> weight, value, square;
    ValueRows rows_of;
};

void scores_are_rounded_quotients() {
    for (auto& [random, trial] : testing::Trials(1, 2000)) {
        const Sample sample(random, trial);
        const ValueSums all = sample.sum(0, sample.rows());
        const long double scaled =
            static_cast<long double>(all.value) * static_cast<long double>(sample.objective.factor);
        const long double exact = scaled * scaled / static_cast<long double>(all.weight);
        const auto score = static_cast<long double>(sample.objective.score(all.weight, all.value));
        EXPECT(std::abs(score - exact) < 0.76L);
    }
}

void costs_grow_with_the_rows() {
    for (auto& [random, trial] : testing::Trials(2, 2000)) {
        const Sample sample(random, trial);
        const int part = 1 + random.below(sample.rows());
        const Cost few = sample.objective.leaf_cost(sample.sum(0, part));
        const Cost all = sample.objective.leaf_cost(sample.sum(0, sample.rows()));
        EXPECT(few >= 0);
        EXPECT(all >= few - SquaredError::slack(0, sample.rows()));
        ValueSums rest;
        rest.set_rest(sample.sum(0, sample.rows()), sample.sum(0, part));
        EXPECT(sample.objective.leaf_cost(rest) ==
               sample.objective.leaf_cost(sample.sum(part, sample.rows())));
    }
}

/// Equal numbers cost nothing, as long as their squares are exact.
void equal_numbers_cost_nothing() {
    for (auto& [random, trial] : testing::Trials(3, 500)) {
        SquaredError objective;
        objective.factor = std::ldexp(1.0, random.below(8));
        const std::int64_t y = random.below(1 << 12) - (1 << 11);
        ValueSums sums;
        for (int i = 0; i < 1 + random.below(1000); ++i) {
            const std::int64_t w = 1 + random.below(testing::kMaxWeights[trial % 3]);
            sums.weight += w;
            sums.value += w * y;
            sums.square += objective.square(w, w * y);
        }
        if (sums.square < Cost{1} << 50) EXPECT(objective.leaf_cost(sums) == 0);
    }
}

}  // namespace

int main() {
    scores_are_rounded_quotients();
    costs_grow_with_the_rows();
    equal_numbers_cost_nothing();
    return testing::report();
}
