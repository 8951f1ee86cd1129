// The coarse problem is the fine one with fewer cuts: a tree of the one is a tree of the other.
#include "search/coarse_to_fine.hpp"

#include <set>

#include "exhaustive.hpp"
#include "sorted/ranked_trees.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

void coarse_tests_are_tests_of_the_problem() {
    for (auto& [random, trial] : testing::Trials(1, 500)) {
        const auto owned =
            testing::ranked_problem(random, 1 + random.below(40), 1 + random.below(5), 2, 1);
        const Problem fine = owned.view();
        const SortedData data(fine);
        const int cuts = 1 + random.below(4);
        const CoarseProblem coarse(fine, data, cuts);
        const Problem& problem = coarse.problem();
        EXPECT(problem.columns == problem.ranks->tests() && problem.columns <= fine.columns);
        std::set<std::int32_t> seen;
        for (int test = 0; test < problem.columns; ++test) {
            const Tree tree =
                coarse.fine({{test, Tree::kNone, Tree::kNone}, {1, -1, -1}, {2, -1, -1}});
            const std::int32_t same = tree.feature[0];
            EXPECT(seen.insert(same).second);
            EXPECT(problem.ranks->cut_of(test).order == fine.ranks->cut_of(same).order);
            for (int i = 0; i < fine.rows; ++i)
                EXPECT(problem.right(i, test) == fine.right(i, same));
        }
        for (int order = 0; order < fine.ranks->orders(); ++order) {
            const int all = fine.ranks->cuts(order), chosen = problem.ranks->cuts(order);
            EXPECT(chosen <= std::max(cuts, 0) && (all > cuts || chosen == all));
        }
    }
}

/// Searches that take turns, with a coarse search of one to three cuts per order.
void searches_that_start_coarse_end_with_the_proof() {
    for (auto& [random, trial] : testing::Trials(2, 120)) {
        const auto owned =
            testing::ranked_problem(random, 10 + random.below(20), 1 + random.below(3),
                                    2 + random.below(2), trial % 2 ? 1 : 9);
        const Problem problem = owned.view();
        Options options;
        options.max_depth = 3 + random.below(2);
        options.min_samples_leaf = 1 + random.below(3);
        options.polish = options.probe = random.below(2) > 0;
        options.hooks.form = "sorted";
        options.hooks.coarse_cuts = 1 + trial % 3;
        std::vector<RulePart> rule;
        if (trial % 4) rule = {{"discrepancy", {0, 1}, {}}};
        const auto search = make_search(problem, options, rule);
        const Outcome outcome = search->run();
        EXPECT(!search->failure());
        EXPECT(outcome.status == Status::kOptimal);
        EXPECT(outcome.cost ==
               testing::Exhaustive(problem, options)
                   .best(low_bits(static_cast<int>(problem.rows)), options.max_depth));
    }
}

}  // namespace

int main() {
    coarse_tests_are_tests_of_the_problem();
    searches_that_start_coarse_end_with_the_proof();
    return testing::report();
}
