// The search is compared with plain recursion over all trees, on small problems.
#include <string>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

void search_agrees_with_enumeration() {
    for (auto& [random, trial] : testing::Trials(7, 1500)) {
        const int max_weight = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 9 : 70000;
        const auto owned = testing::random_problem(
            random, 1 + random.below(40), 1 + random.below(14), 2 + random.below(3), max_weight);
        const Problem problem = owned.view();
        const Options options = testing::random_options(random, trial);
        const auto search = make_search(problem, options, testing::random_rule(random));
        const Outcome outcome = search->run();
        EXPECT(!search->failure());
        const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
        EXPECT(outcome.status == Status::kOptimal);
        EXPECT(outcome.cost == testing::Exhaustive(problem, options).best(all, options.max_depth));
        EXPECT(outcome.lower == outcome.cost);
    }
}

void time_limit_zero_leaves_a_tree() {
    testing::Random random(8);
    const auto owned = testing::random_problem(random, 400, 30, 3, 1);
    Options options;
    options.max_depth = 6;
    const Outcome outcome = make_search(owned.view(), options)->run({0});
    EXPECT(outcome.status == Status::kTimeLimit);
    EXPECT(outcome.lower <= outcome.cost);
    EXPECT(outcome.tree.size() > 1);
}

void without_greedy_trees_the_first_is_a_leaf() {
    testing::Random random(8);
    const auto owned = testing::random_problem(random, 400, 30, 3, 1);
    Options options;
    options.max_depth = 4;
    const Outcome best = make_search(owned.view(), options)->run();
    options.ablations.greedy = false;
    const auto search = make_search(owned.view(), options);
    EXPECT(search->run({0}).tree.size() == 1);
    EXPECT(search->run().cost == best.cost);
    const auto offered = make_search(owned.view(), options);
    offered->offer(best.tree);
    EXPECT(offered->run({0}).cost == best.cost);
}

void interrupt_ends_the_search() {
    testing::Random random(9);
    const auto owned = testing::random_problem(random, 600, 60, 2, 1);
    Options options;
    options.max_depth = 9;
    const auto search = make_search(owned.view(), options);
    EXPECT(search->next());
    search->interrupt();
    EXPECT(search->run().status == Status::kInterrupted);
    EXPECT(!search->done());
    const Cost cost = search->outcome().cost;
    EXPECT(search->next());  // and goes on
    EXPECT(search->outcome().cost <= cost);
}

void bad_options_are_named() {
    testing::Random random(10);
    const auto owned = testing::random_problem(random, 5, 3, 2, 1);
    const auto message = [&](auto change) -> std::string {
        Options options;
        change(options);
        try {
            make_search(owned.view(), options);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT(message([](Options& o) { o.max_depth = 21; }) ==
           "max_depth must be an integer from 0 to 20, got 21");
    EXPECT(message([](Options& o) { o.exact_levels = -1; }).starts_with("exact_levels must be"));
    EXPECT(message([](Options& o) { o.hooks.kernel = "mmx"; }).find("mmx") != std::string::npos);
    EXPECT(message([](Options& o) { o.algorithm = "bloom"; }) ==
           "algorithm must be one of restarts, blossom, lgdt, got 'bloom'");
    EXPECT(message([](Options&) {}).empty());
}

}  // namespace

int main() {
    search_agrees_with_enumeration();
    time_limit_zero_leaves_a_tree();
    without_greedy_trees_the_first_is_a_leaf();
    interrupt_ends_the_search();
    bad_options_are_named();
    return testing::report();
}
