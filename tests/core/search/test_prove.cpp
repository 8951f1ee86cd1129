// Bounds of subproblems that are proved after a search are compared with plain recursion.
#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr double kForever = 1e9;

/// Returns the rows of a side of a test, as bits.
std::uint64_t side_of(const Problem& problem, std::uint64_t rows, int test, bool one) {
    std::uint64_t side = 0;
    for (int i = 0; i < problem.rows; ++i)
        if ((rows >> i & 1) && problem.right(i, test) == one) side |= std::uint64_t{1} << i;
    return side;
}

void bounds_hold(bool to_the_end) {
    int proved = 0, deeper = 0;
    testing::Trials trials(to_the_end ? 31 : 32, 300);
    for (auto& [random, trial] : trials) {
        const auto owned =
            testing::random_problem(random, 2 + random.below(40), 1 + random.below(10),
                                    2 + random.below(3), trial % 2 == 0 ? 1 : 9);
        const Problem problem = owned.view();
        Options options = testing::random_options(random, trial);
        options.max_depth = 1 + random.below(5);
        options.max_leaf_nodes = 0;
        options.any_depth = false;
        options.hooks.stop_at_look = 0;
        options.ablations.cancel_rows = false;  // so that costs are those of all rows
        const auto search = make_search(problem, options, testing::random_rule(random));
        if (to_the_end)
            search->run();
        else
            search->next();
        testing::Exhaustive exhaustive(problem, options);
        const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
        for (const Alternative& first : search->alternatives(0)) {
            const bool one = random.below(2) == 1;
            const std::uint64_t side = side_of(problem, all, first.feature, one);
            const Cost best = exhaustive.best(side, options.max_depth - 1);
            const std::vector<PathStep> path{{first.feature, one}};
            const Cost asked = random.below(2) == 1 ? best : best / 2;
            const Cost found = search->prove(path, asked, kForever);
            EXPECT(found >= asked && found <= best);
            EXPECT(search->prove(path, best + 1, kForever) == best);
            ++proved;
            if (options.max_depth > 3) ++deeper;
        }
        // The root is a subproblem, too.
        const Cost best = exhaustive.best(all, options.max_depth);
        EXPECT(search->prove({}, best + 1, kForever) == best);
        EXPECT(search->outcome().lower <= best && best <= search->outcome().cost);
    }
    if (trials.complete()) EXPECT(proved > 500 && deeper > 100);
}

}  // namespace

int main() {
    for (const bool to_the_end : {true, false}) bounds_hold(to_the_end);
    return testing::report();
}
