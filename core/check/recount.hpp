// Trusts nothing but the rows: what a tree really costs.
#pragma once

#include <cstdint>
#include <vector>

#include "data/problem.hpp"
#include "data/tree.hpp"
#include "objective/objective.hpp"

namespace beamtree {

/// Sums of every node of a tree.
template <class Weight>
struct NodeSums {
    std::vector<Weight> class_weight;  ///< (nodes, classes)
    std::vector<std::int64_t> rows;    ///< (nodes,)
};

/// Walks every row down the tree. `weight` is (rows,), of any kind.
template <class Weight>
NodeSums<Weight> recount(const Problem& problem, const Tree& tree, const Weight* weight);

/// Cost of the tree on the problem's rows.
Cost recounted_cost(const Problem& problem, const Objective& objective, const Tree& tree);

/// Whether every node has a column of the problem and two children after it, or is a leaf.
bool well_formed(const Problem& problem, const Tree& tree);

/// Throws std::logic_error unless the tree is well formed, no deeper than `max_depth`, has
/// min_rows rows in every leaf, and costs `cost`. Returns what it counted.
NodeSums<std::int64_t> check_tree(const Problem& problem, const Objective& objective,
                                  const Tree& tree, int max_depth, Cost cost);

}  // namespace beamtree
