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
    SortedBottom<Misclassification> bottom;
};

void nodes_are_solved_up_to_the_bound() {
    for (auto& [random, trial] : testing::Trials(1, 700)) {
        RankedTrees trees(random, trial, trial % 3 ? 30 : 60);
        Solver solver(trees, trial / 5);
        SortedNode<Misclassification> node = trees.root;
        do {
            const std::uint64_t rows = RankedTrees::rows_of(node);
            for (int depth = 0; depth <= 2; ++depth) {
                const Cost optimum = trees.exhaustive.best(rows, depth);
                const Cost leaf = trees.exhaustive.best(rows, 0);
                const Cost bound =
                    random.below(2) ? kInfiniteCost : leaf * random.below(5) / 4 + random.below(3);
                Facts facts;
                solver.bottom.solve(node, {depth, kAnyLeaves}, bound, facts);
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
        SortedNode<Misclassification> node = trees.root;
        do {
            if (trees.objective.closed(trees.objective.leaf_cost(node.sums), node.leaf_rows))
                continue;
            const std::uint64_t rows = RankedTrees::rows_of(node);
            std::vector<OrderScore> scores;
            EXPECT(solver.bottom.look_ahead(node, scores));
            EXPECT(scores.size() == static_cast<std::size_t>(node.orders));
            Cost least = kInfiniteCost;
            for (const OrderScore& score : scores) least = std::min(least, score.cost);
            for (int o = 0; o < node.orders; ++o) {
                Thresholds thresholds;
                thresholds.list(node, trees.objective, o);
                Cost best = kInfiniteCost;
                for (const int last : thresholds.last)
                    best = std::min(best, trees.exhaustive.best_with(
                                              rows, 2, node.test_at(trees.data, {o, last})));
                const OrderScore& score = scores[o];
                if (score.last < 0) {
                    EXPECT(score.cost == kInfiniteCost && best >= least);
                    continue;
                }
                EXPECT(score.cost == trees.exhaustive.best_with(
                                         rows, 2, node.test_at(trees.data, {o, score.last})));
                EXPECT(best <= score.cost);
                if (thresholds.size() <= kLanes) EXPECT(score.cost == best);
            }
        } while (trees.descend(random, node));
    }
}

/// A solver keeps the scores of the root, and looks ahead only where a score is missing.
void scores_of_the_root_are_kept() {
    for (auto& [random, trial] : testing::Trials(4, 300)) {
        RankedTrees trees(random, trial, trial % 3 ? 18 : 50);
        const SortedNode<Misclassification>& root = trees.root;
        if (root.orders == 0 ||
            trees.objective.closed(trees.objective.leaf_cost(root.sums), root.leaf_rows))
            continue;
        const std::uint64_t rows = RankedTrees::rows_of(root);
        const int depth = 1 + random.below(2);
        Solver solver(trees, trial / 5);
        Facts facts;
        solver.bottom.solve(root, {depth, kAnyLeaves}, kInfiniteCost, facts);
        SortedNode<Misclassification> node = root;
        while (trees.descend(random, node)) {
            Facts below;
            solver.bottom.solve(node, {depth, kAnyLeaves}, kInfiniteCost, below);
        }
        std::vector<OrderScore> scores = solver.bottom.root_scores(depth);
        Cost least = kInfiniteCost;
        for (int o = 0; o < static_cast<int>(scores.size()); ++o) {
            if (scores[o].last < 0) continue;
            least = std::min(least, scores[o].cost);
            EXPECT(scores[o].cost ==
                   trees.exhaustive.best_with(rows, depth,
                                              root.test_at(trees.data, {o, scores[o].last})));
        }
        EXPECT(least >= facts.upper);
        if (facts.split != kLeaf) EXPECT(least == facts.upper);
        const std::vector<OrderScore> before = scores;
        const auto evaluated = solver.statistics.cells;
        EXPECT(solver.bottom.look_ahead(root, scores));
        bool missing = before.empty();
        for (std::size_t o = 0; o < before.size(); ++o) {
            if (before[o].last < 0)
                missing = true;
            else
                EXPECT(scores[o].cost == before[o].cost && scores[o].last == before[o].last);
        }
        if (!missing) EXPECT(solver.statistics.cells == evaluated);
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
            SortedBottom<Misclassification> bottom(trees.data, trees.objective, kernel, meter,
                                                   statistics);
            limits.run({}, 0);
            Facts facts;
            bottom.solve(trees.root, {2, kAnyLeaves}, kInfiniteCost, facts);
            EXPECT(facts.lower <= optimum && optimum <= facts.upper);
            if (!limits.stopped()) {
                EXPECT(facts.solved());
                break;
            }
            limits.run({}, 0);
            bottom.solve(trees.root, {2, kAnyLeaves}, kInfiniteCost, facts);
            if (!limits.stopped()) EXPECT(facts.solved() && facts.upper == optimum);
        }
    }
}

}  // namespace

int main() {
    nodes_are_solved_up_to_the_bound();
    scores_are_costs_of_trees();
    scores_of_the_root_are_kept();
    stopped_solvers_keep_true_bounds();
    return testing::report();
}
