// What the objective promises about trees, against all trees of small problems.
#include "objective/misclassification.hpp"

#include "data/dataset.hpp"
#include "exhaustive.hpp"
#include "node/node.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr int kDepth = 2;

/// A small problem, its objective, and the best trees of its sets of rows.
struct Trees {
    Trees(testing::Random& random, int trial)
        : owned(testing::random_problem(random, 12, 4, 2 + trial % 3, trial % 2 ? 1 : 9)),
          problem(owned.view()),
          exhaustive(problem, options) {
        options.unit = 1 + random.below(3);
        options.penalty = random.below(5);
        options.min_samples_leaf = 1 + (trial % 4 == 0 ? random.below(3) : 0);
        objective = {options.unit, options.penalty, options.min_samples_leaf, false};
    }
    std::int64_t weight(std::uint64_t rows) const {
        std::int64_t total = 0;
        for (int i = 0; i < problem.rows; ++i)
            if (rows >> i & 1) total += problem.weight[i];
        return total;
    }
    LeafSums sums(std::uint64_t rows) const {
        std::vector<std::int64_t> class_weight(problem.classes, 0);
        for (int i = 0; i < problem.rows; ++i)
            if (rows >> i & 1) class_weight[problem.label[i]] += problem.weight[i];
        LeafSums sums;
        for (const std::int64_t w : class_weight) sums.add_class(w);
        return sums;
    }
    std::uint64_t all() const { return low_bits(static_cast<int>(problem.rows)); }

    testing::OwnedProblem owned;
    Problem problem;
    Options options;
    Misclassification objective;
    testing::Exhaustive exhaustive;
};

void a_leaf_costs_what_it_misclassifies() {
    for (auto& [random, trial] : testing::Trials(1, 200)) {
        Trees trees(random, trial);
        const std::uint64_t rows = 1 + random.below(static_cast<int>(trees.all()));
        const Cost leaf = trees.objective.leaf_cost(trees.sums(rows));
        EXPECT(leaf == trees.exhaustive.best(rows, 0));
        if (trees.objective.closed(leaf, popcount(rows)))
            EXPECT(leaf == trees.exhaustive.best(rows, kDepth));
    }
}

/// Removing rows lowers an optimum by no more than `removal`, for all rows or for subsets only.
void removed_rows_lower_an_optimum_by_their_cost() {
    int tight = 0;
    testing::Trials trials(2, 400);
    for (auto& [random, trial] : trials) {
        Trees trees(random, trial);
        const int most = static_cast<int>(trees.all());
        const std::uint64_t from = 1 + random.below(most);
        std::uint64_t to = 1 + random.below(most);
        if (trees.objective.similar_is_subset()) to &= from;
        const Cost known = trees.exhaustive.best(from, kDepth),
                   optimum = trees.exhaustive.best(to, kDepth),
                   bound = known - trees.objective.removal(trees.weight(from & ~to));
        EXPECT(optimum >= bound);
        tight += bound > 0 && optimum == bound;
    }
    if (trials.complete()) EXPECT(tight > 0);
}

/// No tree costs less than the floor, in which equal rows of different classes count.
void no_tree_costs_less_than_the_floor() {
    int raised = 0;
    testing::Trials trials(3, 200);
    for (auto& [random, trial] : trials) {
        Trees trees(random, trial);
        const Dataset data(trees.problem, trees.objective, {});
        Node root;
        root.make_root(data);
        const Cost leaf = trees.objective.leaf_cost(root.sums),
                   best = trees.exhaustive.best(trees.all(), kDepth) - data.offset();
        EXPECT(leaf == trees.exhaustive.best(trees.all(), 0) - data.offset());
        if (trees.objective.closed(leaf, root.rows)) continue;
        EXPECT(best >= trees.objective.split_floor(root.least_error));
        raised += trees.objective.split_floor(root.least_error) > trees.objective.penalty;
    }
    if (trials.complete()) EXPECT(raised > 0);
}

/// Costs become weights and weights become costs without a bound that is too high.
void bounds_are_rounded_to_the_safe_side() {
    for (auto& [random, trial] : testing::Trials(4, 200)) {
        Misclassification objective;
        objective.unit = 1 + random.below(7);
        const Cost cost = 1 + random.below(100);
        const std::int64_t bound = objective.lane_bound(cost);
        EXPECT(objective.removal(bound) <= cost && objective.removal(bound + 1) > cost);
        const std::int64_t removed = objective.removed_weight(cost);
        EXPECT(objective.removal(removed) >= cost && objective.removal(removed - 1) < cost);
        EXPECT(objective.lane_bound(-cost) == 0);
    }
}

}  // namespace

int main() {
    a_leaf_costs_what_it_misclassifies();
    removed_rows_lower_an_optimum_by_their_cost();
    no_tree_costs_less_than_the_floor();
    bounds_are_rounded_to_the_safe_side();
    return testing::report();
}
