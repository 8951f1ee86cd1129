// Searches at a price per leaf, without a limit of depth, find the optimum: in both forms, wherever
// they are stopped, with little memory, and if they are saved and restored.
#include <memory>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

Options any_depth_options(testing::Random& random, int trial) {
    Options options = testing::random_options(random, trial);
    options.any_depth = true;
    options.penalty = 1 + random.below(6);
    options.threads = random.below(8) ? 1 : 2;
    return options;
}

/// No test is of use twice on a path, so no tree needs more levels than there are tests.
Cost optimum(const Problem& problem, const Options& options) {
    const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
    return testing::Exhaustive(problem, options).best(all, problem.columns);
}

void searches_find_the_optimum() {
    for (auto& [random, trial] : testing::Trials(51, 500)) {
        const auto owned =
            testing::random_problem(random, 1 + random.below(40), 1 + random.below(8),
                                    2 + random.below(3), trial % 2 ? 1 : 9);
        Options options = any_depth_options(random, trial);
        if (random.below(3) == 0) options.hooks.stop_at_look = 1 + random.below(30);
        const auto search = make_search(owned.view(), options, testing::random_rule(random));
        while (!search->done()) search->run();
        EXPECT(!search->failure());
        EXPECT(search->status() == Status::kOptimal);
        EXPECT(search->outcome().cost == optimum(owned.view(), options));
    }
}

void searches_with_little_memory_are_honest() {
    for (auto& [random, trial] : testing::Trials(52, 200)) {
        const auto owned =
            testing::random_problem(random, 20 + random.below(40), 4 + random.below(5), 2, 1);
        Options options = any_depth_options(random, trial);
        options.memory =
            random.below(2) ? random.below(1 << 20) : (1 << 20) + random.below(3 << 20);
        const auto search = make_search(owned.view(), options, testing::random_rule(random));
        const Outcome outcome = search->run();
        const Cost best = optimum(owned.view(), options);
        EXPECT(outcome.lower <= best && best <= outcome.cost);
        EXPECT(outcome.status == Status::kOptimal || outcome.status == Status::kMemoryLimit);
        if (outcome.status == Status::kOptimal) EXPECT(outcome.cost == best);
    }
}

void restored_searches_go_on() {
    for (auto& [random, trial] : testing::Trials(53, 150)) {
        const auto owned = testing::random_problem(random, 1 + random.below(40),
                                                   1 + random.below(8), 2 + random.below(2), 1);
        const Options options = any_depth_options(random, trial);
        const auto rule = testing::random_rule(random);
        auto search = make_search(owned.view(), options, rule);
        for (std::int64_t nodes = 1; !search->done(); nodes += nodes) {
            search->run({1e9, nodes});
            testing::Bytes bytes;
            search->save(testing::sink_to(bytes));
            search = make_search(owned.view(), options, rule);
            search->restore(testing::source_of(bytes));
        }
        EXPECT(search->outcome().status == Status::kOptimal);
        EXPECT(search->outcome().cost == optimum(owned.view(), options));
    }
}

}  // namespace

int main() {
    searches_find_the_optimum();
    searches_with_little_memory_are_honest();
    restored_searches_go_on();
    return testing::report();
}
