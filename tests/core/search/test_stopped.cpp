// Searches are stopped at every place and go on. All bounds must stay correct: unfinished counts
// would show as a wrong bound, or as a tree that does not exist.
#include <algorithm>
#include <string>

#include "exhaustive.hpp"
#include "make_search.hpp"
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

/// Lanes of 16, 32 and 64 bits.
constexpr int kMaxWeights[] = {1, 9, 70'000, 1'000'000'000};

void small_problems_stopped_at_every_look() {
    for (auto& [random, trial] : testing::Trials(11, 40)) {
        const bool blocks = trial % 5 == 0;  // more than one block of features
        const int columns = blocks ? 18 + random.below(6) : 3 + random.below(6);
        const auto owned = testing::random_problem(random, 8 + random.below(30), columns,
                                                   2 + random.below(3), kMaxWeights[trial / 4 % 4]);
        const Problem problem = owned.view();
        Options options = testing::random_options(random, trial / 4);
        options.max_depth = 2 + random.below(blocks ? 2 : 4);
        if (trial % 4 == 3) {  // probes and an unfinished lookahead use the same memory
            options.hooks.fused_granules = 0;
            options.probe = true;
            options.max_depth = 4 + random.below(2);
        }
        if (trial % 10 == 0) {  // passes that try only a few features of every node
            options.subsets = true;
            options.hooks.wide = 1;
            options.hooks.first_width = 2;
            options.exact_levels = random.below(3);
            options.max_depth = 3;
        }
        auto rule = testing::random_rule(random);
        if (trial % 4 == 3) rule = {{"discrepancy", {0, 1}, {}}};
        const Cost optimum = testing::Exhaustive(problem, options)
                                 .best(low_bits(static_cast<int>(problem.rows)), options.max_depth);
        for (std::int64_t look = 1; check_stopped(problem, options, rule, look, optimum);)
            look += look < 40 ? 1 : 1 + random.below(static_cast<int>(look) / 3);
    }
}

/// The sides of large nodes are counted separately, because their granules do not fit into the
/// cache of the processor.
void sides_of_many_rows() {
    testing::Random random(12);
    const auto owned = testing::random_problem(random, 20000, 30, 2, 1);
    const Problem problem = owned.view();
    Options options;
    options.max_depth = 3;
    options.ablations.merge_rows = options.ablations.cancel_rows = false;
    for (const bool stored : {false, true}) {
        options.hooks.fused_granules = stored ? 0 : 1 << 20;
        const Cost optimum = make_search(problem, options)->run().cost;
        for (std::int64_t look = 1; check_stopped(problem, options, {}, look, optimum);)
            look += 1 + random.below(static_cast<int>(look));
    }
}

}  // namespace

int main() {
    small_problems_stopped_at_every_look();
    sides_of_many_rows();
    return testing::report();
}
