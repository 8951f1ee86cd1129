// The greedy trees. The better of the two is the first incumbent, so that no result is worse than
// greedy.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "check/grown_tree.hpp"
#include "pass/workspace.hpp"

namespace beamtree {

/// Splits every node by the feature of the largest gain (of equal ones the first), as long as the
/// depth allows. As in CART, the gain may be zero, so that the two levels of an XOR are found.
/// Splits that do not lower the cost are removed in the end. One tree is grown by information gain
/// and one by Gini; they share their nodes as long as they split alike. No time limit stops it. An
/// interrupt does; the nodes that are left become leaves.
class Greedy {
  public:
    explicit Greedy(Workspace& work) : work_(work), can_split_(work.buffers.size()) {}

    /// Returns the tree by information gain, and the one by Gini.
    std::vector<GrownTree> grow(const Node& root, int depth);

  private:
    static constexpr int kGains = 2;
    using Wanted = std::array<bool, kGains>;  ///< which of the two trees to grow
    using Costs = std::array<Cost, kGains>;

    /// Appends the subtrees of a node to the wanted trees, and returns their costs.
    Costs grow(const Node& node, int depth, const Wanted& wanted);
    /// Appends the two sides of feature `f`, and returns the costs of the subtrees.
    Costs split(const Node& node, int depth, int f, const Wanted& wanted,
                const std::array<int, kGains>& at);
    /// The feature of the largest gain, or kLeaf. Marks in can_split_[depth] those that can split
    /// the node.
    std::array<int, kGains> best_splits(const Node& node, int depth, const Wanted& wanted);
    void spend(std::int64_t work);

    Workspace& work_;
    std::array<Tree, kGains> tree_;
    std::vector<std::vector<bool>> can_split_;  ///< [depth] -> (features,) of the present node
    /// Gains of a node of two classes, indexed by the weights of the classes where the feature is
    /// 1: small nodes have few different ones. kUnknown if not computed yet.
    std::array<std::vector<std::int64_t>, kGains> known_;
    std::int64_t spent_ = 0;  ///< work since the limits were last checked
    bool interrupted_ = false;
};

}  // namespace beamtree
