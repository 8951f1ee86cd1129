// Searches in sorted form are stopped at every place and go on. All bounds must stay correct.
#include <algorithm>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "sorted/ranked_trees.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr int kMostSteps = 100;

/// Stops a search at the look of that number and again later. Returns whether it was stopped.
bool check_stopped(const Problem& problem, Options options, const std::vector<RulePart>& rule,
                   std::int64_t look, Cost optimum) {
    options.hooks.stop_at_look = look;
    const auto search = make_search(problem, options, rule);
    Outcome outcome = search->run();
    const bool stopped = outcome.status == Status::kTimeLimit;
    for (int step = 0; outcome.status == Status::kTimeLimit && step < kMostSteps; ++step) {
        EXPECT(outcome.lower <= optimum);
        EXPECT(outcome.cost >= optimum);
        outcome = search->run();
    }
    EXPECT(!search->failure());
    EXPECT(outcome.status == Status::kOptimal);
    EXPECT(outcome.cost == optimum);
    EXPECT(outcome.lower == optimum);
    return stopped;
}

void small_problems_stopped_at_every_look() {
    for (auto& [random, trial] : testing::Trials(1, 40)) {
        const auto owned =
            testing::ranked_problem(random, 6 + random.below(14), 1 + random.below(3),
                                    2 + random.below(3), testing::kMaxWeights[trial % 5]);
        const Problem problem = owned.view();
        Options options = testing::random_options(random, trial / 4);
        options.max_depth = 2 + random.below(3);
        options.hooks.form = "sorted";
        if (trial % 3 == 0) options.hooks.coarse_cuts = 1 + random.below(3);
        auto rule = testing::random_rule(random);
        if (trial % 4 == 3) {
            options.probe = options.polish = true;
            rule = {{"discrepancy", {0, 1}, {}}};
        }
        const Cost optimum = testing::Exhaustive(problem, options)
                                 .best(low_bits(static_cast<int>(problem.rows)), options.max_depth);
        for (std::int64_t look = 1; check_stopped(problem, options, rule, look, optimum);)
            look += look < 60 ? 1 : 1 + random.below(static_cast<int>(look) / 3);
    }
}

}  // namespace

int main() {
    small_problems_stopped_at_every_look();
    return testing::report();
}
