// Searches with a limit of leaves find the optimum: in both forms, with and without a limit of
// depth, wherever they are stopped, with little memory, and if they are saved and restored. If they
// are asked for it, they find the smallest of the best trees. Trees that are cut back to a number
// of leaves are the best that remain.
#include <algorithm>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "search/prune.hpp"
#include "sorted/ranked_trees.hpp"
#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

Options limited_options(testing::Random& random, int trial) {
    Options options = testing::random_options(random, trial);
    options.max_leaf_nodes = 1 + random.below(9);
    options.any_depth = random.below(3) == 0;
    options.threads = random.below(8) ? 1 : 2;
    return options;
}

int depth_of(const Problem& problem, const Options& options) {
    return options.any_depth ? problem.columns : options.max_depth;
}

Cost optimum(const Problem& problem, const Options& options) {
    const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
    return testing::Exhaustive(problem, options)
        .best(all, depth_of(problem, options), options.max_leaf_nodes);
}

int fewest_leaves(const Problem& problem, const Options& options) {
    const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
    const int leaves = options.max_leaf_nodes > 0 ? options.max_leaf_nodes : kAnyLeaves;
    return testing::Exhaustive(problem, options)
        .fewest_leaves(all, depth_of(problem, options), leaves);
}

void expect_optimal(const Search& search, const Problem& problem, const Options& options) {
    EXPECT(!search.failure());
    const Outcome outcome = search.outcome();
    EXPECT(outcome.status == Status::kOptimal);
    EXPECT(outcome.cost == optimum(problem, options));
    EXPECT(outcome.tree.leaves() <= options.max_leaf_nodes);
    const int fewest = fewest_leaves(problem, options);
    EXPECT(outcome.leaves_bound <= fewest && fewest <= outcome.tree.leaves());
    if (options.tie_break != "smallest") return;
    EXPECT(outcome.leaves_bound == fewest && outcome.tree.leaves() == fewest);
}

void searches_find_the_optimum() {
    for (auto& [random, trial] : testing::Trials(61, 400)) {
        const auto owned =
            testing::random_problem(random, 1 + random.below(40), 1 + random.below(7),
                                    2 + random.below(3), trial % 2 ? 1 : 9);
        Options options = limited_options(random, trial);
        if (random.below(3) == 0) options.hooks.stop_at_look = 1 + random.below(30);
        const auto search = make_search(owned.view(), options, testing::random_rule(random));
        while (!search->done()) search->run();
        expect_optimal(*search, owned.view(), options);
    }
}

void searches_over_sorted_columns_find_the_optimum() {
    for (auto& [random, trial] : testing::Trials(62, 200)) {
        const auto owned =
            testing::ranked_problem(random, 1 + random.below(20), 1 + random.below(3),
                                    2 + random.below(3), testing::kMaxWeights[trial % 5]);
        Options options = limited_options(random, trial);
        options.max_leaf_nodes = std::min(options.max_leaf_nodes, 7);
        options.hooks.form = "sorted";
        if (random.below(2)) options.hooks.coarse_cuts = 1 + random.below(3);
        if (random.below(3) == 0) options.hooks.stop_at_look = 1 + random.below(30);
        const auto search = make_search(owned.view(), options, testing::random_rule(random));
        while (!search->done()) search->run();
        expect_optimal(*search, owned.view(), options);
    }
}

void searches_with_little_memory_are_honest() {
    for (auto& [random, trial] : testing::Trials(63, 100)) {
        const auto owned =
            testing::random_problem(random, 20 + random.below(40), 4 + random.below(4), 2, 1);
        Options options = limited_options(random, trial);
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
    for (auto& [random, trial] : testing::Trials(64, 100)) {
        const auto owned = testing::random_problem(random, 1 + random.below(40),
                                                   1 + random.below(7), 2 + random.below(2), 1);
        const Options options = limited_options(random, trial);
        const auto rule = testing::random_rule(random);
        auto search = make_search(owned.view(), options, rule);
        for (std::int64_t nodes = 1; !search->done(); nodes += nodes) {
            search->run({1e9, nodes});
            testing::Bytes bytes;
            search->save(testing::sink_to(bytes));
            search = make_search(owned.view(), options, rule);
            search->restore(testing::source_of(bytes));
        }
        expect_optimal(*search, owned.view(), options);
    }
}

/// Without a limit of leaves, the smallest of the best trees is found in both forms.
void the_smallest_of_the_best_is_found() {
    for (auto& [random, trial] : testing::Trials(66, 300)) {
        const bool sorted = random.below(3) == 0;
        const auto bits = testing::random_problem(random, 1 + random.below(40), 1 + random.below(6),
                                                  2 + random.below(2), 9);
        const auto ranks = testing::ranked_problem(random, 1 + random.below(16),
                                                   1 + random.below(3), 2 + random.below(3), 1);
        const Problem problem = sorted ? ranks.view() : bits.view();
        Options options = testing::random_options(random, trial);
        options.max_depth = random.below(5);
        options.threads = random.below(8) ? 1 : 2;
        options.hooks.form = sorted ? "sorted" : "bits";
        options.tie_break = random.below(4) ? "smallest" : "small";
        if (random.below(3) == 0) options.hooks.stop_at_look = 1 + random.below(30);
        const auto rule = testing::random_rule(random);
        auto search = make_search(problem, options, rule);
        for (std::int64_t nodes = 4; !search->done(); nodes += nodes) {
            search->run({1e9, nodes});
            if (random.below(4) || options.hooks.stop_at_look > 0) continue;
            testing::Bytes bytes;
            search->save(testing::sink_to(bytes));
            search = make_search(problem, options, rule);
            search->restore(testing::source_of(bytes));
        }
        const Outcome outcome = search->outcome();
        EXPECT(outcome.status == Status::kOptimal);
        const int fewest = fewest_leaves(problem, options);
        EXPECT(outcome.leaves_bound <= fewest && fewest <= outcome.tree.leaves());
        if (options.tie_break == "smallest")
            EXPECT(outcome.leaves_bound == fewest && outcome.tree.leaves() == fewest);
    }
}

/// Every tree that remains when subtrees are replaced by leaves.
void each_pruning(const Tree& tree, int from, std::vector<Tree>& found) {
    Tree leaf;
    leaf.add_leaf();
    found = {leaf};
    if (tree.feature[from] == Tree::kNone) return;
    std::vector<Tree> left, right;
    each_pruning(tree, tree.left[from], left);
    each_pruning(tree, tree.right[from], right);
    for (const Tree& l : left)
        for (const Tree& r : right) {
            Tree both = leaf;
            both.feature[0] = tree.feature[from];
            for (const Tree* side : {&l, &r}) {
                const int first = both.size();
                (side == &l ? both.left : both.right)[0] = first;
                for (int at = 0; at < side->size(); ++at) {
                    both.add_leaf();
                    if (side->feature[at] == Tree::kNone) continue;
                    both.feature[first + at] = side->feature[at];
                    both.left[first + at] = first + side->left[at];
                    both.right[first + at] = first + side->right[at];
                }
            }
            found.push_back(both);
        }
}

void grow_at_random(testing::Random& random, const Problem& problem, int depth, Tree& tree) {
    const int at = tree.add_leaf();
    if (depth == 0 || random.below(5) == 0) return;
    tree.feature[at] = random.below(problem.columns);
    tree.left[at] = tree.size();
    grow_at_random(random, problem, depth - 1, tree);
    tree.right[at] = tree.size();
    grow_at_random(random, problem, depth - 1, tree);
}

void pruning_leaves_the_best_tree() {
    for (auto& [random, trial] : testing::Trials(65, 100)) {
        const auto owned = testing::random_problem(random, 30, 5, 2 + random.below(2), 9);
        const Problem problem = owned.view();
        Misclassification objective;
        objective.penalty = random.below(2) ? random.below(5) : 0;
        Tree tree;
        grow_at_random(random, problem, 3, tree);
        std::vector<Tree> all;
        each_pruning(tree, 0, all);
        const int most = 1 + random.below(8);
        Cost least = kInfiniteCost;
        for (const Tree& pruned : all)
            if (pruned.leaves() <= most)
                least = std::min(least, recounted_cost(problem, objective, pruned));
        const Tree best = Pruning(problem, objective, tree, most).best();
        EXPECT(best.leaves() <= most);
        EXPECT(recounted_cost(problem, objective, best) == least);
    }
}

}  // namespace

int main() {
    searches_find_the_optimum();
    searches_over_sorted_columns_find_the_optimum();
    searches_with_little_memory_are_honest();
    restored_searches_go_on();
    the_smallest_of_the_best_is_found();
    pruning_leaves_the_best_tree();
    return testing::report();
}
