// The greedy trees over all thresholds (CART, Breiman et al. 1984): each node is split at the
// threshold of the largest gain, of equal ones at the first. One tree is grown by information gain
// and one by Gini. Splits without a gain are taken, too, as long as the node is not pure: only the
// next split shows what they are worth. Splits that do not lower the cost are removed in the end.
#pragma once

#include <cstdint>
#include <vector>

#include "data/tree.hpp"
#include "sorted/sorted_form.hpp"

namespace beamtree {

class SortedGreedy {
  public:
    explicit SortedGreedy(SortedWorkspace& work) : work_(work) {}

    /// Replaces `tree` by the better of the two trees, and returns its cost. No time limit stops
    /// it. An interrupt does; the nodes that are left become leaves.
    Cost grow(const SortedNode& root, int depth, Tree& tree);

  private:
    template <class Score>
    Cost grow_by(const SortedNode& node, int depth, const Score& score, Tree& tree);
    template <class Score>
    Place best_split(const SortedNode& node, const Score& score);

    SortedWorkspace& work_;
    std::vector<std::int64_t> left_, right_;
    bool interrupted_ = false;
};

}  // namespace beamtree
