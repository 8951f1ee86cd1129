// Moved splits: a tree that costs less with the same subtrees, or the same tree.
#include "sorted/split_moves.hpp"

#include "check/recount.hpp"
#include "data/subtree.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// What a search in sorted form works with, without the search.
template <SearchObjective O>
struct Work {
    Work(const Problem& problem, int depth)
        : data(problem),
          kernel(select_kernel("auto")),
          options(with_depth(depth)),
          shared(data, objective, kernel, options, limits, Cache::kLeastBytes),
          worker(shared, Heuristic::kAuto, 0) {
        root.make_root(data, objective);
        limits.run({}, 0);
        limits.slice(Limits::kForever);
    }
    static Options with_depth(int depth) {
        Options options;
        options.max_depth = depth;
        return options;
    }
    bool improve(Tree& tree) {
        return SplitMoves<O>(worker.work, root).improve(options.max_depth, tree);
    }

    SortedData data;
    O objective;
    Kernel kernel;
    Options options;
    Limits limits{{}};
    SortedShared<O> shared;
    SortedWorker<O> worker;
    SortedNode<O> root;
};

/// Appends a random tree, whose splits need not split anything.
int grow(testing::Random& random, const Problem& problem, int depth, Tree& tree) {
    const int at = tree.add_leaf();
    if (depth == 0 || random.below(8) == 0) return at;
    tree.feature[at] = random.below(problem.columns);
    const int left = grow(random, problem, depth - 1, tree);
    tree.left[at] = left;
    const int right = grow(random, problem, depth - 1, tree);
    tree.right[at] = right;
    return at;
}

template <SearchObjective O>
void moves_lower_the_cost() {
    int moved = 0;
    testing::Trials trials(1, 300);
    for (auto& [random, trial] : trials) {
        auto owned = testing::ranked_problem(random, 2 + random.below(60), 1 + random.below(4),
                                             2 + random.below(3), trial % 2 ? 1 : 9);
        std::vector<std::int64_t> square;
        if constexpr (std::same_as<O, SquaredError>) {
            for (const std::int64_t weight : owned.weight) {
                owned.value.push_back(weight * (random.below(2000) - 1000));
                square.push_back(O{}.square(weight, owned.value.back()));
            }
        }
        Problem problem = owned.view();
        problem.square = square.data();
        if (problem.columns == 0) continue;
        const int depth = 3 + random.below(3);
        Work<O> work(problem, depth);
        Tree tree;
        grow(random, problem, depth, tree);
        Cost cost = recounted_cost(problem, O{}, tree);
        for (int round = 0; round < 20; ++round) {
            const Tree before = tree;
            const bool better = work.improve(tree);
            EXPECT(well_formed(problem, tree) && tree.left == before.left);
            if (!better) {
                EXPECT(tree.feature == before.feature);
                break;
            }
            const Cost next = recounted_cost(problem, O{}, tree);
            // Squared errors of single rows are rounded.
            if constexpr (std::same_as<O, Misclassification>)
                EXPECT(next < cost);
            else
                EXPECT(next < cost + 2 * problem.rows);
            cost = next;
            ++moved;
        }
    }
    if (trials.complete()) EXPECT(moved > 20);
}

/// One column with the classes 0 0 0 1 1 1 0 0 1 1. The first split is one place too early, and
/// nothing but moving it helps.
void a_split_moves_to_its_place() {
    testing::RankedProblem owned;
    owned.label = {0, 0, 0, 1, 1, 1, 0, 0, 1, 1};
    for (std::uint32_t i = 0; i < 10; ++i) owned.rank.push_back(i);
    owned.weight.assign(10, 1);
    owned.ranks.rank = owned.rank.data();
    owned.ranks.first = {0, 9};
    const Problem problem = owned.view();
    Work<Misclassification> work(problem, 3);
    // Test t sends the rows up to row t left.
    Tree tree;
    for (int i = 0; i < 7; ++i) tree.add_leaf();
    tree.feature = {4, 2, Tree::kNone, Tree::kNone, 7, Tree::kNone, Tree::kNone};
    tree.left = {1, 2, -1, -1, 5, -1, -1};
    tree.right = {4, 3, -1, -1, 6, -1, -1};
    EXPECT(recounted_cost(problem, Misclassification{}, tree) == 1);
    EXPECT(work.improve(tree));
    EXPECT(tree.feature[0] == 5 && recounted_cost(problem, Misclassification{}, tree) == 0);
}

void subtrees_can_be_replaced() {
    testing::Random random(3);
    const auto owned = testing::ranked_problem(random, 30, 3, 2, 1);
    const Problem problem = owned.view();
    for (int trial = 0; trial < 100; ++trial) {
        Tree tree, other;
        grow(random, problem, 5, tree);
        grow(random, problem, 3, other);
        const int at = random.below(tree.size());
        const Tree part = subtree(tree, at), same = replace_subtree(tree, at, part);
        EXPECT(well_formed(problem, part) && well_formed(problem, same));
        EXPECT(same.feature == tree.feature && same.left == tree.left && same.right == tree.right);
        const Tree changed = replace_subtree(tree, at, other);
        EXPECT(well_formed(problem, changed));
        EXPECT(changed.size() == tree.size() - part.size() + other.size());
        EXPECT(subtree(changed, at).feature == other.feature);
    }
}

}  // namespace

int main() {
    moves_lower_the_cost<Misclassification>();
    moves_lower_the_cost<SquaredError>();
    a_split_moves_to_its_place();
    subtrees_can_be_replaced();
    return testing::report();
}
