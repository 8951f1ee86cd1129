// Searches for regression trees find the same optimum as plain recursion over all trees, whatever
// the rule, also if they are saved and restored, have a limit of leaves, or run on threads.
#include <string>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr double kForever = 1e9;

/// Rows with numbers. Some have few different numbers, so that many trees cost the same.
testing::RankedProblem numbers(testing::Random& random, int trial) {
    auto owned = testing::ranked_problem(random, 1 + random.below(24), 1 + random.below(4), 2,
                                         testing::kMaxWeights[trial % 4]);
    const int different = random.below(2) ? 2 + random.below(3) : 1000;
    for (const std::int64_t weight : owned.weight)
        owned.value.push_back(weight * (random.below(different) - different / 2));
    return owned;
}

Options random_settings(testing::Random& random, int trial) {
    Options options = testing::random_options(random, trial);
    options.max_depth = random.below(5);
    options.square_exponent = random.below(12) - 4;
    options.penalty *= 1 + random.below(2000);
    if (random.below(3) == 0) options.max_leaf_nodes = 1 + random.below(8);
    options.hooks.form = "sorted";
    // Every second search starts coarse, where that is possible.
    if (random.below(2)) options.hooks.coarse_cuts = 1 + random.below(3);
    return options;
}

Cost optimum_of(const Problem& problem, const Options& options) {
    return testing::Exhaustive(problem, options)
        .best(low_bits(static_cast<int>(problem.rows)), options.max_depth,
              options.max_leaf_nodes > 0 ? options.max_leaf_nodes : kAnyLeaves);
}

void expect_optimal(const Search& search, Cost optimum) {
    EXPECT(!search.failure());
    const Outcome outcome = search.outcome();
    EXPECT(outcome.status == Status::kOptimal);
    EXPECT(outcome.cost == optimum && outcome.lower == optimum);
}

void search_agrees_with_enumeration() {
    for (auto& [random, trial] : testing::Trials(1, 400)) {
        const auto owned = numbers(random, trial);
        Options options = random_settings(random, trial);
        options.threads = random.below(8) ? 1 : 2;
        const auto search = make_search(owned.view(), options, testing::random_rule(random));
        search->run();
        expect_optimal(*search, optimum_of(owned.view(), options));
    }
}

/// At a price per leaf, trees may have any depth. No tree has more levels than rows.
void trees_of_any_depth_agree_with_enumeration() {
    for (auto& [random, trial] : testing::Trials(2, 100)) {
        auto owned = numbers(random, trial);
        if (owned.weight.size() > 10) continue;
        Options options = random_settings(random, trial);
        options.max_leaf_nodes = 0;
        options.any_depth = true;
        options.penalty = 1 + random.below(5000);
        const auto search = make_search(owned.view(), options, testing::random_rule(random));
        search->run();
        options.max_depth = static_cast<int>(owned.weight.size());
        expect_optimal(*search, optimum_of(owned.view(), options));
    }
}

void a_restored_search_goes_on() {
    for (auto& [random, trial] : testing::Trials(3, 60)) {
        const auto owned = numbers(random, trial);
        const Options options = random_settings(random, trial);
        const auto rule = testing::random_rule(random);
        auto search = make_search(owned.view(), options, rule);
        for (std::int64_t nodes = 1; !search->done(); nodes += nodes) {
            const Outcome now = search->run({kForever, nodes});
            testing::Bytes bytes;
            search->save(testing::sink_to(bytes));
            search = make_search(owned.view(), options, rule);
            search->restore(testing::source_of(bytes));
            EXPECT(now.cost == search->outcome().cost && now.lower == search->outcome().lower);
        }
        expect_optimal(*search, optimum_of(owned.view(), options));
    }
}

/// Stopped at any look at the limits, a search has a tree and bounds that hold.
void a_stopped_search_has_true_bounds() {
    for (auto& [random, trial] : testing::Trials(4, 100)) {
        const auto owned = numbers(random, trial);
        Options options = random_settings(random, trial);
        options.hooks.stop_at_look = 1 + random.below(40);
        const Cost optimum = optimum_of(owned.view(), options);
        const auto search = make_search(owned.view(), options, testing::random_rule(random));
        do {
            search->next({kForever});
            const Outcome now = search->outcome();
            EXPECT(now.lower <= optimum && optimum <= now.cost);
        } while (!search->done());
        expect_optimal(*search, optimum);
    }
}

void wrong_numbers_are_refused() {
    testing::Random random(5);
    auto owned = testing::ranked_problem(random, 4, 2, 2, 1);
    owned.value = {1, 2, 3, std::int64_t{1} << 60};
    const auto refused = [&](const Options& options, const char* what) {
        try {
            make_search(owned.view(), options);
        } catch (const std::invalid_argument& error) {
            return std::string(error.what()).find(what) != std::string::npos;
        }
        return false;
    };
    EXPECT(refused({}, "the sum of all |values| must be below 2^53"));
    owned.value = {1, 2, 3, 4};
    Options options;
    options.square_exponent = 40;
    EXPECT(refused(options, "the sum of all squares must be below 2^51"));
}

}  // namespace

int main() {
    search_agrees_with_enumeration();
    trees_of_any_depth_agree_with_enumeration();
    a_restored_search_goes_on();
    a_stopped_search_has_true_bounds();
    wrong_numbers_are_refused();
    return testing::report();
}
