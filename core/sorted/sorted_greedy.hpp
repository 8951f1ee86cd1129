// The greedy trees over all thresholds (CART, Breiman et al. 1984): each node is split at the
// threshold of the largest gain, of equal ones at the first. One tree is grown by information gain
// and one by Gini; they share their nodes as long as they split alike. Splits without a gain are
// taken, too, as long as the node is not pure: only the next split shows what they are worth.
// Splits that do not lower the cost are removed in the end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "check/grown_tree.hpp"
#include "sorted/sorted_form.hpp"

namespace beamtree {

class SortedGreedy {
  public:
    SortedGreedy(SortedWorkspace& work, const SortedNode& root);
    ~SortedGreedy();

    /// Returns the tree by information gain, and the one by Gini. No time limit stops it. An
    /// interrupt does; the nodes that are left become leaves.
    std::vector<GrownTree> grow(int depth);

  private:
    static constexpr int kGains = 2;
    using Costs = std::array<Cost, kGains>;
    using Wanted = std::array<bool, kGains>;  ///< which of the two trees are grown
    using Places = std::array<Place, kGains>;
    class Scores;

    Costs grow(const SortedNode& node, int depth, const Wanted& wanted);
    Costs split(const SortedNode& node, int depth, const Place& place, const Wanted& wanted,
                const std::array<int, kGains>& at);
    Places best_splits(const SortedNode& node, const Wanted& wanted);

    SortedWorkspace& work_;
    const SortedNode& root_;
    std::unique_ptr<Scores> scores_;
    std::array<Tree, kGains> tree_;
    std::vector<std::uint16_t> label_;  ///< (rows,) of a node, in the order that is being swept
    bool interrupted_ = false;
};

}  // namespace beamtree
