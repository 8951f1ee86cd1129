// Small problems in sorted form, and the best trees of their sets of rows by plain recursion.
#pragma once

#include "exhaustive.hpp"
#include "sorted/sorted_node.hpp"
#include "testing.hpp"

namespace testing {

struct RankedTrees {
    RankedTrees(Random& random, int trial, int most_rows)
        : owned(ranked_problem(random, 2 + random.below(most_rows - 1), 1 + random.below(4),
                               2 + random.below(3), kMaxWeights[trial % 5])),
          problem(owned.view()),
          exhaustive(problem, options),
          data(problem) {
        options.unit = 1 + random.below(3);
        options.penalty = random.below(2) ? random.below(6) : 0;
        options.min_samples_leaf = 1 + (trial % 2 ? random.below(4) : 0);
        options.leaf_weight = options.min_samples_leaf > 1 && random.below(3) == 0;
        if (options.leaf_weight) options.min_samples_leaf *= 1 + random.below(9);
        objective = {options.unit, options.penalty, options.min_samples_leaf,
                     options.leaf_weight || data.unit_weights()};
        root.make_root(data, objective);
    }

    /// Returns the rows of a node as bits.
    static std::uint64_t rows_of(const SortedNode<Misclassification>& node) {
        std::uint64_t rows = 0;
        for (const std::uint32_t row : node.row) rows |= std::uint64_t{1} << row;
        return rows;
    }
    /// Returns the places at which an order of the node can be split, whatever the leaf sizes.
    static std::vector<Place> places(const SortedNode<Misclassification>& node, int order) {
        std::vector<Place> result;
        for (int i = 0; i < node.rows; ++i)
            if (has_boundary(node.sorted(order)[i])) result.push_back({order, i});
        return result;
    }
    /// Replaces the node by one of its children, if it has any.
    bool descend(Random& random, SortedNode<Misclassification>& node) {
        if (node.orders == 0) return false;
        const auto all = places(node, random.below(node.orders));
        const Place place = all[random.below(static_cast<int>(all.size()))];
        SortedNode<Misclassification> child;
        child.make_child(data, objective, node, place, random.below(2) > 0, false, scratch);
        node = std::move(child);
        return true;
    }

    RankedProblem owned;
    Problem problem;
    Options options;
    Misclassification objective;
    Exhaustive exhaustive;
    SortedData data;
    SortedNode<Misclassification> root;
    std::vector<std::uint32_t> scratch;
};

}  // namespace testing
