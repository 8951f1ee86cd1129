// Cuts a tree back to a number of leaves, as well as possible: of all trees that remain when
// subtrees are replaced by leaves, it finds the one that costs least. So a greedy tree with too
// many leaves becomes no worse than the greedy tree that stops at that number.
#pragma once

#include <algorithm>
#include <vector>

#include "check/recount.hpp"
#include "data/problem.hpp"
#include "data/tree.hpp"
#include "objective/objective.hpp"

namespace beamtree {

class Pruning {
  public:
    /// `most` is the number of leaves that the tree may keep, at least 1.
    Pruning(const Problem& problem, const Objective& objective, const Tree& tree, int most)
        : tree_(tree), cost_(tree.size()), left_leaves_(tree.size()) {
        const NodeSums<std::int64_t> sums = recount(problem, tree, problem.weight);
        for (int at = tree.size() - 1; at >= 0; --at) {  // children come after their parent
            cost_[at] = {objective.cost_of_sums(sums.of(at), sums.width)};
            left_leaves_[at] = {0};
            if (tree.feature[at] != Tree::kNone) combine(at, objective.penalty, most);
        }
    }

    Tree best() const {
        Tree pruned;
        build(0, static_cast<int>(cost_[0].size()), pruned);
        return pruned;
    }

  private:
    /// Finds the least costs of a node that is split, for every number of leaves.
    void combine(int at, Cost penalty, int most) {
        const std::vector<Cost>&left = cost_[tree_.left[at]], &right = cost_[tree_.right[at]];
        const auto leaves = std::min<std::size_t>(left.size() + right.size(), most);
        std::vector<Cost>& cost = cost_[at];
        cost.resize(leaves, kInfiniteCost);
        left_leaves_[at].resize(leaves, 0);
        for (std::size_t l = 1; l <= left.size(); ++l) {
            for (std::size_t r = 1; r <= right.size() && l + r <= leaves; ++r) {
                const Cost both = left[l - 1] + right[r - 1] + penalty;
                if (both >= cost[l + r - 1]) continue;
                cost[l + r - 1] = both;
                left_leaves_[at][l + r - 1] = static_cast<int>(l);
            }
        }
        // More leaves are used only if they pay.
        for (std::size_t i = 1; i < leaves; ++i) {
            if (cost[i] < cost[i - 1]) continue;
            cost[i] = cost[i - 1];
            left_leaves_[at][i] = kFewer;
        }
    }

    void build(int from, int leaves, Tree& pruned) const {
        while (left_leaves_[from][leaves - 1] == kFewer) --leaves;
        const int at = pruned.add_leaf();
        const int left = left_leaves_[from][leaves - 1];
        if (left == 0) return;
        pruned.left[at] = pruned.size();
        build(tree_.left[from], left, pruned);
        pruned.right[at] = pruned.size();
        build(tree_.right[from], leaves - left, pruned);
        pruned.feature[at] = tree_.feature[from];
    }

    static constexpr int kFewer = -1;  ///< the best tree has fewer leaves

    const Tree& tree_;
    std::vector<std::vector<Cost>> cost_;        ///< [node][leaves - 1] least cost
    std::vector<std::vector<int>> left_leaves_;  ///< [node][leaves - 1] of the left side, or 0
};

}  // namespace beamtree
