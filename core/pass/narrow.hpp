// Narrow nodes: wide nodes of which only a few features are tried, so that early passes find good
// trees soon.
#pragma once

#include <vector>

#include "pass/gains.hpp"
#include "pass/workspace.hpp"

namespace beamtree {

/// How a pass treats its nodes.
struct PassMode {
    /// The pass is a probe, which only raises the lower bound: no lookahead, and the bottom three
    /// levels are searched for a higher bound than is needed.
    bool probe = false;
    int width = kAllFeatures;  ///< number of features with which a wide node solves three levels

    static constexpr int kAllFeatures = 1 << 30;
    /// Whether the bottom three levels are solved with some features of the node.
    template <class AnyNode>
    bool narrows(const AnyNode& node) const {
        return width < kAllFeatures && node.features > width + width / 3;
    }
    /// Number of features of a very wide node that are tried.
    int outer_width() const { return width < kAllFeatures ? 4 * width : kAllFeatures; }
    /// The largest number of features of a node that is counted.
    int most_features() const {
        return width < kAllFeatures ? outer_width() + width / 3 : kAllFeatures;
    }
    /// Whether only some features of the node are tried.
    template <class AnyNode>
    bool narrows_much(const AnyNode& node) const {
        return node.features > most_features();
    }
};

class NarrowSolver {
  public:
    NarrowSolver(Workspace& work, Gains& gains) : work_(work), gains_(gains) {}

    /// Makes buffers.few the node with its best features by gain, mode.outer_width() of them.
    const Node& outer_features(const Node& node, NodeBuffers& buffers, const PassMode& mode);
    /// Sets the score of a few features to the cost of the best tree of depth 3 that begins with
    /// them, and that of the others to the cost of the best tree of depth 2. Needs the gains.
    void look_ahead(const Node& node, NodeBuffers& buffers, const PassMode& mode);
    /// Adds to `facts` a tree of depth 3 from a few features, whose first split is evaluated again
    /// with all features of the node. Says nothing about the lower bound.
    void solve(const Node& node, NodeBuffers& buffers, const PassMode& mode, Cost bound,
               Facts& facts);

  private:
    void take_few(const Node& node, const RankedFeatures& ranked, int width);

    Workspace& work_;
    Gains& gains_;
    Node few_;  ///< the present node with a few of its features
    NodeCounts counts_;
    std::vector<Cost> few_scores_;
    std::vector<int> by_gain_, by_score_;
    std::vector<bool> taken_;
};

}  // namespace beamtree
