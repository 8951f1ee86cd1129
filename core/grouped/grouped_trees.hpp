// First trees over groups of equal rows: the greedy tree, and trees that the caller offers.
#pragma once

#include "data/problem.hpp"
#include "data/tree.hpp"
#include "grouped/grouped_form.hpp"

namespace beamtree {

class GroupedTrees {
  public:
    explicit GroupedTrees(GroupedWorkspace& work) : work_(work) {}

    /// Appends the tree whose every split lowers the cost of the leaves most, of equal ones the
    /// first. Splits that do not lower the cost are removed in the end. No time limit stops it. An
    /// interrupt does; the nodes that are left become leaves. Returns its cost.
    Cost grow_greedy(const GroupedNode& node, int depth, Tree& tree);
    /// Appends the tree that the caller gives, from its node `from` on, without splits that do not
    /// lower the cost or that leave too few rows on one side. Stores what it proves in the cache,
    /// and returns its cost.
    Cost grow_offered(const GroupedNode& node, int depth, const Problem& problem,
                      const Tree& offered, int from, Tree& tree);

  private:
    /// A split of the node that sends its rows as a column of the problem does. If no split of the
    /// node does so, `right` says to which side most of the rows go.
    struct Match {
        int place = kLeaf;
        bool right = false;
    };
    Match find(const GroupedNode& node, const Problem& problem, int column) const;

    GroupedWorkspace& work_;
};

}  // namespace beamtree
