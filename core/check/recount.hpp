// Recounts a tree from the training rows, independently of the search.
#pragma once

#include <cstdint>
#include <vector>

#include "data/problem.hpp"
#include "data/tree.hpp"
#include "objective/objective.hpp"

namespace beamtree {

/// Sums over the rows that reach each node of a tree.
template <class Weight>
struct NodeSums {
    /// (nodes, width) The weights of the classes; if rows have numbers, the sums of their weights,
    /// values and squares; and otherwise the sums of their statistics.
    std::vector<Weight> sums;
    int width = 0;
    std::vector<std::int64_t> rows;  ///< (nodes,)

    const Weight* of(int node) const {
        return sums.data() + static_cast<std::size_t>(node) * width;
    }
};

/// Sends every row down the tree, and sums up `weight` (rows,) by node and class. If rows have
/// numbers, `weight` must be the weights of the problem.
template <class Weight>
NodeSums<Weight> recount(const Problem& problem, const Tree& tree, const Weight* weight);

/// Returns the cost of the tree on the rows of the problem.
Cost recounted_cost(const Problem& problem, const Objective& objective, const Tree& tree);

/// Whether every node is a leaf, or has a column of the problem and two children with larger
/// indices.
bool well_formed(const Problem& problem, const Tree& tree);

/// Throws std::logic_error unless the tree is well formed, not deeper than `max_depth`, has no more
/// leaves than `max_leaves` if that is not 0, has at least min_rows rows in every leaf, and costs
/// `cost`. Returns the sums.
NodeSums<std::int64_t> check_tree(const Problem& problem, const Objective& objective,
                                  const Tree& tree, int max_depth, int max_leaves, Cost cost);

}  // namespace beamtree
