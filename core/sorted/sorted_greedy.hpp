// The greedy trees over all thresholds (CART, Breiman et al. 1984): each node is split at the
// threshold of the largest gain, of equal ones at the first. For classes, one tree is grown by
// information gain and one by Gini; they share their nodes as long as they split alike. For other
// objectives there is one tree, by the cost of the two sides as leaves. Splits without a gain are
// taken, too, as long as the leaf costs something: only the next split shows what they are worth.
// Splits that do not lower the cost are removed in the end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "check/grown_tree.hpp"
#include "objective/misclassification.hpp"
#include "sorted/sorted_form.hpp"

namespace beamtree {

/// The gains of the splits of an order, while its rows move from the right side to the left.
template <SearchObjective O>
class GreedyGains;

template <SearchObjective O>
class SortedGreedy {
  public:
    SortedGreedy(SortedWorkspace<O>& work, const SortedNode<O>& root);
    ~SortedGreedy();

    /// Returns one tree per gain. No time limit stops it. An interrupt does; the nodes that are
    /// left become leaves.
    std::vector<GrownTree> grow(int depth);

  private:
    static constexpr int kGains = std::same_as<O, Misclassification> ? 2 : 1;
    using Costs = std::array<Cost, kGains>;
    using Wanted = std::array<bool, kGains>;  ///< which of the trees are grown
    using Places = std::array<Place, kGains>;

    Costs grow(const SortedNode<O>& node, int depth, const Wanted& wanted);
    Costs split(const SortedNode<O>& node, int depth, const Place& place, const Wanted& wanted,
                const std::array<int, kGains>& at);
    Places best_splits(const SortedNode<O>& node, const Wanted& wanted);

    SortedWorkspace<O>& work_;
    const SortedNode<O>& root_;
    std::unique_ptr<GreedyGains<O>> gains_;
    std::array<Tree, kGains> tree_;
    bool interrupted_ = false;
};

}  // namespace beamtree
