// Searches with an objective of the caller's own find the same optimum as plain recursion over all
// trees, with the bounds that the caller declares and without them.
#include <cmath>
#include <stdexcept>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// The Poisson deviance of counts: a leaf predicts their mean. The statistics of a row are 1, its
/// count y, and y log y, times kScale. More rows never cost less.
class PoissonDeviance final : public LeafPrices {
  public:
    static constexpr double kScale = 1'000'000;
    static std::int64_t scaled_log(double y, double mean) {
        return y == 0 ? 0 : std::llround(kScale * y * std::log(mean));
    }
    void price(const std::int64_t* sums, std::size_t leaves, int width,
               std::int64_t* cost) override {
        EXPECT(width == 3);
        for (std::size_t i = 0; i < leaves; ++i, sums += width) {
            if (fails && --left == 0) throw std::runtime_error("no price");
            const auto rows = static_cast<double>(sums[0]), count = static_cast<double>(sums[1]);
            // One per row more than the logarithms, which are rounded, so that it is not negative.
            cost[i] = sums[0] == 0 ? 0 : sums[0] + sums[2] - scaled_log(count, count / rows);
        }
        ++calls;
    }
    std::int64_t calls = 0;
    bool fails = false;
    int left = 0;
};

/// The distance of the largest class from the others: an objective for which more rows may cost
/// less, so that no bound holds.
class Imbalance final : public LeafPrices {
  public:
    void price(const std::int64_t* sums, std::size_t leaves, int width,
               std::int64_t* cost) override {
        for (std::size_t i = 0; i < leaves; ++i)
            cost[i] = 3 * std::abs(sums[i * width] - 2 * sums[i * width + 1]) + sums[i * width] % 2;
    }
};

struct Sample {
    Sample(testing::Random& random, int trial, LeafPrices& prices, int width)
        : owned(testing::ranked_problem(random, 1 + random.below(20), 1 + random.below(4), 2, 1)),
          problem(owned.view()) {
        for (std::int64_t i = 0; i < problem.rows; ++i) {
            const std::int64_t y = trial % 3 ? random.below(30) : random.below(2);
            statistic.push_back(1);
            statistic.push_back(y);
            if (width == 3)
                statistic.push_back(
                    PoissonDeviance::scaled_log(static_cast<double>(y), static_cast<double>(y)));
        }
        problem.label = nullptr;
        problem.classes = 0;
        problem.statistic = statistic.data();
        problem.statistics = width;
        problem.prices = &prices;
        options = testing::random_options(random, trial);
        options.max_depth = random.below(4);
        options.leaf_weight = options.costs_bounded = false;
        options.costs_grow = width == 3 && random.below(2) > 0;
        options.penalty *= 1000;
        if (random.below(3) == 0) options.max_leaf_nodes = 1 + random.below(6);
    }
    Cost optimum() {
        return testing::Exhaustive(problem, options)
            .best(low_bits(static_cast<int>(problem.rows)), options.max_depth,
                  options.max_leaf_nodes > 0 ? options.max_leaf_nodes : kAnyLeaves);
    }
    testing::RankedProblem owned;
    Problem problem;
    std::vector<std::int64_t> statistic;
    Options options;
};

void searches_agree_with_enumeration() {
    PoissonDeviance poisson;
    Imbalance imbalance;
    for (auto& [random, trial] : testing::Trials(1, 300)) {
        const bool counts = trial % 2 == 0;
        Sample sample(random, trial, counts ? static_cast<LeafPrices&>(poisson) : imbalance,
                      counts ? 3 : 2);
        const auto search =
            make_search(sample.problem, sample.options, testing::random_rule(random));
        const Outcome outcome = search->run();
        EXPECT(!search->failure());
        EXPECT(outcome.status == Status::kOptimal);
        EXPECT(outcome.lower == outcome.cost && outcome.cost == sample.optimum());
    }
}

/// What the caller's function throws ends the search, with the best tree so far.
void a_failure_ends_the_search() {
    int failures = 0;
    testing::Trials trials(2, 60);
    for (auto& [random, trial] : trials) {
        PoissonDeviance poisson;
        Sample sample(random, trial, poisson, 3);
        const Cost optimum = sample.optimum();
        const auto search =
            make_search(sample.problem, sample.options, testing::random_rule(random));
        search->next();
        poisson.fails = true;
        poisson.left = 1 + random.below(200);
        search->run();
        poisson.fails = false;
        const Outcome outcome = search->outcome();
        EXPECT(outcome.lower <= optimum && optimum <= outcome.cost);
        if (search->failure()) ++failures;
    }
    if (trials.complete()) EXPECT(failures > 5);
}

}  // namespace

int main() {
    searches_agree_with_enumeration();
    a_failure_ends_the_search();
    return testing::report();
}
