// Prepares a node for the loop over its features: counts it, bounds its children by the facts in
// the cache, and sorts the features in the order of the heuristic.
#pragma once

#include <vector>

#include "pass/gains.hpp"
#include "pass/narrow.hpp"
#include "pass/workspace.hpp"

namespace beamtree {

class Ranking {
  public:
    Ranking(Workspace& work, Heuristic heuristic)
        : work_(work), gains_(work, heuristic), narrow_(work, gains_) {}
    Ranking(const Ranking&) = delete;  // its parts refer to each other
    Ranking& operator=(const Ranking&) = delete;

    /// Counts a node, bounds its children, and ranks its admissible features, all in the buffers of
    /// its depth. Adds to `facts` what the cache knows of the children. Returns the optimum of the
    /// node with three levels if it is known, else -1.
    Cost rank(const Node& node, const TreeSize& size, const PassMode& mode, Facts& facts);

    /// Returns the facts of a child of a ranked node that are known without a search, if it gets
    /// this number of leaves.
    Facts child_facts(const Node& node, const TreeSize& size, int f, bool one, int leaves);
    /// Sets `known` of the buffers to the facts of both children of a ranked node.
    void recall_split(const Node& node, const TreeSize& size, int f);
    /// Raises the bounds of the children of all features by what is known of those of `f`.
    void bound_siblings(const Node& node, const TreeSize& size, int f);

    /// Solves nodes of which only some features are tried.
    NarrowSolver& narrow() { return narrow_; }

  private:
    bool uses_scores() const {
        return gains_.heuristic() == Heuristic::kAuto ||
               gains_.heuristic() == Heuristic::kLookahead;
    }
    Cost make_scores(const Node& node, const TreeSize& size, const PassMode& mode);
    void start_bounds(const Node& node, const TreeSize& size, Cost three_levels);
    void recall_children(const Node& node, const TreeSize& size, Facts& facts);
    void sort(RankedFeatures& ranked, int depth);

    Workspace& work_;
    Gains gains_;
    NarrowSolver narrow_;
    std::vector<int> by_score_, by_gain_;  ///< features by one measure, while they are mixed
    std::vector<bool> taken_;              ///< (features,) while they are mixed
};

}  // namespace beamtree
