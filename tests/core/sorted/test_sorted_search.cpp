// Searches in sorted form find the same optimum as plain recursion over all trees, whatever the
// rule, also if they are saved and restored, have little memory, or start from a given tree.
#include <algorithm>
#include <string>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "sorted/ranked_trees.hpp"
#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr double kForever = 1e9;

testing::RankedProblem small_problem(testing::Random& random, int trial) {
    return testing::ranked_problem(random, 1 + random.below(24), 1 + random.below(4),
                                   2 + random.below(4), testing::kMaxWeights[trial % 5]);
}

/// Random options for the sorted form. Every second search starts coarse, where that is possible.
Options sorted_options(testing::Random& random, int trial) {
    Options options = testing::random_options(random, trial);
    options.max_depth = random.below(5);
    options.hooks.form = "sorted";
    if (random.below(2)) options.hooks.coarse_cuts = 1 + random.below(3);
    return options;
}

Cost optimum_of(const Problem& problem, const Options& options) {
    return testing::Exhaustive(problem, options)
        .best(low_bits(static_cast<int>(problem.rows)), options.max_depth);
}

void expect_optimal(const Search& search, Cost optimum) {
    EXPECT(!search.failure());
    const Outcome outcome = search.outcome();
    EXPECT(outcome.status == Status::kOptimal);
    EXPECT(outcome.cost == optimum && outcome.lower == optimum);
}

void search_agrees_with_enumeration() {
    for (auto& [random, trial] : testing::Trials(1, 400)) {
        const auto owned = small_problem(random, trial);
        const Problem problem = owned.view();
        const Options options = sorted_options(random, trial);
        const auto search = make_search(problem, options, testing::random_rule(random));
        search->run();
        expect_optimal(*search, optimum_of(problem, options));
    }
}

void every_rule_and_schedule_ends_with_the_proof() {
    testing::Random random(2);
    for (const RulePart& rule : testing::all_rules())
        for (const char* schedule : {"monotonic", "exponential", "luby", "sequence"})
            for (int exact_levels = 0; exact_levels <= 2; ++exact_levels) {
                const auto owned = testing::ranked_problem(random, 24, 3, 2 + exact_levels, 1);
                const Problem problem = owned.view();
                Options options;
                options.max_depth = 4;
                options.exact_levels = exact_levels;
                options.schedule = schedule;
                options.steps = {0, 2.5, 7};
                options.hooks.form = "sorted";
                options.min_samples_leaf = 1 + random.below(2);
                const auto search = make_search(problem, options, {rule});
                search->run();
                expect_optimal(*search, optimum_of(problem, options));
            }
}

/// The two forms have the same optimum on problems that are too large for plain recursion.
void both_forms_agree() {
    for (auto& [random, trial] : testing::Trials(3, 8)) {
        const auto owned = testing::ranked_problem(random, 64 + random.below(30), 3, 2,
                                                   testing::kMaxWeights[trial % 5]);
        Options options = sorted_options(random, trial);
        options.max_depth = 2 + trial % 2;
        options.exact_levels = 1 + random.below(2);
        const auto rule = testing::random_rule(random);
        const auto sorted = make_search(owned.view(), options, rule);
        sorted->run();
        options.hooks.form = "bits";
        expect_optimal(*sorted, make_search(owned.view(), options, rule)->run().cost);
    }
}

void a_restored_search_goes_on() {
    for (auto& [random, trial] : testing::Trials(4, 80)) {
        const auto owned = small_problem(random, trial);
        const Problem problem = owned.view();
        Options options = sorted_options(random, trial);
        options.threads = random.below(8) ? 1 : 2 + random.below(2);
        if (random.below(2)) options.memory = (1 << 20) + random.below(3 << 20);
        const auto rule = testing::random_rule(random);
        auto search = make_search(problem, options, rule);
        for (std::int64_t nodes = 1; !search->done(); nodes += nodes) {
            const Outcome now = search->run({kForever, nodes});
            testing::Bytes bytes;
            search->save(testing::sink_to(bytes));
            search = make_search(problem, options, rule);
            search->restore(testing::source_of(bytes));
            const Outcome then = search->outcome();
            EXPECT(now.cost == then.cost && now.lower == then.lower);
            EXPECT(now.status == then.status);
            EXPECT(now.statistics.nodes == then.statistics.nodes);
        }
        expect_optimal(*search, optimum_of(problem, options));
    }
}

/// Whatever the bytes are, loading fails with an error, or the search goes on and ends.
void altered_checkpoints_do_no_harm() {
    testing::Random random(5);
    const auto owned = testing::ranked_problem(random, 40, 4, 2, 1);
    Options options;
    options.max_depth = 5;
    options.polish = options.probe = true;
    options.hooks.form = "sorted";
    options.hooks.coarse_cuts = 2;
    const std::vector<RulePart> rule = {{"discrepancy", {0, 1}, {}}};
    const auto search = make_search(owned.view(), options, rule);
    search->run({kForever, 30});
    testing::Bytes bytes;
    search->save(testing::sink_to(bytes));
    testing::expect_refusals(5, 100, 25, bytes, [&](const Source& altered) {
        const auto other = make_search(owned.view(), options, rule);
        other->restore(altered);
        try {
            other->run({0.05, 2000});
        } catch (const std::logic_error& error) {  // checks of the search found a contradiction
            throw std::invalid_argument(error.what());
        }
    });
}

/// With little memory a search still finds the optimum, or says that it has too little. It always
/// has a tree.
void little_memory_is_enough() {
    std::int64_t evicted = 0;
    int refused = 0;
    testing::Trials trials(6, 20);
    for (auto& [random, trial] : trials) {
        const auto owned = testing::ranked_problem(random, 60, 4, 2, trial % 2 ? 1 : 4);
        Options options;
        options.max_depth = 4;
        options.exact_levels = trial % 3;
        options.min_samples_leaf = 1 + trial % 2;
        options.polish = options.probe = trial % 4 > 1;
        options.hooks.probe_work = 100'000;
        options.hooks.form = "sorted";
        if (trial % 5 == 0) options.hooks.coarse_cuts = 2;
        std::vector<RulePart> rule;
        if (trial % 3) rule = {{"discrepancy", {0, 1}, {}}};
        const Outcome best = make_search(owned.view(), options, rule)->run();
        options.memory = random.below(600 << 10);
        options.threads = 1 + trial % 2;
        const auto search = make_search(owned.view(), options, rule);
        const Outcome outcome = search->run();
        EXPECT(!search->failure());
        EXPECT(outcome.lower <= best.cost && best.cost <= outcome.cost);
        EXPECT(outcome.tree.size() > 1 || best.tree.size() == 1);
        if (outcome.status == Status::kMemoryLimit)
            ++refused;
        else
            expect_optimal(*search, best.cost);
        evicted += outcome.statistics.cache_evicted;
    }
    if (trials.complete()) EXPECT(evicted > 0 && refused > 0);
}

/// A search starts from the offered tree. If it is too deep or has small leaves, it is cut.
void offered_trees_are_not_lost() {
    for (auto& [random, trial] : testing::Trials(7, 200)) {
        const auto owned = small_problem(random, trial);
        Options options;
        options.hooks.form = "sorted";
        options.max_depth = 1 + random.below(3);
        options.min_samples_leaf = 1 + random.below(4);
        const Outcome best = make_search(owned.view(), options)->run();
        const auto search = make_search(owned.view(), options);
        search->offer(best.tree);
        EXPECT(search->run({0}).cost == best.cost);
        EXPECT(search->run().cost == best.cost);
        Options deeper = options, shallower = options;
        deeper.max_depth = options.max_depth + 1;
        shallower.max_depth = options.max_depth - 1;
        shallower.min_samples_leaf = options.min_samples_leaf + 2;
        for (const Options& other : {deeper, shallower}) {
            const auto next = make_search(owned.view(), other);
            next->offer(best.tree);
            EXPECT(next->run({0}).cost <= best.cost || other.max_depth < options.max_depth);
            next->run();
            expect_optimal(*next, optimum_of(owned.view(), other));
        }
    }
}

/// The bounds of every alternative hold for the trees that begin with it.
void bounds_of_alternatives_hold(bool to_the_end, double seconds) {
    std::size_t exact = 0;
    for (auto& [random, trial] : testing::Trials(to_the_end ? 8 : 9, 250)) {
        const auto owned = small_problem(random, trial);
        const Problem problem = owned.view();
        const Options options = sorted_options(random, trial);
        const auto search = make_search(problem, options, testing::random_rule(random));
        if (to_the_end)
            search->run();
        else
            search->next();
        const Outcome outcome = search->outcome();
        const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
        testing::Exhaustive exhaustive(problem, options);
        for (const Alternative& one : search->alternatives(seconds)) {
            EXPECT(one.feature >= 0 && one.feature < problem.columns);
            const Cost best = exhaustive.best_with(all, options.max_depth, one.feature);
            EXPECT(one.lower <= best && best <= one.upper);
            EXPECT(one.upper >= outcome.cost && one.lower >= outcome.lower);
            if (outcome.tree.feature[0] == one.feature) EXPECT(one.upper <= outcome.cost);
            if (!to_the_end || options.max_depth > 2) continue;
            EXPECT(one.lower == one.upper);
            ++exact;
        }
        EXPECT(search->outcome().cost == outcome.cost);
    }
    // What the search has found out anyway needs no time.
    EXPECT(!to_the_end || exact > 0);
}

void the_first_tree_needs_no_time() {
    testing::Random random(10);
    const auto owned = testing::ranked_problem(random, 400, 10, 3, 1);
    Options options;
    options.max_depth = 6;
    options.hooks.form = "sorted";
    const auto search = make_search(owned.view(), options);
    const Outcome first = search->run({0});
    EXPECT(first.status == Status::kTimeLimit);
    EXPECT(first.lower <= first.cost && first.tree.size() > 1);
    search->interrupt();
    EXPECT(search->run().status == Status::kInterrupted);
    EXPECT(!search->done());
}

}  // namespace

int main() {
    search_agrees_with_enumeration();
    every_rule_and_schedule_ends_with_the_proof();
    both_forms_agree();
    a_restored_search_goes_on();
    altered_checkpoints_do_no_harm();
    little_memory_is_enough();
    offered_trees_are_not_lost();
    for (const bool to_the_end : {true, false})
        for (const double seconds : {0.0, kForever})
            bounds_of_alternatives_hold(to_the_end, seconds);
    the_first_tree_needs_no_time();
    return testing::report();
}
