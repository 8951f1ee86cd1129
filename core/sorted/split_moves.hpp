// Moving the splits of a tree: each split above the last levels is replaced by the best one over
// all thresholds of all orders, while the subtrees on its two sides stay as they are. A row then
// costs what the leaf costs to which the left subtree sends it, or the right one, so one walk over
// every order finds the best split (Carreira-Perpinan and Tavallali 2018, "Alternating optimization
// of decision trees"). The last levels can be solved exactly afterwards, and splits moved again.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "data/tree.hpp"
#include "objective/misclassification.hpp"
#include "objective/squared_error.hpp"
#include "sorted/sorted_form.hpp"

namespace beamtree {

/// What the leaves of a tree predict.
template <SearchObjective O>
class Predictions;

template <>
class Predictions<Misclassification> {
  public:
    /// `leaf` (rows,) are the leaves of the rows of the root, numbers of nodes.
    void fit(const Misclassification&, const SortedNode<Misclassification>& root,
             const std::vector<int>& leaf, int nodes);
    /// How much less row i of a node costs in the leaf `left` than in the leaf `right`.
    std::int64_t gain(const SortedNode<Misclassification>& node, int i, int left, int right) const {
        const int label = node.values.label[i];
        return node.weight_of(i) * ((label_[left] == label) - (label_[right] == label));
    }

  private:
    std::vector<int> label_;  ///< (nodes,)
};

template <>
class Predictions<SquaredError> {
  public:
    void fit(const SquaredError& objective, const SortedNode<SquaredError>& root,
             const std::vector<int>& leaf, int nodes);
    /// The difference of the squared errors, in units of the objective.
    std::int64_t gain(const SortedNode<SquaredError>& node, int i, int left, int right) const {
        const auto value = static_cast<double>(node.values.value[i]);
        const auto weight = static_cast<double>(node.values.weight[i]);
        const double gain = (mean_[left] - mean_[right]) *
                            (2 * value * factor_ - weight * (mean_[left] + mean_[right]));
        return std::llround(gain);
    }

  private:
    std::vector<double> mean_;  ///< (nodes,) times the factor of the objective
    double factor_ = 1;
};

template <SearchObjective O>
class SplitMoves {
  public:
    SplitMoves(SortedWorkspace<O>& work, const SortedNode<O>& root) : work_(work), root_(root) {}

    /// Moves the splits of a tree with at most `depth` levels, those below first. Returns whether
    /// one was moved, so that the tree costs less. Leaf sizes are not looked at, and squared errors
    /// of single rows are rounded.
    bool improve(int depth, Tree& tree);

  private:
    struct Step {
        const std::uint32_t* rank = nullptr;  ///< of the rows, in the order of the split
        std::uint32_t cut = 0;
    };

    void fit_leaves();
    void set_step(int at);
    int leaf_of(std::uint32_t row, int at) const;
    void visit(const SortedNode<O>& node, int depth, int at);
    void move(const SortedNode<O>& node, const Place& place, int at);

    SortedWorkspace<O>& work_;
    const SortedNode<O>& root_;
    Tree* tree_ = nullptr;
    std::vector<Step> step_;  ///< (nodes,) the splits of the tree
    Predictions<O> predictions_;
    std::vector<std::int64_t> gain_;  ///< (rows,) of a node: what going left saves
    bool moved_ = false;
};

}  // namespace beamtree
