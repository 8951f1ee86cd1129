// Moving the splits of a tree: each split above the last levels is replaced by the best one over
// all thresholds of all orders, while the subtrees on its two sides stay as they are. A row then
// costs what the leaf costs to which the left subtree sends it, or the right one, so one walk over
// every order finds the best split (Carreira-Perpinan and Tavallali 2018, "Alternating optimization
// of decision trees"). The last levels can be solved exactly afterwards, and splits moved again.
#pragma once

#include <cstdint>
#include <vector>

#include "data/tree.hpp"
#include "sorted/sorted_form.hpp"

namespace beamtree {

class SplitMoves {
  public:
    SplitMoves(SortedWorkspace<Misclassification>& work, const SortedNode<Misclassification>& root)
        : work_(work), root_(root) {}

    /// Moves the splits of a tree with at most `depth` levels, those below first. Returns whether
    /// one was moved, so that the tree makes fewer mistakes. Leaf sizes are not looked at.
    bool improve(int depth, Tree& tree);

  private:
    struct Step {
        const std::uint32_t* rank = nullptr;  ///< of the rows, in the order of the split
        std::uint32_t cut = 0;
    };

    void label_leaves();
    void set_step(int at);
    int leaf_of(std::uint32_t row, int at) const;
    void visit(const SortedNode<Misclassification>& node, int depth, int at);
    void move(const SortedNode<Misclassification>& node, const Place& place, int at);

    SortedWorkspace<Misclassification>& work_;
    const SortedNode<Misclassification>& root_;
    Tree* tree_ = nullptr;
    std::vector<Step> step_;          ///< (nodes,) the splits of the tree
    std::vector<int> label_;          ///< (nodes,) what a leaf predicts
    std::vector<std::int64_t> gain_;  ///< (rows,) of a node: what going left saves
    bool moved_ = false;
};

}  // namespace beamtree
