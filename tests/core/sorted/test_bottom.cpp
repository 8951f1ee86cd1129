// The exact solver of the last two levels is compared with plain recursion.
#include "sorted/bottom.hpp"

#include <algorithm>

#include "sorted/ranked_trees.hpp"
#include "testing.hpp"

using namespace beamtree;
using testing::RankedTrees;

namespace {

/// A solver that serves all nodes of a problem, as in a search.
struct Solver {
    Solver(const RankedTrees& trees, int trial)
        : kernel(available_kernels()[trial % available_kernels().size()]),
          meter(limits, true),
          bottom(trees.data, trees.objective, kernel, meter, statistics) {
        limits.run({}, 0);
    }
    Kernel kernel;
    Limits limits{{}};
    Meter meter;
    Statistics statistics;
    SortedBottom bottom;
};

void nodes_are_solved_up_to_the_bound() {
    for (auto& [random, trial] : testing::Trials(1, 700)) {
        RankedTrees trees(random, trial, trial % 3 ? 30 : 60);
        Solver solver(trees, trial / 5);
        SortedNode node = trees.root;
        do {
            const std::uint64_t rows = RankedTrees::rows_of(node);
            for (int depth = 0; depth <= 2; ++depth) {
                const Cost optimum = trees.exhaustive.best(rows, depth);
                const Cost leaf = trees.exhaustive.best(rows, 0);
                const Cost bound =
                    random.below(2) ? kInfiniteCost : leaf * random.below(5) / 4 + random.below(3);
                Facts facts;
                solver.bottom.solve(node, depth, bound, facts);
                EXPECT(facts.lower <= optimum && optimum <= facts.upper);
                EXPECT(facts.settled(bound));
                if (optimum < bound) EXPECT(facts.solved());
                if (facts.split != kLeaf)
                    EXPECT(trees.exhaustive.best_with(rows, depth, facts.split) <= facts.upper);
            }
        } while (trees.descend(random, node));
    }
}

/// The score of an order is the cost of a tree that splits at its place. With up to sixteen
/// thresholds it is the best of them.
void scores_are_costs_of_trees() {
    for (auto& [random, trial] : testing::Trials(2, 400)) {
        RankedTrees trees(random, trial, trial % 3 ? 18 : 50);
        Solver solver(trees, trial / 5);
        SortedNode node = trees.root;
        do {
            if (trees.objective.closed(trees.objective.leaf_cost(node.sums), node.leaf_rows))
                continue;
            const std::uint64_t rows = RankedTrees::rows_of(node);
            std::vector<OrderScore> scores;
            Facts facts;
            EXPECT(solver.bottom.look_ahead(node, facts, scores));
            EXPECT(facts.upper >= trees.exhaustive.best(rows, 2) || node.orders == 0);
            EXPECT(scores.size() == static_cast<std::size_t>(node.orders));
            for (int o = 0; o < node.orders; ++o) {
                Thresholds thresholds;
                thresholds.list(node, trees.objective, o);
                Cost best = kInfiniteCost;
                for (const int last : thresholds.last)
                    best = std::min(best, trees.exhaustive.best_with(
                                              rows, 2, node.test_at(trees.data, {o, last})));
                const OrderScore& score = scores[o];
                if (score.last < 0) {
                    EXPECT(score.cost == kInfiniteCost && best >= facts.upper);
                    continue;
                }
                EXPECT(score.cost == trees.exhaustive.best_with(
                                         rows, 2, node.test_at(trees.data, {o, score.last})));
                EXPECT(facts.upper <= score.cost && best <= score.cost);
                if (thresholds.size() <= kLanes) EXPECT(score.cost == best);
            }
        } while (trees.descend(random, node));
    }
}

/// Whenever a solver is stopped, its bounds are true.
void stopped_solvers_keep_true_bounds() {
    for (auto& [random, trial] : testing::Trials(3, 60)) {
        RankedTrees trees(random, trial, 40);
        const std::uint64_t rows = RankedTrees::rows_of(trees.root);
        const Cost optimum = trees.exhaustive.best(rows, 2);
        const Kernel kernel = select_kernel("auto");
        for (std::int64_t look = 1;; ++look) {
            Limits limits({}, look);
            Meter meter(limits, true);
            Statistics statistics;
            SortedBottom bottom(trees.data, trees.objective, kernel, meter, statistics);
            limits.run({}, 0);
            Facts facts;
            bottom.solve(trees.root, 2, kInfiniteCost, facts);
            EXPECT(facts.lower <= optimum && optimum <= facts.upper);
            if (!limits.stopped()) {
                EXPECT(facts.solved());
                break;
            }
            limits.run({}, 0);
            bottom.solve(trees.root, 2, kInfiniteCost, facts);
            if (!limits.stopped()) EXPECT(facts.solved() && facts.upper == optimum);
        }
    }
}

}  // namespace

int main() {
    nodes_are_solved_up_to_the_bound();
    scores_are_costs_of_trees();
    stopped_solvers_keep_true_bounds();
    return testing::report();
}
