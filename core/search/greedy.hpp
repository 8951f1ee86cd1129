// The greedy trees: the first incumbent, so that no result is worse than greedy.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "data/tree.hpp"
#include "pass/workspace.hpp"

namespace beamtree {

/// Splits by the largest gain (ties by index) while there is one and the depth allows, and cuts
/// back what does not pay. One tree by information gain and one by Gini, which share their nodes as
/// long as they split alike. No time limit stops it; an interrupt does, and leaves leaves.
class Greedy {
  public:
    explicit Greedy(Workspace& work) : work_(work), can_split_(work.buffers.size()) {}

    /// Cost of the better tree, by information gain if they are equal, which replaces `tree`.
    Cost grow(const Node& root, int depth, Tree& tree);

  private:
    static constexpr int kGains = 2;
    using Wanted = std::array<bool, kGains>;  ///< which of the trees
    using Costs = std::array<Cost, kGains>;

    /// Appends the subtrees of a node to the trees that are wanted.
    Costs grow(const Node& node, int depth, const Wanted& wanted);
    /// Costs of the subtrees whose first split is feature `f`.
    Costs split(const Node& node, int depth, int f, const Wanted& wanted,
                const std::array<int, kGains>& at);
    /// The feature of the largest gain, or kLeaf. Marks in can_split_[depth] those that can split
    /// the node.
    std::array<int, kGains> best_splits(const Node& node, int depth, const Wanted& wanted);
    void spend(std::int64_t work);

    Workspace& work_;
    std::array<Tree, kGains> tree_;
    std::vector<std::vector<bool>> can_split_;  ///< [depth] -> (features,) of the present node
    /// Gains by the weights of two classes where the feature is 1: small nodes have few different
    /// ones. kUnknown if not yet computed.
    std::array<std::vector<std::int64_t>, kGains> known_;
    std::int64_t spent_ = 0;  ///< since the limits were looked at
    bool interrupted_ = false;
};

}  // namespace beamtree
