// A coarse problem has some rows and some cuts of another one: a tree of the one is a tree of the
// other.
#include "search/coarse_problem.hpp"

#include <set>

#include "exhaustive.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

std::vector<int> some_rows(testing::Random& random, const Problem& problem) {
    std::vector<int> rows;
    for (int i = 0; i < problem.rows; ++i)
        if (random.below(3)) rows.push_back(i);
    if (rows.empty()) rows.push_back(0);
    return rows;
}

Tree stump(std::int32_t test) {
    return {{test, Tree::kNone, Tree::kNone}, {1, -1, -1}, {2, -1, -1}};
}

void coarse_tests_are_tests_of_the_problem() {
    for (auto& [random, trial] : testing::Trials(1, 500)) {
        const auto owned =
            testing::ranked_problem(random, 1 + random.below(40), 1 + random.below(5), 2, 9);
        const Problem fine = owned.view();
        const SortedData data(fine);
        const std::vector<int> rows = some_rows(random, fine);
        std::vector<double> weight(fine.rows, 0);
        for (const int row : rows) weight[row] = 1 + random.below(9);
        const int count = 1 + random.below(4);
        CutsOfOrders cuts = quantile_cuts(data, count, weight, trial % 4);
        for (int order = 0; order < fine.ranks->orders(); ++order) {
            const int all = fine.ranks->cuts(order), chosen = static_cast<int>(cuts[order].size());
            EXPECT(chosen <= count && (all > count || chosen == all));
        }
        const std::int32_t added = fine.columns > 0 ? random.below(fine.columns) : Tree::kNone;
        add_cuts(*fine.ranks, stump(added), cuts);
        const CoarseProblem coarse(fine, rows, cuts);
        const Problem& problem = coarse.problem();
        EXPECT(problem.columns == problem.ranks->tests() && problem.columns <= fine.columns);
        EXPECT(problem.rows == static_cast<std::int64_t>(rows.size()));
        std::set<std::int32_t> seen;
        for (int test = 0; test < problem.columns; ++test) {
            const std::int32_t same = coarse.fine(stump(test)).feature[0];
            EXPECT(seen.insert(same).second);
            EXPECT(coarse.coarse(stump(same)).feature[0] == test);
            EXPECT(problem.ranks->cut_of(test).order == fine.ranks->cut_of(same).order);
            for (std::size_t i = 0; i < rows.size(); ++i)
                EXPECT(problem.right(static_cast<std::int64_t>(i), test) ==
                       fine.right(rows[i], same));
        }
        EXPECT(added == Tree::kNone || seen.count(added) == 1);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT(problem.label[i] == fine.label[rows[i]]);
            EXPECT(problem.weight[i] == fine.weight[rows[i]]);
        }
    }
}

/// A value with most of the rows takes one cut only, and the rare values get the others.
void rare_values_get_cuts() {
    testing::RankedProblem owned;
    const int rows = 1000;
    for (int i = 0; i < rows; ++i) {
        owned.rank.push_back(i < 990 ? 0U : static_cast<std::uint32_t>(i - 989));
        owned.label.push_back(i % 2);
        owned.weight.push_back(1);
    }
    owned.ranks.rank = owned.rank.data();
    owned.ranks.first = {0, 10};
    owned.classes = 2;
    const Problem problem = owned.view();
    const SortedData data(problem);
    EXPECT(quantile_cuts(data, 4, std::vector<double>(rows, 1.0), 0)[0].size() >= 3);
}

}  // namespace

int main() {
    coarse_tests_are_tests_of_the_problem();
    rare_values_get_cuts();
    return testing::report();
}
