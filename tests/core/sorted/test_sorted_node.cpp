// Nodes in sorted form hold the rows that they should, sorted in every order, and name their splits
// as the problem does.
#include "sorted/sorted_node.hpp"

#include <algorithm>
#include <set>

#include "sorted/ranked_trees.hpp"
#include "sorted/split_attempt.hpp"
#include "testing.hpp"

using namespace beamtree;
using testing::RankedTrees;

namespace {

/// Every order of the node lists all its rows by rank, with a boundary wherever the rank changes,
/// and exactly the orders that have a boundary are listed.
void check_orders(const RankedTrees& trees, const SortedNode<Misclassification>& node) {
    int at = 0;
    for (int o = 0; o < trees.data.orders(); ++o) {
        std::set<std::uint32_t> ranks;
        for (const std::uint32_t row : node.row) ranks.insert(trees.problem.order(o)[row]);
        const bool listed = at < node.orders && node.order[at] == o;
        EXPECT(listed == (ranks.size() > 1));
        if (!listed) continue;
        const Entry* sorted = node.sorted(at);
        std::set<std::uint32_t> rows;
        for (int i = 0; i < node.rows; ++i) {
            rows.insert(row_of(sorted[i]));
            EXPECT(row_of(sorted[i]) < static_cast<std::uint32_t>(node.rows));
            if (i + 1 == node.rows) {
                EXPECT(!has_boundary(sorted[i]));
                continue;
            }
            const auto here = trees.data.rank(o, node.row[row_of(sorted[i])]);
            const auto next = trees.data.rank(o, node.row[row_of(sorted[i + 1])]);
            EXPECT(here <= next);
            EXPECT(has_boundary(sorted[i]) == (here < next));
        }
        EXPECT(rows.size() == static_cast<std::size_t>(node.rows));
        ++at;
    }
    EXPECT(at == node.orders);
}

void check_sums(const RankedTrees& trees, const SortedNode<Misclassification>& node) {
    EXPECT(node.row.size() == static_cast<std::size_t>(node.rows));
    EXPECT(std::is_sorted(node.row.begin(), node.row.end()));
    std::vector<std::int64_t> class_weight(trees.problem.classes, 0);
    CoverHash hash;
    for (int i = 0; i < node.rows; ++i) {
        const std::uint32_t row = node.row[i];
        EXPECT(node.values.label[i] == trees.problem.label[row]);
        EXPECT(node.weight_of(i) == trees.problem.weight[row]);
        class_weight[node.values.label[i]] += node.weight_of(i);
        hash.add_product(1, trees.data.hasher()[row]);
    }
    EXPECT(class_weight == node.sums.class_weight);
    EXPECT(hash.key() == node.hash.key());
    EXPECT(node.leaf_rows == trees.exhaustive.counted(RankedTrees::rows_of(node)));
    EXPECT(trees.objective.leaf_cost(node.sums) ==
           testing::Exhaustive(trees.problem, trees.options).best(RankedTrees::rows_of(node), 0));
}

/// The number of a split leads back to its place, and every test of the problem splits the node as
/// it splits the rows of the problem.
void check_tests(const RankedTrees& trees, const SortedNode<Misclassification>& node) {
    for (int o = 0; o < node.orders; ++o)
        for (const Place& place : RankedTrees::places(node, o)) {
            const Place same = node.place_of(trees.data, node.test_at(trees.data, place));
            EXPECT(same.order == place.order && same.last == place.last);
        }
    for (int test = 0; test < trees.problem.columns; ++test) {
        const Place place = node.place_of(trees.data, test);
        int right = 0;
        for (const std::uint32_t row : node.row) right += trees.problem.right(row, test);
        EXPECT((place.order < 0) == (right == 0 || right == node.rows));
        if (place.order < 0) continue;
        EXPECT(place.last + 1 == node.rows - right);
        for (int i = 0; i < node.rows; ++i) {
            const std::uint32_t row = node.row[row_of(node.sorted(place.order)[i])];
            EXPECT(trees.problem.right(row, test) == (i > place.last));
        }
    }
}

void nodes_hold_their_rows() {
    for (auto& [random, trial] : testing::Trials(1, 600)) {
        RankedTrees trees(random, trial, 40);
        SortedNode<Misclassification> node = trees.root;
        do {
            check_orders(trees, node);
            check_sums(trees, node);
            check_tests(trees, node);
        } while (trees.descend(random, node));
    }
}

/// A side that is summed up, or made as a leaf, has the sums of the node that it could become.
void sides_have_the_sums_of_nodes() {
    for (auto& [random, trial] : testing::Trials(3, 200)) {
        RankedTrees trees(random, trial, 40);
        const SortedNode<Misclassification>& root = trees.root;
        std::vector<std::uint32_t> scratch;
        SortedNode<Misclassification> child, leaf;
        SplitAttempt<Misclassification> split;
        for (int o = 0; o < root.orders; ++o)
            for (const Place& place : RankedTrees::places(root, o)) {
                split.place = place;
                EXPECT(2 * split.weigh_sides(trees.data, trees.objective, root) <= root.rows);
                for (const int side : {0, 1}) {
                    for (const bool is_leaf : {false, true})
                        (is_leaf ? leaf : child)
                            .make_child(trees.data, trees.objective, root, place, side == 1,
                                        is_leaf, scratch);
                    check_sums(trees, leaf);
                    EXPECT(leaf.row == child.row && leaf.orders == 0);
                    EXPECT(split.sums[side].class_weight == child.sums.class_weight);
                    EXPECT(split.hash[side].key() == child.hash.key());
                    EXPECT(split.rows[side] == child.leaf_rows);
                    EXPECT(split.leaf[side] == trees.objective.leaf_cost(child.sums));
                }
            }
    }
}

void the_floor_of_classes_is_below_all_trees() {
    for (auto& [random, trial] : testing::Trials(2, 300)) {
        RankedTrees trees(random, trial, 16);
        SortedNode<Misclassification> node = trees.root;
        do {
            for (int depth = 0; depth <= 3; ++depth)
                EXPECT(trees.objective.floor(node.sums, depth) <=
                       trees.exhaustive.best(RankedTrees::rows_of(node), depth));
        } while (trees.descend(random, node));
    }
}

}  // namespace

int main() {
    nodes_hold_their_rows();
    sides_have_the_sums_of_nodes();
    the_floor_of_classes_is_below_all_trees();
    return testing::report();
}
