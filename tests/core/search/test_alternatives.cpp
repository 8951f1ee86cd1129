// The bounds on the best trees that begin with each feature are compared with plain recursion.
#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr double kForever = 1e9;

void bounds_hold(bool to_the_end, double seconds) {
    int exact = 0, open = 0;
    testing::Trials trials(to_the_end ? 21 : 22, 300);
    for (auto& [random, trial] : trials) {
        const auto owned =
            testing::random_problem(random, 1 + random.below(40), 1 + random.below(10),
                                    2 + random.below(3), trial % 2 == 0 ? 1 : 9);
        const Problem problem = owned.view();
        const Options options = testing::random_options(random, trial);
        const auto search = make_search(problem, options, testing::random_rule(random));
        if (to_the_end)
            search->run();
        else
            search->next();
        const Outcome outcome = search->outcome();
        const auto found = search->alternatives(seconds);
        EXPECT(options.max_depth > 0 || found.empty());
        const bool settled =
            seconds > 0 && options.hooks.stop_at_look == 0 && outcome.tree.size() > 1;
        testing::Exhaustive exhaustive(problem, options);
        const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
        for (const Alternative& one : found) {
            const Cost best = exhaustive.best_with(all, options.max_depth, one.feature);
            EXPECT(one.lower <= best && best <= one.upper);
            EXPECT(one.upper >= outcome.cost);
            EXPECT(one.lower >= outcome.lower);
            if (options.max_depth <= (settled ? 2 : 1) && outcome.status == Status::kOptimal)
                EXPECT(one.lower == one.upper);
            if (outcome.tree.feature[0] == one.feature) EXPECT(one.upper <= outcome.cost);
            ++(one.lower == one.upper ? exact : open);
        }
        // The first split of the tree is among them, or another one that splits the rows equally.
        if (outcome.tree.size() > 1) {
            EXPECT(!found.empty());
            Cost least = kInfiniteCost;
            for (const Alternative& one : found) least = std::min(least, one.upper);
            EXPECT(least <= outcome.cost || outcome.status != Status::kOptimal);
        }
        EXPECT(search->outcome().cost == outcome.cost);
    }
    if (trials.complete()) EXPECT(exact > 100 && open > 100);
}

}  // namespace

int main() {
    for (const bool to_the_end : {true, false})
        for (const double seconds : {0.0, kForever}) bounds_hold(to_the_end, seconds);
    return testing::report();
}
